/** A version of an artifact, as the platform reads it (docs/platform.md 4.1). */
export interface ArtifactVersion {
  readonly version: string;
  readonly major: number;
  readonly minor?: number;
  readonly fix?: number;
  readonly suffix?: string;
}

/** A version range as it stands in `Artifact-Extends`, in an application's artifact and in queries. */
export interface VersionRange {
  readonly lower: ArtifactVersion;
  readonly upper: ArtifactVersion;
  readonly isLowerInclusive: boolean;
  readonly isUpperInclusive: boolean;
}

const VERSION = /^(\d+)(?:\.(\d+)(?:\.(\d+)([^.\-\d].*)?)?)?(?:[.-](.*))?$/su;
const RANGE = /^([[(])([^,]*),([^,]*)([\])])$/u;

/** Reads a version; `undefined` when the platform refuses it (`12c`, `v1`). */
export function parseVersion(source: string): ArtifactVersion | undefined {
  const match = VERSION.exec(source);
  if (match === null) return undefined;
  const [, major = '', minor, fix, direct, separated] = match;
  const suffix = direct ?? separated;
  return {
    version: source,
    major: Number(major),
    ...(minor === undefined ? {} : { minor: Number(minor) }),
    ...(fix === undefined ? {} : { fix: Number(fix) }),
    ...(suffix === undefined ? {} : { suffix }),
  };
}

/** Whether a version may be replaced: its suffix starts with SNAPSHOT, in any case. */
export function isSnapshot(version: ArtifactVersion): boolean {
  return /^snapshot/iu.test(version.suffix ?? '');
}

/** Compares versions: a missing number is below zero, a SNAPSHOT before its release, `-rc1` after it. */
export function compareVersions(a: ArtifactVersion, b: ArtifactVersion): number {
  return (
    a.major - b.major ||
    (a.minor ?? -1) - (b.minor ?? -1) ||
    (a.fix ?? -1) - (b.fix ?? -1) ||
    rank(a) - rank(b) ||
    textOrder(a.suffix ?? '', b.suffix ?? '')
  );
}

function rank(version: ArtifactVersion): number {
  if (version.suffix === undefined) return 1;
  const separated = /[.-]$/u.test(version.version.slice(0, version.version.length - version.suffix.length));
  return isSnapshot(version) || !separated ? 0 : 2;
}

function textOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The sentence that the platform has for a range or version it cannot read. */
export class VersionComplaint extends Error {}

/** Reads a range; throws the platform's own sentence. */
export function parseRange(source: string): VersionRange {
  const match = RANGE.exec(source);
  const lower = parseVersion((match?.[2] ?? '').trim());
  const upper = parseVersion((match?.[3] ?? '').trim());
  if (match === null || lower === undefined || upper === undefined) {
    throw new VersionComplaint(`Invalid version range ${source}.`);
  }
  const range = { lower, upper, isLowerInclusive: match[1] === '[', isUpperInclusive: match[4] === ']' };
  const order = compareVersions(lower, upper);
  if (order > 0) {
    const text = rangeText(range);
    throw new VersionComplaint(
      `Invalid version range ${text}. Lower version ${lower.version} is greater than upper version ${upper.version}.`,
    );
  }
  if (order === 0 && range.isLowerInclusive !== range.isUpperInclusive) {
    throw new VersionComplaint(`Invalid version range ${rangeText(range)}. It holds no version.`);
  }
  return range;
}

/** A range or a single version, as queries and applications may name it. */
export function parseWanted(source: string): VersionRange {
  if (/^[[(]/u.test(source)) return parseRange(source);
  const version = parseVersion(source);
  if (version === undefined) throw new VersionComplaint("Could not parse 'null' as an artifact version.");
  return { lower: version, upper: version, isLowerInclusive: true, isUpperInclusive: true };
}

/** The range as the platform prints it: without blanks. */
export function rangeText(range: VersionRange): string {
  const { lower, upper } = range;
  return `${range.isLowerInclusive ? '[' : '('}${lower.version},${upper.version}${range.isUpperInclusive ? ']' : ')'}`;
}

/** Whether a version lies in the range. */
export function inRange(version: ArtifactVersion, range: VersionRange): boolean {
  const low = compareVersions(version, range.lower);
  const high = compareVersions(version, range.upper);
  return (low > 0 || (low === 0 && range.isLowerInclusive)) && (high < 0 || (high === 0 && range.isUpperInclusive));
}
