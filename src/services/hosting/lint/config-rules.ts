import { jsonFaultAt } from '../../../core/json/fault.js';
import { isSnapshot, type Version } from '../../../core/version.js';
import { isEmptyRange } from '../../../core/version-range.js';
import { brief, isRawObject } from '../../../hub/fields.js';
import { parseParent, type Parent } from '../../../hub/resource-config.js';
import type { Found, Path } from './finding.js';
import type { JsonFile } from './json-file.js';
import { listOf, MAKES_ARTIFACT, specOf, textAt, type LintedAction, type LintedPackage, type Rule } from './rule.js';

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Each parent in the configs of a package, parsed where that is possible. */
export function* parentsOf({
  configs,
}: LintedPackage): Generator<readonly [JsonFile, number, unknown, Parent | undefined]> {
  for (const config of configs.values())
    for (const [at, value] of listOf(config.json['parents']).entries())
      yield [config, at, value, typeof value === 'string' ? parseParent(value) : undefined];
}

/** A rule over each parent. */
const ofParents = (problem: (parent: Parent | undefined, value: unknown) => string | undefined) =>
  function* check(one: LintedPackage): Generator<Found> {
    for (const [config, at, value, parent] of parentsOf(one)) {
      const message = problem(parent, value);
      if (message !== undefined) yield { file: config.file, at: config.at(['parents', at]), message };
    }
  };

/** A snapshot whose suffix goes on: `6.1-SNAPSHOT.0` is a typo of `6.1.0-SNAPSHOT`. */
const isOddSnapshot = (version: Version): boolean => isSnapshot(version) && version.suffix?.length !== 8;

const malformed = (parent: Parent | undefined, value: unknown): string | undefined =>
  parent === undefined
    ? `${brief(typeof value === 'string' ? value : JSON.stringify(value))} is not NAMESPACE:NAME[MIN,MAX)`
    : undefined;

function matchesNothing(parent: Parent | undefined): string | undefined {
  if (parent === undefined) return undefined;
  const odd = [parent.range.lower, parent.range.upper].find(isOddSnapshot);
  if (odd !== undefined)
    return `${brief(parent.text)} has the version ${brief(odd.text)}, which does not end with -SNAPSHOT`;
  return isEmptyRange(parent.range) ? `${brief(parent.text)} matches no version` : undefined;
}

/** The configs of artifacts that are JSON objects, each once. Pipeline configs may have the same members. */
function artifactConfigs({ actions, configs }: LintedPackage): ReadonlySet<JsonFile> {
  const found = actions.flatMap((action) => {
    const config = MAKES_ARTIFACT.test(action.type) ? configs.get(textAt(action, 'config') ?? '') : undefined;
    return config === undefined || config.problem !== undefined ? [] : [config];
  });
  return new Set(found);
}

const isPlugin = (value: unknown): boolean =>
  isRawObject(value) && typeof value['name'] === 'string' && typeof value['className'] === 'string';

function* wrongType(one: LintedPackage): Generator<Found> {
  for (const config of artifactConfigs(one)) {
    const { json, file } = config;
    const found = (path: Path, message: string): Found => ({ file, at: config.at(path), message });
    for (const name of ['parents', 'plugins'])
      if (!isAbsent(json[name]) && !Array.isArray(json[name])) yield found([name], `${name} is not a list`);
    for (const [at, value] of listOf(json['plugins']).entries())
      if (!isPlugin(value)) yield found(['plugins', at], `plugin ${at + 1} is not an object with name and className`);
    if (!isAbsent(json['properties']) && !isRawObject(json['properties']))
      yield found(['properties'], 'properties is not an object');
  }
}

