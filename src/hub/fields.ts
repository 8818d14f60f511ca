import { isEmptyRange, parseRange } from '../core/version-range.js';

/** How much a finding matters: an entry left out, something that an install would refuse, or something to know. */
export type Severity = 'skipped' | 'warning' | 'note';

/** Takes what is found wrong or odd in a document of a hub; `code` is one of the table of errors, or `ODD` for a note. */
export type Report = (severity: Severity, code: string, message: string) => void;

/** A JSON object of somebody else, with every member it came with. */
export type RawObject = Readonly<Record<string, unknown>>;

/** What a catalog entry and a specification both say about a package (`specification.md` 2.1, 2.2). */
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
  /** The file that holds the licence. */
  readonly license: string | undefined;
  readonly licenseInfo: { readonly name: string | undefined; readonly url: string | undefined } | undefined;
}

const MILLISECONDS_ABOVE = 1e11;
const LAST_SECOND = 8.64e12;
const EXPECTED = ['label', 'description', 'author', 'org', 'created', 'categories'] as const;

/** Whether a JSON value is an object (no array, not null). */
export function isRawObject(value: unknown): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member as text; numbers become text with a note, anything else is a warning and counts as absent. */
export function textOf(raw: RawObject, member: string, report: Report): string | undefined {
  const value = raw[member];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') {
    report('note', 'ODD', `${member} is the number ${value}, read as text`);
    return String(value);
  }
  report('warning', 'BAD_FIELD', `${member} is not text`);
  return undefined;
}

function booleanOf(raw: RawObject, member: string, report: Report): boolean {
  const value = raw[member];
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  if (value === 'true' || value === 'false') return value === 'true';
  report('warning', 'BAD_FIELD', `${member} is neither true nor false`);
  return false;
}

function createdOf(raw: RawObject, report: Report): number | undefined {
  const value = raw['created'];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
    const seconds = Math.trunc(value > MILLISECONDS_ABOVE ? value / 1000 : value);
    if (seconds <= LAST_SECOND) return seconds;
  }
  report('warning', 'BAD_FIELD', 'created is not a time in seconds');
  return undefined;
}

function categoriesOf(raw: RawObject, report: Report): readonly string[] {
  const value = raw['categories'];
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts: string[] = [];
  for (const item of list) {
    if (typeof item === 'string' || typeof item === 'number') texts.push(String(item));
    else report('warning', 'BAD_FIELD', 'categories holds something that is not text');
  }
  if (list !== value) report('note', 'ODD', 'categories is one value, not a list');
  return texts;
}

function rangeOf(raw: RawObject, report: Report): string | undefined {
  const text = textOf(raw, 'cdapVersion', report);
  if (text === undefined) return undefined;
  const range = parseRange(text);
  if (range === undefined) report('warning', 'BAD_RANGE', `cdapVersion ${brief(text)} is no version range`);
  else if (isEmptyRange(range)) report('note', 'ODD', `cdapVersion ${brief(text)} matches no version`);
  return text;
}

/** A text from outside as it is quoted in a message: at most 60 characters. */
export function brief(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

/** Reads the common members of a catalog entry or a specification; nothing throws, what is wrong is reported. */
export function readPackageFields(raw: RawObject, report: Report): PackageFields {
  const absent = EXPECTED.filter((member) => raw[member] === undefined || raw[member] === null);
  if (absent.length > 0) report('note', 'ODD', `has no ${absent.join(', ')}`);
  const info = raw['licenseInfo'];
  const paidLink = textOf(raw, 'paidLink', report);
  return {
    label: textOf(raw, 'label', report),
    description: textOf(raw, 'description', report),
    author: textOf(raw, 'author', report),
    org: textOf(raw, 'org', report),
    cdapVersion: rangeOf(raw, report),
    created: createdOf(raw, report),
    categories: categoriesOf(raw, report),
    beta: booleanOf(raw, 'beta', report),
    preview: booleanOf(raw, 'preview', report),
    paid: booleanOf(raw, 'paid', report) || (paidLink !== undefined && paidLink !== ''),
    paidLink,
    license: textOf(raw, 'license', report),
    licenseInfo: isRawObject(info)
      ? { name: textOf(info, 'name', report), url: textOf(info, 'url', report) }
      : undefined,
  };
}
