import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import { commandWord, reportWords } from '../source/report-label.js';
import type { ReportRef } from '../source/source.js';
import { failedReport } from './wait.js';

/** How often a page that was cut off is asked for again. */
const CUTS = 4;

/** Milliseconds between two looks at a service that wakes up, and how often (docs/platform.md 1.1). */
const NAP = 2000;
const NAPS = 15;

/** A page that could not be had. */
export interface FailedPage {
  readonly ref: ReportRef;
  /** How many records were asked for. */
  readonly limit: number;
  /** Failures of this page so far, 1 or more. */
  readonly failures: number;
  readonly clock: Clock | undefined;
  readonly signal: AbortSignal;
}

/** Whether the service no longer has the report, or never had it. */
export function isExpired(error: unknown): error is CliError {
  return error instanceof CliError && error.code === 'NOT_FOUND';
}

/** RUNNING: the report has no records yet. */
export function stillMade(ref: ReportRef): CliError {
  return new CliError('RUNNING', `${reportWords(ref)} is still being generated`, {
    hints: [{ next: 'wait-for-report', report: commandWord(ref) }, { next: 'wait-here' }],
    target: { report: commandWord(ref) },
  });
}

/**
 * Decides how to go on after a page failed: the limit for the next try, after a wait if it helps. Throws when no retry
 * helps.
 */
export async function afterFailure(error: unknown, failed: FailedPage): Promise<number> {
  const { ref, limit, failures, clock, signal } = failed;
  signal.throwIfAborted();
  if (!(error instanceof CliError)) throw error;
  const { request, serverSaid = '' } = error.details;
  const most = Number(/^limit must cannot be larger than (\d{1,9})$/u.exec(serverSaid)?.[1] ?? 0);
  if (request?.status === 400 && most > 0 && most < limit) return most;
  if (error.code === 'TOO_LARGE' && limit > 1) return Math.ceil(limit / 2);
  if (request?.status === 400 && serverSaid.includes('with failed status is not allowed')) throw failedReport({}, ref);
  if (isCut(error) && failures < CUTS) return limit;
  if (error.code !== 'UNAVAILABLE' || request?.status !== 503) throw error;
  if (clock === undefined || failures > NAPS) throw serviceAway(error);
  await clock.sleep(NAP, signal);
  return limit;
}

/** Whether an answer began but did not end: the transport does not retry such a body. See docs/faults.md N08. */
function isCut({ code, details }: CliError): boolean {
  return (code === 'NET_SHORT' || code === 'NET_RESET') && details.request?.status !== undefined;
}

function serviceAway({ code, message, details }: CliError): CliError {
  return new CliError(code, message, { ...details, hints: [{ next: 'report-service' }] });
}
