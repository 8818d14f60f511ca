import { createHash } from 'node:crypto';
import { parseRange, rangeContains, type Range } from '../../../core/version-range.js';
import { brief, isRawObject } from '../../../hub/fields.js';
import { parseParent, type Parent } from '../../../hub/resource-config.js';
import type { JsonFile } from './json-file.js';
import type { Found } from './finding.js';
import { specOf, type LintedAction, type LintedPackage, type Rule, type TreeCheck } from './rule.js';
import { borders, MOST_FAULTS, shownOn } from './range-rules.js';

const MAKES_ARTIFACT = /_artifact$|^one_step_deploy_plugin$/u;

/** An own copy: a part of a text keeps the whole of it in memory. */
const own = (text: string): string => Buffer.from(text).toString();

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textAt = ({ values }: LintedAction, name: string): string | undefined => {
  const value = values.get(name)?.value;
  return typeof value === 'string' ? value : undefined;
};

function* parentsOf({ configs }: LintedPackage): Generator<readonly [JsonFile, number, unknown, Parent | undefined]> {
  for (const config of configs.values()) {
    for (const [at, value] of listOf(config.json['parents']).entries())
      yield [config, at, value, typeof value === 'string' ? parseParent(value) : undefined];
  }
}

/** A rule over each parent. */
const ofParents = (problem: (parent: Parent | undefined, value: unknown) => string | undefined) =>
  function* check(one: LintedPackage): Generator<Found> {
    for (const [config, at, value, parent] of parentsOf(one)) {
      const message = problem(parent, value);
      if (message !== undefined) yield { file: config.file, at: config.at(['parents', at]), message };
    }
  };

function* withoutWidget({ configs }: LintedPackage): Generator<Found> {
  for (const { json, file, at } of [...configs.values()].map((config) => ({
    json: config.json,
    file: config.file,
    at: (name: string) => config.at(['properties', name]),
  }))) {
    const properties = isRawObject(json['properties']) ? json['properties'] : {};
    for (const name of Object.keys(properties))
      if (name.startsWith('doc.') && !Object.hasOwn(properties, `widgets.${name.slice(4)}`))
        yield { file, at: at(name), message: `${brief(name)} has no widgets.${name.slice(4, 64)}` };
  }
}

/** Artifacts of the platform that a package needs: parents of its plugins, and those of its pipelines. */
function* platformNeeds(one: LintedPackage): Generator<readonly [string, Range | undefined]> {
  for (const [, , , parent] of parentsOf(one)) if (parent !== undefined) yield [parent.name, parent.range];
  for (const { values } of one.actions) {
    const artifact = values.get('artifact')?.value;
    if (!isRawObject(artifact) || typeof artifact['name'] !== 'string') continue;
    yield [artifact['name'], typeof artifact['version'] === 'string' ? parseRange(artifact['version']) : undefined];
  }
}

/** A release on which the package is shown and nothing that it needs of the platform exists. */
function* unreachable(one: LintedPackage): Generator<Found> {
  const shown = shownOn(one);
  if (shown?.range === undefined) return;
  const { range } = shown;
  const needs = [...platformNeeds(one)];
  const ranges = needs.flatMap(([, needed]) => needed ?? []);
  // The version of every other artifact is not that of the platform.
  if (ranges.length === 0 || ranges.length < needs.length || needs.some(([name]) => !name.startsWith('cdap-'))) return;
  const points = [range, ...ranges].flatMap(borders);
  const bare = points.find(
    (version) => rangeContains(range, version) && !ranges.some((needed) => rangeContains(needed, version)),
  );
  if (bare === undefined) return;
  const message = `it is shown on ${bare.text}, where none of its parents or pipeline artifacts exists`;
  yield { file: specOf(one), at: shown.at, message };
}

function* jars(one: LintedPackage, problem: (action: LintedAction) => string | undefined): Generator<Found> {
  for (const action of one.actions) {
    const given = action.values.get('jar');
    const message = given === undefined ? undefined : problem(action);
    if (given !== undefined && message !== undefined)
      yield { file: specOf(one), at: one.specification?.at(given.path), message };
  }
}

const otherVersion = (one: LintedPackage): Iterable<Found> =>
  jars(one, (action) => {
    const [jar, version] = [one.jars.get(textAt(action, 'jar') ?? ''), textAt(action, 'version')];
    if (typeof jar !== 'object' || version === undefined) return undefined;
    const { bundleVersion } = jar;
    if (bundleVersion === undefined || bundleVersion === version) return undefined;
    return `the artifact version is ${version}, Bundle-Version of its JAR is ${brief(bundleVersion)}`;
  });

