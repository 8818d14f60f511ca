import { parseJson } from '../../../../core/json/json.js';
import { parseVersion } from '../../../../core/version.js';
import { parseRange, rangeContains } from '../../../../core/version-range.js';
import type { ApplicationDetail } from '../../../../platform/apps.js';

/** An artifact of the user scope with the plugins that it brings. */
export interface OfferedArtifact {
  readonly name: string;
  readonly version: string;
  readonly plugins: readonly { readonly type: string; readonly name: string }[];
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

/** Every object inside a value, itself first. */
function* objectsIn(value: unknown): Generator<Members> {
  const members = membersOf(value);
  if (members !== undefined) yield members;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(members ?? {});
  for (const one of inner) yield* objectsIn(one);
}

/** Whether a reference can mean the artifact; what cannot be read means it. */
function means({ name, version, scope }: Members, artifact: OfferedArtifact): boolean {
  if (name !== artifact.name) return false;
  if (typeof scope === 'string' && scope.toUpperCase() === 'SYSTEM') return false;
  if (typeof version !== 'string' || version === artifact.version) return true;
  const [range, own] = [parseRange(version), parseVersion(artifact.version)];
  return range === undefined || own === undefined || rangeContains(range, own);
}

const offers = ({ plugins }: OfferedArtifact, type: unknown, name: unknown): boolean =>
  plugins.some((plugin) => plugin.type === type && plugin.name === name);

/**
 * Whether an object of a configuration needs the artifact. It names the artifact, one of its plugins without an
 * artifact, or its driver.
 */
function needs(members: Members, artifact: OfferedArtifact): boolean {
  const named = membersOf(members['artifact']);
  if (named !== undefined && means(named, artifact)) return true;
  if (named === undefined && offers(artifact, members['type'], members['name'])) return true;
  const driver = members['jdbcPluginName'];
  if (typeof driver !== 'string') return false;
  const type = members['jdbcPluginType'] ?? 'jdbc';
  // What a macro stands for is known only when the pipeline runs.
  return driver.includes('${')
    ? artifact.plugins.some((plugin) => plugin.type === type)
    : offers(artifact, type, driver);
}

/** Whether an application is made from an artifact or uses one of its plugins. In doubt it does. */
export function usesArtifact(application: ApplicationDetail, artifact: OfferedArtifact): boolean {
  const { configuration = '', plugins = [] } = application;
  if (means(application.artifact, artifact)) return true;
  let config: unknown;
  try {
    config = configuration === '' ? {} : parseJson(Buffer.from(configuration), 'a configuration');
  } catch {
    return configuration.includes(artifact.name);
  }
  const objects = [...objectsIn(config)];
  if (objects.some((members) => needs(members, artifact))) return true;
  const elsewhere = (type: string, name: string): boolean =>
    objects.some((one) => one['type'] === type && one['name'] === name && membersOf(one['artifact']) !== undefined);
  return plugins.some(({ type, name }) => offers(artifact, type, name) && !elsewhere(type, name));
}
