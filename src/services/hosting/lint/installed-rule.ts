import { parseRange, rangeContains, type Range } from '../../../core/version-range.js';
import { parseVersion, type Version } from '../../../core/version.js';
import { brief, isRawObject } from '../../../hub/fields.js';
import type { Found, Path } from './finding.js';
import type { JsonFile } from './json-file.js';
import { MOST_FAULTS } from './range-rules.js';
import { listOf, MAKES_ARTIFACT, own, textAt, type LintedPackage, type TreeCheck } from './rule.js';

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
      if (MAKES_ARTIFACT.test(action.type)) install(installed, one, action);
      const config = one.configs.get(textAt(action, 'config') ?? '');
      if (!action.type.startsWith('create_pipeline') || config === undefined) continue;
      for (const use of usesIn(config)) if (used.length < MOST_FAULTS) used.push(use);
    }
  };
  return { see, end: () => used.flatMap((use) => absent(use, installed.get(use.name))) };
}

function install(installed: Map<string, Versions>, one: LintedPackage, action: LintedPackage['actions'][number]): void {
  const name = textAt(action, 'name');
  if (name === undefined) return;
  const jar = one.jars.get(textAt(action, 'jar') ?? '');
  const text = textAt(action, 'version') ?? (typeof jar === 'object' ? jar.bundleVersion : undefined);
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

function* usesIn(config: JsonFile): Generator<Use> {
  const seen = new Set<string>();
  for (const list of ['stages', 'postActions'])
    for (const [at, stage] of listOf(config.json[list]).entries()) {
      const plugin = isRawObject(stage) ? stage['plugin'] : undefined;
      const artifact = isRawObject(plugin) ? plugin['artifact'] : undefined;
      if (!isRawObject(artifact) || typeof artifact['name'] !== 'string') continue;
      if (String(artifact['scope']).toUpperCase() !== 'USER') continue;
      const text = typeof artifact['version'] === 'string' ? artifact['version'] : '';
      const mark = JSON.stringify([artifact['name'], text]);
      if (seen.has(mark)) continue;
      seen.add(mark);
      const path: Path = [list, at, 'plugin', 'artifact'];
      const use = { name: own(artifact['name']), range: parseRange(own(text)), text: own(text) };
      yield { ...use, file: config.file, at: config.at(path) };
    }
}
