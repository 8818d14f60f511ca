import { CliError } from '../../../core/errors.js';
import { saveReport } from '../../../platform/reports.js';
import { sendOnce } from '../../writing/send.js';
import type { WaitDeps } from '../service/service-ready.js';
import type { PlatformReports } from './platform-source.js';
import { failedReport, goneReport } from './wait.js';
import type { ReportDetail } from '../source/source.js';

/** What a report is called from now on. */
export interface SavedAs {
  readonly name: string;
  readonly description: string | undefined;
}

/**
 * Whether a report of the platform was saved: only then it is COMPLETED without an expiry. See docs/platform.md 1.6.
 */
export function isSaved({ engine, status, expiry }: Pick<ReportDetail, 'engine' | 'status' | 'expiry'>): boolean {
  return engine === 'platform' && status === 'COMPLETED' && expiry === undefined;
}

/**
 * Names and describes a report, which works once, and reads it back. Its data expire all the same. `stop` ends it
 * before it is sent, not after.
 * @throws RUNNING, REPORT_FAILED, NOT_FOUND, CONFLICT when it was saved before, BAD_ANSWER when it is not saved after
 */
export async function saveOnce(
  reports: PlatformReports,
  id: string,
  as: SavedAs,
  { clock, emit }: WaitDeps,
  stop: AbortSignal,
): Promise<ReportDetail> {
  const look = async (signal: AbortSignal): Promise<ReportDetail> => {
    const report = await reports.get({ id }, signal);
    if (report === undefined) throw goneReport({ id });
    return report;
  };
  refuse(await look(stop), id);
  stop.throwIfAborted();
  // Never aborts: what is sent gets its answer, or is looked for (docs/faults.md L26).
  const { signal } = new AbortController();
  const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, signal);
  await sendOnce(
    `saving the report ${id}`,
    { signal, clock, wait, emit, warnAs: 'RETRY' },
    () => reports.service.call(saveReport, { id, ...as }, signal),
    async () => isSavedAs(await look(signal), as),
  );
  const saved = await look(signal);
  if (isSavedAs(saved, as)) return saved;
  throw new CliError('BAD_ANSWER', `the platform saved the report ${id}, but does not return it as saved`, {
    hints: [{ next: 'show-report', report: id }],
  });
}

function isSavedAs(report: ReportDetail, { name, description }: SavedAs): boolean {
  return isSaved(report) && report.name === name && report.description === description;
}

function refuse(report: ReportDetail, id: string): void {
  if (report.status === 'FAILED') throw failedReport(report, { id });
  if (report.status === 'RUNNING')
    throw new CliError('RUNNING', `the report ${id} is still being generated; it can be saved when it is COMPLETED`, {
      hints: [{ next: 'wait-for-report', report: id }],
    });
  if (!isSaved(report)) return;
  const name = report.name === undefined ? '' : ` as ${JSON.stringify(report.name)}`;
  throw new CliError('CONFLICT', `the report ${id} is already saved${name}; a report can be saved only once`, {
    hints: [{ next: 'download-report', report: id }],
  });
}

/**
 * Warns that saving does not extend the expiry: the data still expire at that date. See docs/platform.md 1.9.
 * `timeText` formats the date.
 */
export function expiryWarning({ summary }: Pick<ReportDetail, 'summary'>, timeText: (time: Date) => string): string {
  const at = summary?.expirationTimeMillis;
  const when = at === undefined ? 'its expiry' : timeText(new Date(Math.floor(at / 1000) * 1000));
  return `saving does not extend the expiry: the platform deletes the report at ${when}; to keep it, download it`;
}
