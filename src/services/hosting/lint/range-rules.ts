import { isEmptyRange, parseRange, type Range } from '../../../core/version-range.js';
import type { TextEdit } from '../../../core/json/text.js';
import { compareVersions, isSnapshot, parseVersion, type Version } from '../../../core/version.js';
import { brief } from '../../../hub/fields.js';
import type { Found, Position } from './finding.js';
import { specOf, type LintedPackage, type Rule, type TreeCheck } from './rule.js';

/** Most faults that a rule of the whole tree keeps. */
export const MOST_FAULTS = 10_000;
/** Most versions of one package that are compared with each other. */
const MOST_COMPARED = 200;

interface Shown {
  readonly text: string;
  readonly range: Range | undefined;
  readonly at: Position;
}

/** The platform range of a package; undefined when there is none. */
export function shownOn({ specification }: LintedPackage): Shown | undefined {
  const text = specification?.json['cdapVersion'];
  if (typeof text !== 'string' || specification === undefined) return undefined;
  return { text, range: parseRange(text), at: specification.at(['cdapVersion']) };
}

/** The range where it is one version alone, on which the UI of the platform fails. */
function* oneVersion(one: LintedPackage): Generator<Found> {
  const value = one.specification?.json['cdapVersion'];
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const isOne = typeof value === 'number' || parseVersion(text) !== undefined;
  const message = `${text} is not a range, and the UI of the platform fails on it: use [${text},${text}]`;
  if (isOne) yield { file: specOf(one), at: one.specification?.at(['cdapVersion']), message };
}

/** A rule over the range of a package: what is wrong with it, if anything. */
const ofRange = (
  problem: (shown: Shown) => string | undefined,
  correct?: (one: LintedPackage, shown: Shown) => TextEdit | undefined,
): NonNullable<Rule['check']> =>
  function* check(one) {
    const shown = shownOn(one);
    const message = shown === undefined ? undefined : problem(shown);
    if (shown !== undefined && message !== undefined)
      yield { file: specOf(one), at: shown.at, message, fix: correct?.(one, shown) };
  };

function openToSnapshot({ text, range }: Shown): string | undefined {
  if (range === undefined || isEmptyRange(range) || range.upperIncluded || isSnapshot(range.upper)) return undefined;
  if (range.upper.suffix !== undefined) return undefined;
  return `${text} matches ${range.upper.text}-SNAPSHOT; end it with ${range.upper.text}-SNAPSHOT)`;
}

/** Ends a range with the snapshot of its upper bound, if it is written without escapes and blanks. */
function closedToSnapshot({ specification }: LintedPackage, { range }: Shown): TextEdit | undefined {
  const place = specification?.place(['cdapVersion']);
  if (specification === undefined || place === undefined || range === undefined) return undefined;
  const end = place.end - ')"'.length;
  const isPlain = specification.text.slice(place.start, place.end).endsWith(`${range.upper.text})"`);
  return isPlain ? { start: end, end, text: '-SNAPSHOT' } : undefined;
}

/** Whether a version is in both: from the larger lower to the smaller upper end. */
function overlaps(a: Range, b: Range): boolean {
  const [low, high] = [compareVersions(a.lower, b.lower), compareVersions(a.upper, b.upper)];
  const lower = low >= 0 ? a.lower : b.lower;
  const lowerIncluded = low === 0 ? a.lowerIncluded && b.lowerIncluded : (low > 0 ? a : b).lowerIncluded;
  const upper = high <= 0 ? a.upper : b.upper;
  const upperIncluded = high === 0 ? a.upperIncluded && b.upperIncluded : (high < 0 ? a : b).upperIncluded;
  return !isEmptyRange({ text: '', lower, lowerIncluded, upper, upperIncluded });
}

interface Sibling {
  readonly version: string;
  readonly file: string;
  readonly at: Position;
  readonly text: string;
}

/** Packages come by name, so only the versions of one are kept. */
function overlapping(): TreeCheck {
  const faults: Found[] = [];
  let name = '';
  let before: Sibling[] = [];
  const see = (one: LintedPackage): void => {
    if (one.name !== name) [name, before] = [one.name, []];
    const shown = shownOn(one);
    if (shown?.range === undefined || isEmptyRange(shown.range)) return;
    const { range } = shown;
    const others = before.filter(({ text }) => {
      const other = parseRange(text);
      // One range for several versions is on purpose: the highest is taken.
      return text !== shown.text && other !== undefined && overlaps(range, other);
    });
    const [other] = others;
    const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
    if (other !== undefined && faults.length < MOST_FAULTS)
      faults.push({
        file: specOf(one),
        at: shown.at,
        message: `${shown.text} overlaps ${other.version} of the same package: ${other.text}${more}`,
      });
    if (before.length < MOST_COMPARED)
      before.push({ version: one.version, file: specOf(one), at: shown.at, text: shown.text });
  };
  return { see, end: () => faults };
}

const release = (version: Version, fix: number): Version | undefined =>
  parseVersion(`${version.major}.${version.minor ?? 0}.${fix}`);

/** The releases at which a range begins, and behind which it ends. */
export const borders = ({ lower, lowerIncluded, upper, upperIncluded }: Range): readonly Version[] =>
  [
    release(lower, (lower.fix ?? 0) + (lowerIncluded ? 0 : 1)),
    release(upper, (upper.fix ?? 0) + (upperIncluded ? 1 : 0)),
  ].filter((version) => version !== undefined);

/** Rules for the platform range of packages. */
export const RANGE_RULES: readonly Rule[] = [
  {
    id: 'RANGE_BAD',
    severity: 'error',
    summary: 'cdapVersion is not a version range',
    check: ofRange(({ text, range }) => (range === undefined ? `${brief(text)} is not a version range` : undefined)),
  },
  {
    id: 'RANGE_FORM',
    severity: 'error',
    summary: 'cdapVersion is one version instead of a range, on which the UI of the platform fails',
    check: oneVersion,
  },
  {
    id: 'RANGE_EMPTY',
    severity: 'warning',
    summary: 'cdapVersion matches no platform, which hides the package',
    check: ofRange(({ text, range }) =>
      range !== undefined && isEmptyRange(range) ? `${text} matches no platform, which hides the package` : undefined,
    ),
  },
  {
    id: 'RANGE_MISSING',
    severity: 'warning',
    summary: 'cdapVersion is missing: the package is shown everywhere, but never installed automatically',
    check: (one) =>
      one.specification !== undefined &&
      one.specification.problem === undefined &&
      one.specification.json['cdapVersion'] === undefined
        ? [{ file: specOf(one), message: 'cdapVersion is missing; the package is shown on every platform' }]
        : [],
  },
  {
    id: 'RANGE_SNAPSHOT',
    severity: 'warning',
    summary: 'the upper bound of cdapVersion includes the next snapshot',
    check: ofRange(openToSnapshot, closedToSnapshot),
  },
  {
    id: 'RANGE_OVERLAP',
    severity: 'warning',
    summary: 'two versions of a package with different ranges are shown on the same platform',
    across: overlapping,
  },
];
