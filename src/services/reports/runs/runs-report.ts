import type { Clock } from '../../../core/clock.js';
import type { Emit } from '../../../core/events.js';
import type { Platform } from '../../../platform/client.js';
import type { LocalReportWriter } from '../../../state/reports/local-report-writer.js';
import { namespacesOf } from './known-namespaces.js';
import { detailOf, localReportsOf } from './local-source.js';
import type { ReportRecord } from '../source/record.js';
import type { ReportRequest, ReportSort } from '../request/request.js';
import { asItIsNow, detailsIn, runRecordsOf } from './details.js';
import { passes, pickFields, recordOf } from './run-record.js';
import { SummaryCount } from './summary.js';
import { runSlices, type Run } from './window.js';
import type { ReportDetail } from '../source/source.js';

/** Runs of a slice: some 2 MB of one answer, and fewer where a record of each run is read besides. */
const PLAIN_SLICE = 5000;
const DETAILED_SLICE = 1000;
/** Fields that the dashboard does not tell. */
const DETAILED = ['runtimeArgs', 'applicationVersion'];
const NUMBER_VIEW = new DataView(new ArrayBuffer(8));

/** Where the report goes, and who is told of its progress. */
export interface RunsReportDeps {
  readonly stateFolder: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly emit: Emit;
}

/**
 * The records of a request with all fields, made from the platform's own run records. They are what the platform's
 * report would contain (docs/platform.md 1.2, 1.8).
 */
export async function* runRecords(
  platform: Platform,
  request: ReportRequest,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): AsyncGenerator<readonly ReportRecord[], void, void> {
  const used = [...request.fields, ...request.filters.map(({ fieldName }) => fieldName)];
  const isDetailed = used.some((field) => DETAILED.includes(field));
  const namespaces = await namespacesOf(platform, request, signal);
  const window = { namespaces, start: request.start, end: request.end };
  const wanted = isDetailed ? DETAILED_SLICE : PLAIN_SLICE;
  const now = clock.now();
  const isPast = request.end * 1000 < now;
  for await (const { runs, isOpen } of runSlices(platform, window, { now, wanted }, signal)) {
    if (isDetailed || (isOpen && isPast)) yield await withRecords(platform, runs, isOpen && isPast, request, signal);
    else yield runs.map((run) => recordOf(run)).filter((record) => passes(record, request.filters));
  }
}

/** The records of runs with what only the run itself knows. `isStale`: also how it went on after the window. */
async function withRecords(
  platform: Platform,
  runs: readonly Run[],
  isStale: boolean,
  { filters }: ReportRequest,
  signal: AbortSignal,
): Promise<readonly ReportRecord[]> {
  const known = filters.filter(({ fieldName }) => !DETAILED.includes(fieldName));
  const asked = isStale ? runs : runs.filter((run) => passes(recordOf(run), known));
  const found = await runRecordsOf(platform, asked, signal);
  const records = asked.map((run) => {
    const record = found.get(run.run);
    return recordOf(isStale ? asItIsNow(run, record) : run, detailsIn(record));
  });
  return records.filter((record) => passes(record, filters));
}

/**
 * Makes a report from the platform's run records and keeps it in the state folder. Takes constant memory. Nothing of
 * the report is visible before it is complete.
 */
export async function makeReportFromRuns(
  platform: Platform,
  request: ReportRequest,
  deps: RunsReportDeps,
  signal: AbortSignal,
): Promise<ReportDetail> {
  const { stateFolder, clock } = deps;
  const reports = localReportsOf(stateFolder, platform.base);
  const { id, writer } = await reports.create();
  try {
    const summed = await writeRecords(writer, platform, request, deps, signal);
    const now = clock.now();
    const detail = { created: Math.floor(now / 1000), request, summary: summed.summary(request, now) };
    await writer.commit(detail, signal);
  } finally {
    writer.abort();
  }
  const made = await reports.get(id);
  if (made === undefined) throw new Error(`report ${id} not found`);
  return detailOf(made);
}

async function writeRecords(
  writer: LocalReportWriter,
  platform: Platform,
  request: ReportRequest,
  { clock, emit }: RunsReportDeps,
  signal: AbortSignal,
): Promise<SummaryCount> {
  const summed = new SummaryCount();
  for await (const records of runRecords(platform, request, clock, signal)) {
    for (const record of records) {
      writer.add(orderKey(record, request.sort?.[0]), JSON.stringify(pickFields(record, request.fields)));
      summed.add(record);
    }
    emit({ type: 'count', what: 'runs found', done: summed.records, of: undefined, failed: 0 });
  }
  return summed;
}

/**
 * The sort key of a record in a report made here: the requested field, then newest start first. Unknown values sort
 * below every number, as on the platform. Then come namespace, application and run.
 */
function orderKey(record: ReportRecord, sort: ReportSort | undefined): string {
  const wanted = sort === undefined ? 0 : numberOf(record[sort.fieldName]);
  const key = sort?.order === 'DESCENDING' ? -wanted : wanted;
  const { namespace, applicationName, run } = record;
  return `${sortable(key)}${sortable(-numberOf(record['start']))}${JSON.stringify([namespace, applicationName, run])}`;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : -Infinity);

/** A number as 16 digits that sort as it does: its bits, those of negative ones turned round. */
function sortable(value: number): string {
  NUMBER_VIEW.setFloat64(0, value + 0);
  const bits = NUMBER_VIEW.getBigUint64(0);
  const turned = value < 0 ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
  return turned.toString(16).padStart(16, '0');
}
