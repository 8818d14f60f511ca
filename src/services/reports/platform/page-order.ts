import { CliError } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import type { RecordPage } from '../source/record.js';
import type { RecordRange } from '../source/source.js';
import { seenRuns } from './seen-runs.js';

/** What was asked for of a report, and how it is called in messages. */
export interface AskedRecords {
  readonly range: RecordRange;
  readonly name: string;
  /** What makes the report anew. */
  readonly hints: readonly Hint[];
}

/** What a page was asked for; `served` is the most that the service gives. */
export interface WantedPage {
  readonly offset: number;
  readonly served: number;
}

/** How far the pages of a report have come. */
export interface PageProgress {
  readonly total: number;
  /** Records that have come. */
  readonly got: number;
  /** Records that are still to come. */
  readonly rest: number;
  /** Whether a run came before. */
  readonly seen: (run: string) => boolean;
}

/** How many records a range of a report of `total` has. */
export function recordsIn({ offset, limit }: RecordRange, total: number): number {
  return Math.min(limit ?? Infinity, Math.max(0, total - offset));
}

/**
 * The next page judged by the ones before it. `short` when records are missing although this one can still be used
 * (docs/faults.md P30).
 * @throws PAGING when they do not fit together (docs/faults.md P29)
 */
export function followPage(
  asked: AskedRecords,
  before: PageProgress | undefined,
  page: RecordPage,
  wanted: WantedPage,
): PageProgress & { readonly short?: CliError } {
  const total = before?.total ?? page.total;
  const [came, length] = [before?.got ?? 0, page.records.length];
  const expected = Math.min(wanted.served, Math.max(0, total - wanted.offset));
  const seen = before?.seen ?? seenRuns();
  const misfit = misfitOf(page, before, { ...wanted, total, expected }) ?? repeatIn(page, seen);
  if (misfit !== undefined) throw brokenPages('PAGING', asked, total, came, misfit);
  const got = came + length;
  const progress = { total, got, rest: recordsIn(asked.range, total) - got, seen };
  const missing =
    page.total < total
      ? `it first had ${total} records and now has ${page.total}`
      : length < expected
        ? `the page at record ${page.offset} has ${length} records instead of ${expected}`
        : undefined;
  return missing === undefined ? progress : { ...progress, short: brokenPages('SHORT', asked, total, got, missing) };
}

/** What shows that a page is not the one that was asked for. */
function misfitOf(
  { offset, total, records }: RecordPage,
  before: PageProgress | undefined,
  wanted: WantedPage & { readonly total: number; readonly expected: number },
): string | undefined {
  if (offset !== wanted.offset)
    return `requested the page at record ${wanted.offset}, but received the page at ${offset}`;
  if (total > wanted.total) return `it first had ${wanted.total} records and now has ${total}`;
  if (records.length > wanted.expected) return `a page has ${records.length} records instead of ${wanted.expected}`;
  return records.length === 0 && wanted.expected > 0 && before !== undefined
    ? `the page at record ${offset} is empty`
    : undefined;
}

/** An error that tells how many of the records came: `got 90 of 100`. */
export function brokenPages(
  code: 'PAGING' | 'SHORT',
  { name, range, hints }: AskedRecords,
  total: number,
  got: number,
  what: string,
): CliError {
  return new CliError(code, `the records of ${name} are incomplete: got ${got} of ${recordsIn(range, total)}`, {
    lines: [what],
    hints,
    target: { got: String(got), of: String(recordsIn(range, total)) },
  });
}

/** A run stands once in a report: one that comes again has the place of another. */
function repeatIn({ offset, records }: RecordPage, seen: (run: string) => boolean): string | undefined {
  for (const { run } of records)
    if (typeof run === 'string' && seen(run)) return `the page at record ${offset} repeats the run ${run}`;
  return undefined;
}
