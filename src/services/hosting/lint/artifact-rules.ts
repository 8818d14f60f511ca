import { createHash } from 'node:crypto';
import type { Jar } from '../../../core/files/jar.js';
import { parseRange, rangeContains, type Range } from '../../../core/version-range.js';
import { brief, isRawObject } from '../../../hub/fields.js';
import { parentsOf } from './config-rules.js';
import type { Found } from './finding.js';
import { notInstalled } from './installed-rule.js';
import {
  MAKES_ARTIFACT,
  own,
  specOf,
  textAt,
  type LintedAction,
  type LintedPackage,
  type Rule,
  type TreeCheck,
} from './rule.js';
import { borders, MOST_FAULTS, shownOn } from './range-rules.js';

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

/** The id under which the platform installs a JAR: of an application it is the name of the file. */
function idOf(action: LintedAction, { bundleVersion }: Jar): string | undefined {
  const [name, version = bundleVersion, file] = ['name', 'version', 'jar'].map((argument) => textAt(action, argument));
  if (/^(?:one_step_)?deploy_app$/u.test(action.type)) return file;
  const isKnown = MAKES_ARTIFACT.test(action.type) && name !== undefined && version !== undefined;
  return isKnown ? `${name} ${version}` : undefined;
}

/** What is installed under one id, and where it is written. */
function differentJars(): TreeCheck {
  const known = new Map<string, { readonly digest: string; readonly file: string }>();
  const faults: Found[] = [];
  const see = (one: LintedPackage): void => {
    for (const action of one.actions) {
      const jar = one.jars.get(textAt(action, 'jar') ?? '');
      const id = typeof jar === 'object' ? idOf(action, jar) : undefined;
      if (typeof jar !== 'object' || id === undefined) continue;
      const digest = createHash('sha256');
      for (const entry of [...jar.entries].map(([name, crc]) => `${name}\n${crc}`).sort()) digest.update(`${entry}\n`);
      const mark = digest.digest('base64');
      const before = known.get(id);
      if (before === undefined) known.set(own(id), { digest: mark, file: one.folder });
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

/** Rules for artifacts and their JARs, and for the pipelines that use them. */
export const ARTIFACT_RULES: readonly Rule[] = [
  {
    id: 'PARENT_RELEASE',
    severity: 'warning',
    summary: 'a package is shown on a release where none of its parents or pipeline artifacts exists',
    check: unreachable,
  },
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
    summary: 'a pipeline uses an artifact of the user, or a version of it, that no package installs',
    across: notInstalled,
  },
];
