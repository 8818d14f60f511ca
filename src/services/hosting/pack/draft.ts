import { fileNameProblem } from '../../../core/names.js';
import { parseVersion } from '../../../core/version.js';
import { parseRange } from '../../../core/version-range.js';
import { parseParent, type Parent } from '../../../hub/resource-config.js';
import { CliError } from '../../../core/errors.js';
import type { ConfigBeside } from './sibling-config.js';
import { pomParents } from './pom-parents.js';
import type { JarFacts } from './read-jar.js';

/** What a package installs. `artifact` is a JAR that is only uploaded. */
export type PackType = 'plugin' | 'driver' | 'app' | 'artifact';

/** What is given beside a JAR; what it says itself comes second. */
export interface PackWishes {
  readonly type?: PackType | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly driverClass?: string | undefined;
  readonly parents: readonly Parent[];
}

/** What was read of a JAR and of the config beside it. */
export interface PackedJar extends JarFacts {
  readonly shown: string;
  readonly beside: ConfigBeside | undefined;
  readonly sha256: string;
}

/** Something without which a JAR cannot be packed, and that must not be guessed. */
export interface PackGap {
  readonly jar: string;
  readonly need: 'type' | 'name' | 'version' | 'driverClass' | 'parents';
  readonly why: string;
  /** What it may be. */
  readonly choices: readonly string[];
}

/** A JAR of which all is known that its package needs. */
export interface PackDraft {
  readonly jar: PackedJar;
  readonly type: PackType;
  readonly name: string;
  readonly version: string;
  readonly parents: readonly Parent[];
  readonly driverClass: string | undefined;
}

const PARENTS = /[^[(]+[[(][^\])]*[\])]/gu;
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u;

/** Why a name of a package and of its artifact cannot be used, if so. */
export const nameProblem = (name: string): string | undefined =>
  PLAIN.test(name) ? fileNameProblem(name) : 'may have letters, digits, ".", "_" and "-" only';

/** Why a version of a package and of its artifact cannot be used, if so. */
export const versionProblem = (version: string): string | undefined =>
  parseVersion(version) === undefined ? 'is not a valid version' : nameProblem(version);

/** Why a text is no range of platforms. A version alone is one for others, and matches no later patch of it. */
export const rangeProblem = (text: string): string | undefined =>
  parseRange(text) === undefined || parseVersion(text.trim()) !== undefined
    ? 'is not a version range such as [6.1.0,7.0.0-SNAPSHOT)'
    : undefined;

/**
 * Parents in a text, with blanks or commas between them. Undefined when one is malformed, for none, and when one has no
 * namespace: no platform takes that.
 */
export function parentsIn(text: string): readonly Parent[] | undefined {
  const parents = text.match(PARENTS)?.map((part) => parseParent(part.replace(/^[,\s]+/u, ''))) ?? [undefined];
  const known = parents.flatMap((parent) => (parent?.namespace === undefined ? [] : parent));
  return known.length === parents.length && text.replace(PARENTS, '').trim() === '' ? known : undefined;
}

/**
 * All that is needed for the package of a JAR, or what is missing.
 * @throws BAD_JAR for a pom that cannot be read, or a driver class that is not in the JAR
 */
export function draftOf(jar: PackedJar, wishes: PackWishes): PackDraft | readonly PackGap[] {
  const type = wishes.type ?? (wishes.driverClass === undefined ? typeOf(jar) : 'driver');
  const name = wishes.name ?? nameOf(jar);
  const version = wishes.version ?? versionOf(jar);
  const driverClass = type === 'driver' ? driverOf(jar, wishes) : undefined;
  const parents = type === undefined || type === 'app' ? [] : parentsOf(jar, wishes);
  const gaps: PackGap[] = [];
  const miss = (need: PackGap['need'], why: string, choices: readonly string[] = []): void => {
    gaps.push({ jar: jar.shown, need, why, choices });
  };
  if (type === undefined && jar.application === 'configured')
    miss(
      'type',
      'its application takes a configuration: app deploys it without one, artifact only uploads it',
      CONFIGURED,
    );
  else if (type === undefined) miss('type', 'no plugin, driver or application was found in it', TYPES);
  if (name === undefined) miss('name', 'its Maven project cannot be determined');
  if (version === undefined) miss('version', 'its manifest has no Bundle-Version');
  if (type === 'driver' && driverClass === undefined)
    miss('driverClass', `it registers ${jar.drivers.length === 0 ? 'none' : 'several'}`, jar.drivers);
  if ((type === 'plugin' || type === 'driver') && parents.length === 0)
    miss('parents', 'neither a config next to it nor the pom in it names them');
  if (type === undefined || name === undefined || version === undefined || gaps.length > 0) return gaps;
  return { jar, type, name, version, parents, driverClass };
}

const TYPES: readonly PackType[] = ['plugin', 'driver', 'app', 'artifact'];
const CONFIGURED: readonly PackType[] = ['app', 'artifact'];

function typeOf({ application, plugins, drivers, beside }: PackedJar): PackType | undefined {
  if (application !== 'none') return application === 'plain' ? 'app' : undefined;
  if (plugins.length > 0) return 'plugin';
  if (drivers.length > 0 || beside?.plugins.some(({ type }) => type === 'jdbc') === true) return 'driver';
  return beside === undefined ? undefined : 'plugin';
}

function nameOf({ project }: PackedJar): string | undefined {
  return project !== undefined && nameProblem(project.artifactId) === undefined ? project.artifactId : undefined;
}

function versionOf({ manifest, project }: PackedJar): string | undefined {
  return [manifest.get('bundle-version'), project?.version].find(
    (version) => version !== undefined && versionProblem(version) === undefined,
  );
}

function driverOf({ beside, drivers, hasClass, shown }: PackedJar, { driverClass }: PackWishes): string | undefined {
  const found = driverClass ?? beside?.plugins[0]?.className ?? (drivers.length === 1 ? drivers[0] : undefined);
  if (found !== undefined && !hasClass(found))
    throw new CliError('BAD_JAR', `${shown} does not contain the class ${found}`, { target: { file: shown } });
  return found;
}

function parentsOf(jar: PackedJar, { parents }: PackWishes): readonly Parent[] {
  if (parents.length > 0) return parents;
  const { beside, project, shown } = jar;
  if (beside !== undefined && beside.parents.length > 0) return beside.parents;
  if (project?.pom === undefined) return [];
  const found = pomParents(project.pom);
  if (found === undefined)
    throw new CliError('BAD_JAR', `${shown} is not a valid JAR: its pom.xml is not XML that can be read`, {
      target: { file: shown },
    });
  return found.flatMap((text) => parentsIn(text) ?? []);
}
