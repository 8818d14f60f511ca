import { CliError } from '../../../core/errors.js';
import { formatDuration } from '../../../core/duration.js';
import type { WaitDeps } from '../service/service-ready.js';
import { commandWord, reportWords } from '../source/report-label.js';
import type { ReportDetail, ReportRef, ReportSource } from '../source/source.js';

/** How long a report is waited for and how often it is looked at, in milliseconds. */
export interface Patience {
  readonly timeout: number;
  readonly interval: number;
}

/** Ten minutes, every two seconds: with few runs a report takes half a minute (docs/platform.md 1.4). */
export const PATIENCE: Patience = { timeout: 600_000, interval: 2000 };

/**
 * Waits until a report is COMPLETED.
 * @throws REPORT_FAILED, NOT_FOUND when it is gone, STILL_RUNNING when the time is over: the platform goes on then
 */
export async function waitForReport(
  { source, ref }: { readonly source: ReportSource; readonly ref: ReportRef },
  { timeout, interval }: Patience,
  { clock, emit }: WaitDeps,
  signal: AbortSignal,
): Promise<ReportDetail> {
  const from = clock.monotonic();
  for (let isFirst = true; ; isFirst = false) {
    const report = await source.get(ref, signal);
    if (report === undefined) throw goneReport(ref);
    if (report.status === 'FAILED') throw failedReport(report, ref);
    if (report.status === 'COMPLETED') return report;
    const rest = from + timeout - clock.monotonic();
    if (rest <= 0) throw stillRunning(ref, timeout);
    if (isFirst) emit({ type: 'state', what: stateWords(report, ref), state: 'RUNNING' });
    await clock.sleep(Math.min(interval, rest), signal);
  }
}

/** A report in a line of progress: the beginning of its id and its name. */
export function stateWords({ name }: Pick<ReportDetail, 'name'>, ref: ReportRef): string {
  const id = 'id' in ref ? shortId(ref.id) : 'share';
  return `report ${id}${name === undefined || name === '' ? '' : `  "${name}"`}`;
}

/** The part of an id that lists show, which names the report as long as no other begins so. */
export function shortId(id: string): string {
  return id.slice(0, id.startsWith('local-') ? 14 : 8);
}

/**
 * The error of a report that the platform could not make. Its first line only, as the rest is a trace (docs/platform.md
 * 1.7).
 */
export function failedReport({ error = '' }: Pick<ReportDetail, 'error'>, ref: ReportRef): CliError {
  const [first = ''] = error.split('\n');
  return new CliError('REPORT_FAILED', `${reportWords(ref)} has FAILED`, {
    ...(first !== '' && { serverSaid: first }),
    hints: [
      { next: 'show-report', report: commandWord(ref) },
      { next: 'make-report-again', report: commandWord(ref) },
    ],
    target: { report: commandWord(ref) },
  });
}

/** The error of a report that is not there. */
export function goneReport(ref: ReportRef): CliError {
  return new CliError('NOT_FOUND', `${reportWords(ref)} not found or expired`, {
    hints: [{ next: 'list-reports' }],
    target: { report: commandWord(ref) },
  });
}

function stillRunning(ref: ReportRef, timeout: number): CliError {
  const word = commandWord(ref);
  const message = `${reportWords(ref)} is not finished after ${formatDuration(timeout)}; the platform continues`;
  return new CliError('STILL_RUNNING', message, {
    hints: [{ next: 'wait-for-report', report: word }],
    target: { report: word },
  });
}
