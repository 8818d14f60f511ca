import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { RenderOptions } from '../../output/view-types.js';
import type { ReportFile } from '../../output/views/report/download.js';
import {
  checkRecordColumns,
  recordColumns,
  reportRecords,
  type ReportRecords,
} from '../../output/views/report/records.js';
import { allRecords } from '../../services/reports/all-records.js';
import type { ReadyReport } from '../../services/reports/download.js';
import { recordsIn } from '../../services/reports/platform/page-order.js';
import { openRecords, type ResumeRule } from '../../services/reports/save-records.js';
import type { RecordPage } from '../../services/reports/source/record.js';
import type { RecordRange } from '../../services/reports/source/source.js';
import { isPipelineRun } from '../../services/dashboard/item.js';
import { tellFailedRun, type FailedRun } from '../failed-run.js';
import type { Delivery } from './delivery.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { writeAsItComes } from './write-text.js';

/** The terminal that records are written to, and the folder of their temporary files. */
export interface DeliverDeps {
  readonly session: Pick<Session, 'argv' | 'env' | 'terminal'>;
  readonly context: Pick<CommandContext, 'emit' | 'scratch'>;
}

/** A file that records were written to, and the first failed run among them. */
interface DeliveredFile extends Seen {
  readonly file: ReportFile;
}

/** Writes the records of a report to stdout, or to the file, which it answers then. */
export async function deliver(
  ready: ReadyReport,
  delivery: Delivery,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<DeliveredFile | undefined> {
  const { options, file } = delivery;
  checkRecordColumns(ready.detail.request.fields, options);
  if (file !== undefined) return deliverFile(file, ready, delivery, deps, signal);
  const seen: Seen = {};
  const texts = textFrom(0, ready, delivery, deps, signal, seen);
  await (options.format === 'json' ? writeWhole(texts, deps, signal) : writeAsItComes(texts, deps.session.terminal));
  tellFailedRun(seen.failed, deps.session);
  return undefined;
}

/** What is noted of records as they pass. */
interface Seen {
  failed?: FailedRun;
}

/** Notes the first run of a pipeline that failed, where the report has the columns to name it. */
async function* noting(pages: AsyncIterable<RecordPage>, seen: Seen): AsyncGenerator<RecordPage> {
  for await (const page of pages) {
    if (seen.failed === undefined) {
      const record = page.records.find(
        (one) => one['status'] === 'FAILED' && isPipelineRun({ program: String(one['program']) }),
      );
      const { namespace, applicationName: pipeline, run } = record ?? {};
      if (typeof namespace === 'string' && typeof pipeline === 'string' && typeof run === 'string')
        seen.failed = { namespace, pipeline, run };
    }
    yield page;
  }
}

/** The text of a report from a record on. */
function textFrom(
  record: number,
  ready: ReadyReport,
  { range, options }: Delivery,
  { context }: DeliverDeps,
  signal: AbortSignal,
  seen: Seen,
): AsyncIterable<string> {
  const records: ReportRecords = {
    pages: noting(allRecords(ready, restOf(range, record), context.emit, signal), seen),
    fields: ready.detail.request.fields,
    range,
    total: ready.total,
    namespaces: ready.detail.summary?.namespaces.length,
    before: record,
  };
  return reportRecords.render(records, record === 0 ? options : { ...options, header: false });
}

async function deliverFile(
  file: string,
  ready: ReadyReport,
  delivery: Delivery,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<DeliveredFile> {
  const { existing, resume, keepPartial, range, options, goOn } = delivery;
  const rule = resume ? ruleOf(ready, range, options) : undefined;
  const saving = { path: file, overwrite: existing === 'replace', resume: rule, keepPartial, goOn };
  const records = await openRecords(saving, signal);
  const seen: Seen = {};
  const { bytes, resumed } = await records.write(textFrom(records.resumed, ready, delivery, deps, signal, seen));
  const written: ReportFile = {
    file,
    state: resumed > 0 ? 'resumed' : 'downloaded',
    format: options.format,
    report: ready.detail.id,
    records: recordsIn(range, ready.total),
    columns: options.fields ?? recordColumns(ready.detail.request.fields, options.format),
    bytes,
  };
  return { ...seen, file: written };
}

/** Only formats whose rows can be counted in what is left, and only the very same report. */
function ruleOf(
  { source, ref, detail, total }: ReadyReport,
  range: RecordRange,
  options: RenderOptions,
): ResumeRule | undefined {
  const { format, header = true } = options;
  if (format !== 'csv' && format !== 'ndjson') return undefined;
  const { fields, csvRaw } = options;
  const columns = fields ?? recordColumns(detail.request.fields, format);
  return {
    address: JSON.stringify([source.engine, ref, format, columns, header, csvRaw, range]),
    tag: JSON.stringify([total, detail.summary?.creationTimeMillis]),
    format,
    header: format === 'csv' && header,
    records: recordsIn(range, total),
  };
}

function restOf({ offset, limit }: RecordRange, record: number): RecordRange {
  return { offset: offset + record, limit: limit === undefined ? undefined : limit - record };
}

/**
 * Writes one document to stdout, only once it is complete. It is kept in a file until then, so it need not fit into
 * memory.
 */
async function writeWhole(
  texts: AsyncIterable<string>,
  { session, context }: DeliverDeps,
  signal: AbortSignal,
): Promise<void> {
  const path = join(await context.scratch(), 'records.json');
  const saving = { path, overwrite: true, resume: undefined, keepPartial: false, passing: true };
  await (await openRecords(saving, signal)).write(texts);
  for await (const piece of createReadStream(path)) {
    if (session.terminal.closed) return;
    await session.terminal.write(Buffer.from(piece));
  }
}
