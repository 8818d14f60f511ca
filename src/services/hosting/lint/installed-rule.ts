import { parseRange, rangeContains, type Range } from '../../../core/version-range.js';
import { parseVersion, type Version } from '../../../core/version.js';
import { brief, isRawObject, type RawObject } from '../../../hub/fields.js';
import type { Found } from './finding.js';
import type { JsonFile } from './json-file.js';
import { MOST_FAULTS } from './range-rules.js';
import {
  listOf,
  MAKES_ARTIFACT,
  own,
  specOf,
  textAt,
  type LintedAction,
  type LintedPackage,
  type TreeCheck,
} from './rule.js';

/** The types of actions that make an application of a JAR. */
const MAKES_APPLICATION = /^(?:one_step_)?deploy_app$/u;

interface Use {
  readonly name: string;
  /** Undefined where every version will do, or a macro says which. */
  readonly range: Range | undefined;
  readonly text: string;
  readonly file: string;
  readonly at: Found['at'];
}

/** The versions of an artifact that are installed; undefined is one that cannot be known. */
type Versions = (Version | undefined)[];

/** Pipelines that use an artifact of the user, and all that is installed. */
export function notInstalled(): TreeCheck {
  const installed = new Map<string, Versions>();
  const used: Use[] = [];
  const see = (one: LintedPackage): void => {
    for (const action of one.actions) {
      const artifact = artifactOf(one, action);
      if (artifact !== undefined) install(installed, artifact);
      for (const use of action.type.startsWith('create_pipeline') ? usesOf(one, action) : [])
        if (used.length < MOST_FAULTS) used.push(use);
    }
  };
  return { see, end: () => used.flatMap((use) => absent(use, installed.get(use.name))) };
}

/** An artifact that an action installs; the version is undefined where it cannot be known. */
interface Installed {
  readonly name: string;
  readonly version: string | undefined;
}

function artifactOf(one: LintedPackage, action: LintedAction): Installed | undefined {
  const file = textAt(action, 'jar') ?? '';
  if (MAKES_APPLICATION.test(action.type)) return namedByFile(file);
  const name = textAt(action, 'name');
  if (name === undefined || !MAKES_ARTIFACT.test(action.type)) return undefined;
  const jar = one.jars.get(file);
  return { name, version: textAt(action, 'version') ?? (typeof jar === 'object' ? jar.bundleVersion : undefined) };
}

/** The artifact of an application, which the platform names after the file (docs/platform.md 5). */
function namedByFile(file: string): Installed | undefined {
  const stem = file.endsWith('.jar') ? file.slice(0, -'.jar'.length) : '';
  for (const { index } of stem.matchAll(/-(?=\d)/gu)) {
    const version = stem.slice(index + 1);
    if (parseVersion(version) !== undefined) return { name: stem.slice(0, index), version };
  }
  return undefined;
}

function install(installed: Map<string, Versions>, { name, version: text }: Installed): void {
  const versions = installed.get(name) ?? [];
  if (!versions.some((version) => version?.text === text))
    versions.push(text === undefined ? undefined : parseVersion(own(text)));
  installed.set(own(name), versions);
}

function absent({ name, range, text, file, at }: Use, versions: Versions | undefined): readonly Found[] {
  const what = `the pipeline uses the artifact ${brief(name)}`;
  if (versions === undefined) return [{ file, at, message: `${what}, which no package installs` }];
  if (range === undefined || versions.some((version) => version === undefined || rangeContains(range, version)))
    return [];
  return [{ file, at, message: `${what} ${text}, but packages install only ${versions[0]?.text ?? ''}` }];
}

/** The artifact of a pipeline, and those of its stages. */
function* usesOf(one: LintedPackage, action: LintedAction): Generator<Use> {
  const given = action.values.get('artifact');
  const artifact = given?.value;
  // Users may bring the JAR of any application.
  const isOpen = one.actions.some(({ type, values }) => MAKES_APPLICATION.test(type) && !values.get('jar')?.value);
  // An installation takes an artifact without a scope for one of the user.
  const scope = isRawObject(artifact) ? (artifact['scope'] ?? 'USER') : 'SYSTEM';
  if (given !== undefined && isRawObject(artifact) && scope !== 'SYSTEM' && !isOpen) {
    const use = useOf({ ...artifact, scope }, specOf(one));
    if (use !== undefined) yield { ...use, at: one.specification?.at(given.path) };
  }
  const config = one.configs.get(textAt(action, 'config') ?? '');
  if (config !== undefined) yield* usesIn(config);
}

/** The use of an artifact, if it is one of the user. */
function useOf(artifact: RawObject, file: string): Omit<Use, 'at'> | undefined {
  const { name, scope, version } = artifact;
  if (typeof name !== 'string' || typeof scope !== 'string' || scope.toUpperCase() !== 'USER') return undefined;
  const text = typeof version === 'string' ? own(version) : '';
  return { name: own(name), range: parseRange(text), text, file };
}

function* usesIn(config: JsonFile): Generator<Use> {
  const seen = new Set<string>();
  for (const list of ['stages', 'postActions'])
    for (const [at, stage] of listOf(config.json[list]).entries()) {
      const plugin = isRawObject(stage) ? stage['plugin'] : undefined;
      const artifact = isRawObject(plugin) ? plugin['artifact'] : undefined;
      if (!isRawObject(artifact)) continue;
      const use = useOf(artifact, config.file);
      const mark = JSON.stringify([use?.name, use?.text]);
      if (use === undefined || seen.has(mark)) continue;
      seen.add(mark);
      yield { ...use, at: config.at([list, at, 'plugin', 'artifact']) };
    }
}