/** What is installed under one id, and where it is written. */
function differentJars(): TreeCheck {
  const known = new Map<string, { readonly digest: string; readonly file: string }>();
  const faults: Found[] = [];
  const see = (one: LintedPackage): void => {
    for (const action of one.actions.filter(({ type }) => MAKES_ARTIFACT.test(type))) {
      const [name, version, file] = ['name', 'version', 'jar'].map((argument) => textAt(action, argument));
      const jar = one.jars.get(file ?? '');
      if (name === undefined || version === undefined || typeof jar !== 'object') continue;
      const digest = createHash('sha256').update(String(jar.bytes));
      for (const entry of [...jar.entries].sort()) digest.update(`\n${entry}`);
      const [id, mark] = [own(`${name} ${version}`), digest.digest('base64')];
      const before = known.get(id);
      if (before === undefined) known.set(id, { digest: mark, file: one.folder });
      else if (before.digest !== mark && faults.length < MOST_FAULTS)
        faults.push({
          file: specOf(one),
          at: one.specification?.at(action.path),
          message: `${brief(id)} has another JAR than in ${before.file}`,
        });
    }
  };
  return { see, end: () => faults };
}

/** Pipelines that use an artifact of the user, and all that is installed. */
function notInstalled(): TreeCheck {
  const installed = new Set<string>();
  const used: (Found & { readonly name: string })[] = [];
  const see = (one: LintedPackage): void => {
    for (const action of one.actions) {
      const name = textAt(action, 'name');
      if (MAKES_ARTIFACT.test(action.type) && name !== undefined) installed.add(own(name));
      const config = one.configs.get(textAt(action, 'config') ?? '');
      if (!action.type.startsWith('create_pipeline') || config === undefined) continue;
      for (const [artifact, path] of userArtifacts(config))
        if (used.length < MOST_FAULTS)
          used.push({
            name: own(artifact),
            file: config.file,
            at: config.at(path),
            message: `the pipeline uses the artifact ${brief(artifact)}, which no package installs`,
          });
    }
  };
  return { see, end: () => used.filter(({ name }) => !installed.has(name)) };
}

function* userArtifacts(config: JsonFile): Generator<readonly [string, readonly (string | number)[]]> {
  const seen = new Set<string>();
  for (const [at, stage] of listOf(config.json['stages']).entries()) {
    const plugin = isRawObject(stage) ? stage['plugin'] : undefined;
    const artifact = isRawObject(plugin) ? plugin['artifact'] : undefined;
    if (!isRawObject(artifact) || typeof artifact['name'] !== 'string' || seen.has(artifact['name'])) continue;
    if (String(artifact['scope']).toUpperCase() !== 'USER') continue;
    seen.add(artifact['name']);
    yield [artifact['name'], ['stages', at, 'plugin', 'artifact']];
  }
}

/** Rules for artifacts, their parents and JARs, and for the pipelines that use them. */
export const ARTIFACT_RULES: readonly Rule[] = [
  {
    id: 'PARENT_BAD',
    severity: 'warning',
    summary: 'a parent is malformed',
    check: ofParents((parent, value) =>
      parent === undefined ? `${brief(String(value))} is not NAMESPACE:NAME[MIN,MAX)` : undefined,
    ),
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
    id: 'PARENT_RELEASE',
    severity: 'warning',
    summary: 'a package is shown on a release where none of its parents or pipeline artifacts exists',
    check: unreachable,
  },
  { id: 'DOC_WIDGET', severity: 'warning', summary: 'a plugin has docs, but no widget', check: withoutWidget },
  {
    id: 'JAR_BAD',
    severity: 'error',
    summary: 'a JAR is not a valid ZIP archive',
    check: (one) =>
      [...one.jars].flatMap(([name, jar]) =>
        typeof jar === 'string' ? [{ file: `${one.folder}/${name}`, message: jar }] : [],
      ),
  },
  {
    id: 'JAR_VERSION',
    severity: 'warning',
    summary: 'the artifact version is not Bundle-Version of the JAR',
    check: otherVersion,
  },
  {
    id: 'JAR_DIFFERS',
    severity: 'warning',
    summary: 'one artifact name and version has different JARs',
    across: differentJars,
  },
  {
    id: 'ARTIFACT_ABSENT',
    severity: 'warning',
    summary: 'a pipeline uses an artifact of the user that no package installs',
    across: notInstalled,
  },
];
