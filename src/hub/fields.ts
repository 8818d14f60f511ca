import type { ErrorCode } from '../core/errors.js';
import { isEmptyRange, parseRange } from '../core/version-range.js';

/** The severity of a finding: an entry left out, something an install would refuse, or a note. */
export type Severity = 'skipped' | 'warning' | 'note';

/** What a finding is: one of the table of errors, or `ODD` for a note. */
export type ProblemCode = ErrorCode | 'ODD';

/** Takes what is found wrong or odd in a document of a hub. */
export type Report = (severity: Severity, code: ProblemCode, message: string) => void;

/** A JSON object of somebody else, with every member it came with. */
export type RawObject = Readonly<Record<string, unknown>>;

/** What a catalog entry and a specification both say about a package (docs/hub-format.md 5.1, 5.2). */
export interface PackageFields {
  readonly label: string | undefined;
  readonly description: string | undefined;
  readonly author: string | undefined;
  readonly org: string | undefined;
  readonly cdapVersion: string | undefined;
  /** Seconds since the epoch. */
  readonly created: number | undefined;
  readonly categories: readonly string[];
  readonly beta: boolean;
  readonly preview: boolean;
  readonly paid: boolean;
  readonly paidLink: string | undefined;
  /** The file that holds the license. */
  readonly license: string | undefined;
  readonly licenseInfo: { readonly name: string | undefined; readonly url: string | undefined } | undefined;
}

const MILLISECONDS_ABOVE = 1e11;
const LAST_SECOND = 8.64e12;
const EXPECTED = ['label', 'description', 'author', 'org', 'created', 'categories'];

/** Whether a JSON value is an object (no array, not null). */
export function isRawObject(value: unknown): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** A member's value as text. Numbers become text with a note, anything else is a warning and counts as absent. */
export function textOf(value: unknown, member: string, report: Report): string | undefined {
  if (typeof value === 'string') return value;
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number') {
    report('note', 'ODD', `${member} is the number ${value}, used as text`);
    return String(value);
  }
  report('warning', 'BAD_FIELD', `${member} is not text`);
  return undefined;
}

function booleanOf(value: unknown, member: string, report: Report): boolean {
  if (isAbsent(value) || typeof value === 'boolean') return value === true;
  if (value === 'true' || value === 'false') return value === 'true';
  report('warning', 'BAD_FIELD', `${member} is neither true nor false`);
  return false;
}

function createdOf(value: unknown, report: Report): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
    const seconds = Math.trunc(value > MILLISECONDS_ABOVE ? value / 1000 : value);
    if (seconds <= LAST_SECOND) return seconds;
  }
  report('warning', 'BAD_FIELD', 'created is not a time in seconds');
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function categoriesOf(value: unknown, report: Report): readonly string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) report('note', 'ODD', 'categories is one value, not a list');
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every(isText)) return list;
  return list.flatMap((item) => textOf(item, 'a category', report) ?? []);
}

function rangeOf(value: unknown, judge: RangeJudge, report: Report): string | undefined {
  const text = textOf(value, 'cdapVersion', report);
  if (text === undefined) return undefined;
  const verdict = judge(text);
  if (verdict === 'bad') report('warning', 'BAD_RANGE', `cdapVersion ${brief(text)} is not a version range`);
  if (verdict === 'empty') report('note', 'ODD', `cdapVersion ${brief(text)} matches no version`);
  return text;
}

type RangeJudge = (text: string) => 'good' | 'empty' | 'bad';

function judgeRange(text: string): 'good' | 'empty' | 'bad' {
  const range = parseRange(text);
  if (range === undefined) return 'bad';
  return isEmptyRange(range) ? 'empty' : 'good';
}

/**
 * Makes a range judge that caches its verdicts, as hundreds of packages share some ninety ranges. See
 * docs/hub-format.md 6.2.
 */
export function rememberingJudge(): RangeJudge {
  const known = new Map<string, ReturnType<RangeJudge>>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const verdict = judgeRange(text);
    known.set(text, verdict);
    return verdict;
  };
}

/** A text from outside as it is quoted in a message: at most 60 characters. */
export function brief(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

/** Reads the common members of a catalog entry or a specification. Nothing throws, what is wrong is reported. */
export function readPackageFields(raw: RawObject, report: Report, judge: RangeJudge = judgeRange): PackageFields {
  // Written out: a look at a member whose name is not known to V8 beforehand takes several times as long.
  if (
    isAbsent(raw['label']) ||
    isAbsent(raw['description']) ||
    isAbsent(raw['author']) ||
    isAbsent(raw['org']) ||
    isAbsent(raw['created']) ||
    isAbsent(raw['categories'])
  )
    report('note', 'ODD', `has no ${EXPECTED.filter((member) => isAbsent(raw[member])).join(', ')}`);
  const info = raw['licenseInfo'];
  const paidLink = textOf(raw['paidLink'], 'paidLink', report);
  return {
    label: textOf(raw['label'], 'label', report),
    description: textOf(raw['description'], 'description', report),
    author: textOf(raw['author'], 'author', report),
    org: textOf(raw['org'], 'org', report),
    cdapVersion: rangeOf(raw['cdapVersion'], judge, report),
    created: createdOf(raw['created'], report),
    categories: categoriesOf(raw['categories'], report),
    beta: booleanOf(raw['beta'], 'beta', report),
    preview: booleanOf(raw['preview'], 'preview', report),
    paid: booleanOf(raw['paid'], 'paid', report) || (paidLink !== undefined && paidLink !== ''),
    paidLink,
    license: textOf(raw['license'], 'license', report),
    licenseInfo: isRawObject(info)
      ? {
          name: textOf(info['name'], 'the name of licenseInfo', report),
          url: textOf(info['url'], 'the url of licenseInfo', report),
        }
      : undefined,
  };
}
