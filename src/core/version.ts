/** A version as the platform reads it: up to three numbers and a suffix, with the text it came from. */
export interface Version {
  readonly text: string;
  readonly major: number;
  /** Absent numbers are undefined; they are below 0 in the order. */
  readonly minor: number | undefined;
  readonly fix: number | undefined;
  readonly suffix: string | undefined;
}

const LONGEST = 255;
const NUMBERS = /^(\d{1,15})(?:\.(\d{1,15})(?:\.(\d{1,15}))?)?/u;
const SUFFIX = /^[^\s,;()[\]]+$/u;

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/**
 * Parses an artifact or platform version; undefined when the platform would refuse it. `11`, `6.0.jre7` and `0.14.4.3`
 * are versions, `12c` is not (docs/hub-format.md 4).
 */
export function parseVersion(text: string): Version | undefined {
  if (text.length > LONGEST) return undefined;
  const match = NUMBERS.exec(text);
  if (match === null) return undefined;
  const [head, major, minor, fix] = match;
  const version = { text, major: Number(major), minor: number(minor), fix: number(fix) };
  const rest = text.slice(head.length);
  if (rest === '') return { ...version, suffix: undefined };
  // a suffix directly behind a number is taken by the platform behind the third one only (docs/platform.md 4.1: 1.0.0_x yes, 12c no)
  const suffix = /^[.-]/u.test(rest) ? rest.slice(1) : fix !== undefined && /^\D/u.test(rest) ? rest : '';
  return SUFFIX.test(suffix) ? { ...version, suffix } : undefined;
}

/**
 * Whether a version is a snapshot: its suffix starts with "snapshot", in any case. Such an artifact can be overwritten.
 */
export function isSnapshot(version: Version): boolean {
  return version.suffix !== undefined && /^snapshot/iu.test(version.suffix);
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * The platform's order (docs/hub-format.md 4): three numbers, absent below 0. A snapshot below every other; then
 * suffixes as text, none lowest.
 */
export function compareVersions(a: Version, b: Version): number {
  const numbers = a.major - b.major || (a.minor ?? -1) - (b.minor ?? -1) || (a.fix ?? -1) - (b.fix ?? -1);
  if (numbers !== 0) return Math.sign(numbers);
  return Number(isSnapshot(b)) - Number(isSnapshot(a)) || compareTexts(a.suffix ?? '', b.suffix ?? '');
}

/**
 * Compares version texts of a hub in the platform's order. Texts that are not versions (`12c`) come before all
 * versions, in text order.
 */
export function compareVersionTexts(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) {
    return left === right ? compareTexts(a, b) : left === undefined ? -1 : 1;
  }
  return compareVersions(left, right) || compareTexts(a, b);
}
