import { parseRange } from '../../../core/version-range.js';
import { compareVersions, parseVersion } from '../../../core/version.js';
import type { RawObject } from '../../../hub/fields.js';
import type { PackageVersion } from '../../../hub/source.js';
import type { PackDraft } from './draft.js';
import type { PluginTexts } from './plugin-files.js';

/** What people read about a package. */
export interface PackTexts {
  readonly label: string;
  readonly description: string;
  readonly author: string | undefined;
  readonly org: string | undefined;
  readonly categories: readonly string[];
  /** Range of platforms; none means all. */
  readonly platform: string | undefined;
}

/** The text files of a package, by name, and the name that its JAR gets. */
export interface PackageFiles {
  readonly action: string;
  readonly jar: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** What the JAR in a package is called. */
export const jarOf = ({ name, version }: PackageVersion): string => `${name}-${version}.jar`;

const ACTIONS = {
  plugin: 'one_step_deploy_plugin',
  driver: 'create_driver_artifact',
  app: 'one_step_deploy_app',
  artifact: 'one_step_deploy_plugin',
} as const;
/** Categories of the public hub. */
const CATEGORIES = { plugin: ['hydrator-plugin'], driver: ['3rd-party-artifact'], app: [], artifact: [] } as const;

/** What a JAR says for people, where nothing else is said. */
export function proposedTexts({ jar: { manifest, plugins }, type, name, parents }: PackDraft): PackTexts {
  const [vendor, label] = [
    manifest.get('bundle-vendor') ?? manifest.get('implementation-vendor'),
    manifest.get('bundle-name') ?? name,
  ];
  const [only, ...others] = plugins;
  const own = others.length === 0 && only !== undefined && only.description !== '' ? only.description : undefined;
  // The releases of the platform are those of its pipeline artifacts.
  const [extended] = parents.filter((parent) => parent.namespace === 'system' && parent.name.startsWith('cdap-'));
  return {
    label,
    description: own ?? manifest.get('bundle-description') ?? label,
    author: vendor,
    org: vendor,
    categories: CATEGORIES[type],
    platform: extended?.rangeText,
  };
}

/** Whether a package is shown on platforms that find no plugin in its JAR. */
export function isForLaterApi({ jar }: PackDraft, { platform }: PackTexts): boolean {
  const [range, first] = [platform === undefined ? undefined : parseRange(platform), parseVersion('6.0.0-SNAPSHOT')];
  if (!jar.hasOlderApi || first === undefined) return false;
  return range === undefined || compareVersions(range.upper, first) > 0;
}

/** Writes specification and config of a package. `created` is in seconds. */
export function packageFiles(
  draft: PackDraft,
  texts: PackTexts,
  files: ReadonlyMap<string, PluginTexts>,
  created: number,
): PackageFiles {
  const { type, name, version } = draft;
  const [jar, config] = [jarOf(draft), `${name}-${version}.json`];
  const { label, description, author, org, categories, platform: cdapVersion } = texts;
  const artifact = { name, version, scope: 'user', config };
  const values = Object.entries(type === 'app' ? { jar } : { ...artifact, jar });
  const action = {
    type: ACTIONS[type],
    label: `Deploy ${label}`,
    arguments: values.map(([key, value]) => ({ name: key, value })),
  };
  const about = { specVersion: '1.0', label, description, author, org, created, categories, cdapVersion };
  const specification = { ...about, actions: [action] };
  const made = new Map([['spec.json', textOf(specification)]]);
  if (type !== 'app') made.set(config, textOf(configOf(draft, files)));
  return { action: ACTIONS[type], jar, texts: made };
}

const textOf = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

function configOf(draft: PackDraft, files: ReadonlyMap<string, PluginTexts>): RawObject {
  const { jar, type, name, parents, driverClass = '' } = draft;
  const { raw = {}, properties = {}, plugins: [declared] = [] } = jar.beside ?? {};
  const config = { ...raw, parents: parents.map(({ text }) => text) };
  if (type === 'driver') {
    if (declared?.className === driverClass) return config;
    const description = `JDBC driver ${driverClass}`;
    return { ...config, plugins: [{ name, type: 'jdbc', className: driverClass, description }] };
  }
  const texts = [...files].flatMap(([key, { doc, widget }]) => [
    ...(doc === undefined ? [] : [[`doc.${key}`, doc]]),
    ...(widget === undefined ? [] : [[`widgets.${key}`, widget]]),
  ]);
  return { ...config, properties: { ...properties, ...Object.fromEntries(texts) } };
}
