import { stillMade } from './platform/page-errors.js';
import type { ReportDetail, ReportRef, ReportSource } from './source/source.js';
import { failedReport, goneReport } from './platform/wait.js';

/** A report whose records can be read. */
export interface ReadyReport {
  readonly source: ReportSource;
  readonly ref: ReportRef;
  readonly detail: ReportDetail;
  /** Records of the whole report. */
  readonly total: number;
}

/**
 * A report that is COMPLETED.
 * @throws NOT_FOUND, RUNNING (6) with the command that waits, or REPORT_FAILED with the first line of its error
 * (docs/faults.md P26, P28)
 */
export async function readyReport(source: ReportSource, ref: ReportRef, signal: AbortSignal): Promise<ReadyReport> {
  const detail = await source.get(ref, signal);
  if (detail === undefined) throw goneReport(ref);
  return readyOf(source, ref, detail);
}

/** As `readyReport`, of a report that was just looked at. */
export function readyOf(source: ReportSource, ref: ReportRef, detail: ReportDetail): ReadyReport {
  const { status, summary } = detail;
  if (status === 'RUNNING') throw stillMade(ref);
  if (status === 'FAILED' || summary === undefined) throw failedReport(detail, ref);
  return { source, ref, detail, total: summary.recordCount };
}
