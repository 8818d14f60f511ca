import { CliError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import type { ReadyReport } from './download.js';
import { brokenPages, recordsIn } from './platform/page-order.js';
import type { RecordPage } from './source/record.js';
import { reportWords } from './source/report-label.js';
import type { RecordRange } from './source/source.js';

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
