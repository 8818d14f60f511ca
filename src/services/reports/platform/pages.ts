import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import { joinSignals } from '../../../core/join-signals.js';
import type { Platform } from '../../../platform/client.js';
import { getReportPage, type ReportPage } from '../../../platform/report-pages.js';
import { followPage, type AskedRecords, type PageProgress } from './page-order.js';
import { afterFailure, isExpired, stillMade } from './page-errors.js';
import type { RecordPage } from '../source/record.js';
import { commandWord, reportWords } from '../source/report-label.js';
import type { RecordRange, ReportRef } from '../source/source.js';

/**
 * A quarter of a report service's largest page, so that a download of any length stays below 150 MB. See
 * docs/platform.md 1.3.
 */
const LARGEST_PAGE = 2500;

/** Where a page begins and how many records it may have. */
interface Place {
  readonly offset: number;
  readonly limit: number;
}

/** A page, and the place that it was asked for at. */
interface FetchedPage extends Place {
  readonly page: ReportPage;
}

/**
 * The records of a report of the platform, page by page as the reader asks for them, one page ahead. Pages that are cut
 * off are asked for again; with a clock a service that wakes up is waited for about a minute.
 * @throws NOT_FOUND, RUNNING, REPORT_FAILED; PAGING or SHORT when the pages do not fit together
 */
export async function* reportPages(
  platform: Platform,
  ref: ReportRef,
  range: RecordRange,
  signal: AbortSignal,
  clock?: Clock,
): AsyncGenerator<RecordPage, void, void> {
  const asked = askedFor(ref, range);
  const reading = joinSignals(signal);
  const fetch = fetching(platform, ref, { signal: reading.signal, clock });
  let progress: PageProgress | undefined;
  try {
    let coming = ahead(fetch({ offset: range.offset, limit: range.limit ?? LARGEST_PAGE }, progress));
    for (;;) {
      const { page: answer, offset, limit } = await coming;
      const { total, details: records } = answer;
      const page = { offset: answer.offset, total, records };
      // A service may answer with fewer than asked for, when it says so.
      const served = answer.limit !== undefined && answer.limit > 0 ? Math.min(limit, answer.limit) : limit;
      const { short, ...now } = followPage(asked, progress, page, { offset, served });
      progress = now;
      const rest = short === undefined ? now.rest : 0;
      if (rest > 0) {
        coming = ahead(fetch({ offset: offset + records.length, limit: rest }, progress));
        // A request leaves only when the event loop turns.
        await nextTurn();
      }
      yield page;
      if (short !== undefined) throw short;
      if (rest <= 0) return;
    }
  } finally {
    reading.abort();
    reading.release();
  }
}

function askedFor(ref: ReportRef, range: RecordRange): AskedRecords {
  const name = commandWord(ref);
  return { range, name: reportWords(ref), hints: [{ next: 'make-report-again', report: name, download: true }] };
}

/** A failure is told to whoever waits for the page, not to the process. */
function ahead<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Asks for pages; what the service said about its largest page holds for all later ones. */
function fetching(
  platform: Platform,
  ref: ReportRef,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock | undefined },
): (place: Place, progress: PageProgress | undefined) => Promise<FetchedPage> {
  let largest = LARGEST_PAGE;
  return async (place, progress) => {
    for (let failures = 0; ;) {
      const { offset } = place;
      const limit = Math.min(place.limit, largest);
      try {
        const page = await platform.call(getReportPage, { id: ref, offset, limit }, signal);
        if (page === 'running') throw stillMade(ref);
        return { page, offset, limit };
      } catch (error) {
        if (isExpired(error)) throw expired(ref, error, progress);
        failures += 1;
        largest = await afterFailure(error, { ref, limit, failures, clock, signal });
      }
    }
  };
}

function expired(ref: ReportRef, cause: CliError, progress: PageProgress | undefined): CliError {
  const { request, serverSaid } = cause.details;
  const came =
    progress === undefined ? '' : ` while it was read: got ${progress.got} of ${progress.got + progress.rest}`;
  const what = progress === undefined ? 'not found or expired' : `has expired or was deleted${came}`;
  return new CliError('NOT_FOUND', `${reportWords(ref)} ${what}`, {
    request,
    serverSaid,
    hints: [{ next: 'list-reports' }, 'generate it again; reports are kept for 48 hours by default, even if saved'],
  });
}
