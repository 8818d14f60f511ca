import { gsonText } from '../../http/answers.js';
import { isObject, stringOf, type JsonObject } from '../../http/json.js';
import type { Artifact, ArtifactName } from '../../store/model.js';
import type { Store } from '../../store/store.js';
import { compareVersions, inRange, isSnapshot, parseRange, parseVersion, rangeText } from '../../store/versions.js';
import { summary, visibleArtifacts } from '../artifacts/artifacts.js';
import { offersFor } from '../artifacts/extensions.js';
import { typedConfig } from './typed-config.js';

/** What the query of an upgrade allows: scopes of artifacts, and whether a SNAPSHOT counts as newer. */
export interface UpgradeRules {
  readonly scopes: readonly string[];
  readonly snapshots: boolean;
}

/** A pipeline with the artifact that it moves to. */
export interface UpgradeSource {
  readonly namespace: string;
  readonly artifact: Artifact;
  readonly config: JsonObject;
}

/** The newest version of an application's artifact in its scope. The same when that scope is not asked for. */
export function newestArtifact(store: Store, namespace: string, named: ArtifactName, rules: UpgradeRules): Artifact {
  const where = named.scope === 'SYSTEM' ? 'system' : namespace;
  const own = store.artifact(where, named.name, named.version);
  const newer = store.artifacts(where).filter(({ name }) => rules.scopes.includes(named.scope) && name === named.name);
  const found = newest(newer, named.version, rules) ?? own;
  if (found === undefined) throw new Error(`the artifact ${named.name} ${named.version} is gone`);
  return found;
}

/** The newest artifact that is not older than a version. */
function newest(among: readonly Artifact[], from: string, { snapshots }: UpgradeRules): Artifact | undefined {
  const bound = parseVersion(from);
  const fits = among.filter(({ version }) => {
    const parsed = parseVersion(version);
    if (parsed === undefined || (isSnapshot(parsed) && !snapshots)) return false;
    return bound === undefined || compareVersions(parsed, bound) >= 0;
  });
  return fits.toSorted((a, b) => order(a.version, b.version)).at(-1);
}

function order(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left === undefined || right === undefined ? 0 : compareVersions(left, right);
}

/**
 * The configuration after an upgrade, with each plugin at the newest artifact that offers it. Keeps only what the typed
 * model knows, with the stages in another order.
 */
export function upgradedConfig(
  store: Store,
  { namespace, artifact, config }: UpgradeSource,
  rules: UpgradeRules,
): string {
  const offers = offersFor(artifact, visibleArtifacts(store, namespace));
  const moved = (stage: JsonObject): JsonObject => {
    const { plugin } = stage;
    if (!isObject(plugin) || !isObject(plugin['artifact'])) return stage;
    const offering = offers.filter(({ plugin: { name, type } }) => name === plugin['name'] && type === plugin['type']);
    const among = offering.map((offer) => offer.artifact).filter((each) => rules.scopes.includes(summary(each).scope));
    return { ...stage, plugin: { ...plugin, artifact: movedSelector(plugin['artifact'], among, rules) } };
  };
  const typed = typedConfig(config, artifact.name === 'cdap-data-streams');
  const { engine } = config;
  const stages = objects(typed['stages']).map(moved).toSorted(byHash);
  const postActions = 'postActions' in typed ? { postActions: objects(typed['postActions']).map(moved) } : {};
  return gsonText({ ...(engine === undefined ? {} : { engine }), ...typed, ...postActions, stages });
}

/** An order that is not the one of before: the platform's follows from hashes. */
function byHash(a: JsonObject, b: JsonObject): number {
  const [left, right] = [stringOf(a, 'name') ?? '', stringOf(b, 'name') ?? ''];
  return right.length - left.length || (left < right ? -1 : 1);
}

function movedSelector(selector: JsonObject, among: readonly Artifact[], rules: UpgradeRules): JsonObject {
  const version = stringOf(selector, 'version') ?? '';
  const scope = stringOf(selector, 'scope')?.toUpperCase() ?? 'USER';
  if (!rules.scopes.includes(scope)) return selector;
  if (/^[[(]/u.test(version)) return { ...selector, version: widened(version, newest(among, '0', rules)) };
  const found = newest(among, version, rules);
  if (found === undefined) return selector;
  const to = summary(found);
  return { scope: to.scope, name: to.name, version: to.version };
}

/** A range that does not hold the new version ends with it. */
function widened(source: string, to: Artifact | undefined): string {
  const range = parseRange(source);
  const upper = to === undefined ? undefined : parseVersion(to.version);
  if (upper === undefined || inRange(upper, range) || compareVersions(upper, range.lower) < 0) return source;
  return rangeText({ ...range, upper, isUpperInclusive: true });
}

function objects(value: unknown): JsonObject[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isObject);
}
