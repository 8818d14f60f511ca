import { compareVersions, parseVersion, type Version } from './version.js';

/** A range of versions as it is written in `cdapVersion` and `parents`. A bare version is an exact match. */
export interface Range {
  readonly text: string;
  readonly lower: Version;
  readonly lowerIncluded: boolean;
  readonly upper: Version;
  readonly upperIncluded: boolean;
}

const LONGEST = 600;

/**
 * Reads a range (docs/hub-format.md 4): `[1.0,2.0)` with spaces round the versions, or a bare version. Empty and
 * reversed ranges parse and match nothing.
 */
export function parseRange(text: string): Range | undefined {
  if (text.length > LONGEST) return undefined;
  const trimmed = text.trim();
  const bare = parseVersion(trimmed);
  if (bare !== undefined) return { text, lower: bare, lowerIncluded: true, upper: bare, upperIncluded: true };
  const [open, close] = [trimmed.at(0), trimmed.at(-1)];
  if ((open !== '[' && open !== '(') || (close !== ']' && close !== ')')) return undefined;
  const [first, second, third] = trimmed.slice(1, -1).split(',', 3);
  if (first === undefined || second === undefined || third !== undefined) return undefined;
  const [lower, upper] = [parseVersion(first.trim()), parseVersion(second.trim())];
  if (lower === undefined || upper === undefined) return undefined;
  return { text, lower, lowerIncluded: open === '[', upper, upperIncluded: close === ']' };
}

/** Where a version lies: `below`, `in` or `above` the range; in an empty range nothing is `in`. */
export function placeInRange(range: Range, version: Version): 'below' | 'in' | 'above' {
  const low = compareVersions(version, range.lower);
  if (low < 0 || (low === 0 && !range.lowerIncluded)) return 'below';
  const high = compareVersions(version, range.upper);
  return high > 0 || (high === 0 && !range.upperIncluded) ? 'above' : 'in';
}

/** Whether a version lies in a range, in the platform's order. */
export function rangeContains(range: Range, version: Version): boolean {
  return placeInRange(range, version) === 'in';
}

/** Whether a range matches no version: publishers hide packages that way. See docs/hub-format.md 0, fact 8. */
export function isEmptyRange(range: Range): boolean {
  const order = compareVersions(range.lower, range.upper);
  return order > 0 || (order === 0 && !(range.lowerIncluded && range.upperIncluded));
}

/** A range in words: `from 6.1.0 to below 7.0.0`, `exactly 4.1.0`, `no version`. */
export function describeRange(range: Range): string {
  if (isEmptyRange(range)) return 'no version';
  const [lower, upper] = [range.lower.text, range.upper.text];
  if (compareVersions(range.lower, range.upper) === 0) return `exactly ${lower}`;
  return `${range.lowerIncluded ? 'from' : 'above'} ${lower} to ${range.upperIncluded ? '' : 'below '}${upper}`;
}
