import { CliError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import { brokenPages, recordsIn } from './platform/page-order.js';
import { stillMade } from './platform/page-errors.js';
import type { RecordPage } from './source/record.js';
import { reportWords } from './source/report-words.js';
import type { RecordRange, ReportDetail, ReportRef, ReportSource } from './source/source.js';
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

/**
 * The records of a report, or a part of them, counted.
 * @throws SHORT or PAGING when fewer or more records come than the report announced
 */
export async function* allRecords(
  { source, ref, total }: ReadyReport,
  range: RecordRange,
  emit: Emit,
  signal: AbortSignal,
): AsyncGenerator<RecordPage, void, void> {
  const of = recordsIn(range, total);
  if (of === 0 && total > 0) return;
  let done = 0;
  const broken = (code: 'PAGING' | 'SHORT', what: string): CliError =>
    brokenPages(code, { range, name: reportWords(ref), hints: [{ next: 'list-reports' }] }, total, done, what);
  for await (const page of source.pages(ref, range, signal)) {
    if (page.total > total)
      throw broken('PAGING', `its summary has ${total} records, but its pages have ${page.total}`);
    done += page.records.length;
    emit({ type: 'count', what: `records of ${reportWords(ref)}`, done, of, failed: 0 });
    yield page;
  }
  if (done < of) throw broken('SHORT', 'the pages ended too early');
}