/** Uploads of a type whose config declares nothing under any of some members. */
function* declaringNone(
  one: LintedPackage,
  type: RegExp,
  members: readonly string[],
  message: string,
): Generator<Found> {
  const told = new Set<JsonFile>();
  for (const action of one.actions) {
    if (!type.test(action.type) || isApplication(one, action)) continue;
    const name = textAt(action, 'config');
    const config = one.configs.get(name ?? '');
    // A config that is missing or broken is told by other rules.
    if (name === undefined) yield { file: specOf(one), at: one.specification?.at(action.path), message };
    if (config === undefined || config.problem !== undefined || told.has(config)) continue;
    told.add(config);
    const isNone = (value: unknown): boolean => isAbsent(value) || (Array.isArray(value) && value.length === 0);
    if (members.every((member) => isNone(config.json[member])))
      yield { file: config.file, at: config.at(['parents']), message };
  }
}

function isApplication({ jars }: LintedPackage, action: LintedAction): boolean {
  const jar = jars.get(textAt(action, 'jar') ?? '');
  return typeof jar === 'object' && jar.mainClass !== undefined;
}

function* badProperties(one: LintedPackage): Generator<Found> {
  for (const config of artifactConfigs(one)) {
    const { json, file } = config;
    for (const [name, value] of Object.entries(isRawObject(json['properties']) ? json['properties'] : {})) {
      const isWidget = name.startsWith('widgets.') && typeof value === 'string';
      const what = isWidget ? jsonFaultAt(value) !== undefined && 'JSON' : typeof value !== 'string' && 'text';
      if (what !== false) yield { file, at: config.at(['properties', name]), message: `${brief(name)} is not ${what}` };
    }
  }
}

function* withoutWidget({ configs }: LintedPackage): Generator<Found> {
  for (const config of configs.values()) {
    const properties = isRawObject(config.json['properties']) ? config.json['properties'] : {};
    for (const name of Object.keys(properties))
      if (name.startsWith('doc.') && !Object.hasOwn(properties, `widgets.${name.slice(4)}`)) {
        const message = `${brief(name)} has no widgets.${name.slice(4, 64)}`;
        yield { file: config.file, at: config.at(['properties', name]), message };
      }
  }
}

/** Rules for the configs of artifacts. */
export const CONFIG_RULES: readonly Rule[] = [
  {
    id: 'CONFIG_TYPE',
    severity: 'error',
    summary: 'a member of the config of an artifact has the wrong type',
    check: wrongType,
  },
  {
    id: 'PARENT_MISSING',
    severity: 'error',
    summary: 'a plugin has no parents, so the platform rejects its JAR',
    check: (one) =>
      declaringNone(
        one,
        /^(?:create_plugin_artifact|one_step_deploy_plugin)$/u,
        ['parents', 'plugins'],
        'the plugin has no parents, so the platform rejects its JAR',
      ),
  },
  {
    id: 'PLUGIN_MISSING',
    severity: 'warning',
    summary: 'the config of a driver has no plugins, so pipelines do not find the driver',
    check: (one) =>
      declaringNone(
        one,
        /^create_driver_artifact$/u,
        ['plugins'],
        'the driver has no plugins, so pipelines do not find it',
      ),
  },
  {
    id: 'PARENT_FORM',
    severity: 'error',
    summary: 'a parent is malformed, so an installation rejects it',
    check: ofParents(malformed),
  },
  {
    id: 'PARENT_BAD',
    severity: 'warning',
    summary: 'a parent has the version of a misspelled snapshot, or matches no version',
    check: ofParents(matchesNothing),
  },
  {
    id: 'PARENT_NAMESPACE',
    severity: 'warning',
    summary: 'a parent has no namespace, so the platform looks for it where the package is installed',
    check: ofParents((parent) =>
      parent !== undefined && parent.namespace === undefined ? `${brief(parent.text)} has no namespace` : undefined,
    ),
  },
  {
    id: 'PROPERTY_BAD',
    severity: 'warning',
    summary: 'a property of an artifact is not text, or a widget is not JSON',
    check: badProperties,
  },
  { id: 'DOC_WIDGET', severity: 'warning', summary: 'a plugin has docs, but no widget', check: withoutWidget },
];
