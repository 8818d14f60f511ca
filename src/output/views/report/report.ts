import * as z from 'zod/mini';
import { counted as countOf } from '../../../core/counted.js';
import type { RunCount, ReportDetail, ReportSummary } from '../../../services/reports/source/source.js';
import { lengthText } from '../../../core/duration.js';
import { visible } from '../../escape.js';
import type { Look } from '../../look.js';
import { itemView } from '../view.js';
import type { Described } from '../../view-types.js';
import { hanging } from '../../width.js';
import { timeText } from '../../writers/columns.js';
import { entryJson, ReportEntrySchema, timeAt } from './list.js';
import { filterText, requestJson, RequestSchema } from './request.js';

const counted = (...names: readonly string[]) =>
  z.array(z.object({ runs: z.number(), ...Object.fromEntries(names.map((name) => [name, z.optional(z.string())])) }));
const Summary = z.object({
  namespaces: counted('namespace'),
  start: z.number(),
  startAt: z.string(),
  end: z.number(),
  endAt: z.string(),
  artifacts: counted('name', 'version', 'scope'),
  durations: z.object({ min: z.number(), max: z.number(), average: z.number() }),
  starts: z.object({ oldest: z.number(), oldestAt: z.string(), newest: z.number(), newestAt: z.string() }),
  owners: counted('user'),
  startMethods: counted('method'),
  recordCount: z.number(),
  creationTimeMillis: z.number(),
  creationTimeAt: z.string(),
  expirationTimeMillis: z.optional(z.number()),
  expirationTimeAt: z.optional(z.string()),
});
const Report = z.object({
  id: z.optional(z.string()),
  ...ReportEntrySchema,
  request: z.optional(RequestSchema),
  summary: z.optional(Summary),
  error: z.optional(z.string()),
});

/** A report as it is shown; `onlySummary` leaves out what was asked for. */
export interface ShownReport extends ReportDetail {
  readonly saved: boolean;
  readonly onlySummary: boolean;
}

const NAME_WIDTH = 12;
const millis = (value: number): string => timeAt(Math.floor(value / 1000));

function summaryJson(summary: ReportSummary): Described<typeof Summary> {
  const { start, end, starts, creationTimeMillis, expirationTimeMillis } = summary;
  return {
    ...summary,
    startAt: timeAt(start),
    endAt: timeAt(end),
    starts: { ...starts, oldestAt: timeAt(starts.oldest), newestAt: timeAt(starts.newest) },
    creationTimeAt: millis(creationTimeMillis),
    ...(expirationTimeMillis !== undefined && { expirationTimeAt: millis(expirationTimeMillis) }),
  };
}

function reportJson(report: ShownReport): Described<typeof Report> {
  const { id, request, summary, error, onlySummary } = report;
  return {
    id,
    ...entryJson(report),
    ...(!onlySummary && { request: requestJson(request) }),
    ...(summary !== undefined && { summary: summaryJson(summary) }),
    error,
  };
}

const line = (name: string, text: string, look: Look): readonly string[] =>
  hanging(`  ${name.padEnd(NAME_WIDTH)}`, text, look);

/** How many runs share something, the most first: `SCHEDULED 35, MANUAL 2`. */
function counts<K extends string>(all: readonly RunCount<K>[], words: (one: RunCount<K>) => string): string {
  const sorted = [...all].sort((a, b) => b.runs - a.runs);
  return sorted.map((one) => visible(`${words(one)} ${one.runs}`)).join(', ');
}

function* summaryLines(summary: ReportSummary, look: Look): Generator<string> {
  const { durations, starts, recordCount, namespaces, startMethods, artifacts, owners } = summary;
  if (recordCount === 0) return;
  const time = (seconds: number): string => timeText(new Date(seconds * 1000), look);
  const { min, average, max } = durations;
  yield* line('durations', `min ${lengthText(min)}   mean ${lengthText(average)}   max ${lengthText(max)}`, look);
  yield* line('starts', `first ${time(starts.oldest)}   last ${time(starts.newest)}`, look);
  yield* line(
    'namespaces',
    counts(namespaces, ({ namespace = '(unknown)' }) => namespace),
    look,
  );
  yield* line(
    'methods',
    counts(startMethods, ({ method = '(unknown)' }) => method),
    look,
  );
  yield* line(
    'artifacts',
    counts(
      artifacts,
      ({ name = '(unknown)', version = '', scope }) => `${name} ${version}${scope === undefined ? '' : ` (${scope})`}`,
    ),
    look,
  );
  yield* line(
    'owners',
    counts(owners, ({ user = '(unknown)' }) => user),
    look,
  );
}

function* requestLines({ request, summary }: ShownReport, look: Look): Generator<string> {
  const time = (seconds: number): string => timeText(new Date(seconds * 1000), look);
  const runs = summary === undefined ? '' : `   ${countOf(summary.recordCount, 'run')}`;
  yield* line('window', `${time(request.start)} -> ${time(request.end)}${runs}`, look);
  if (request.filters.length > 0) yield* line('filters', request.filters.map(filterText).join('  '), look);
  yield* line('fields', visible(request.fields.join(', ')), look);
  const [sort] = request.sort ?? [];
  if (sort !== undefined) yield* line('sort', visible(`${sort.fieldName} ${sort.order}`), look);
}

function expiryText({ engine, expiry, saved, summary }: ShownReport, look: Look): string | undefined {
  if (engine === 'runs') return 'never (local report)';
  const at = saved ? summary?.expirationTimeMillis : expiry === undefined ? undefined : expiry * 1000;
  if (at === undefined) return undefined;
  return `${timeText(new Date(at), look)}${saved ? '   (saved; data still expires)' : ''}`;
}

/** Shows one report with its numbers. */
export const reportView = itemView<typeof Report, ShownReport>({
  kind: 'Report',
  schema: Report,
  name: ({ id }) => id ?? '',
  json: reportJson,
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'name', value: ({ name }) => name },
    { key: 'status', value: ({ status }) => status },
    { key: 'engine', value: ({ engine }) => engine },
    { key: 'createdAt', value: ({ created }) => new Date(created * 1000) },
    { key: 'expiryAt', value: ({ expiry }) => (expiry === undefined ? undefined : new Date(expiry * 1000)) },
    { key: 'saved', value: ({ saved }) => saved },
    { key: 'recordCount', value: ({ summary }) => summary?.recordCount },
  ],
  *text(report, look) {
    const { id, name, status, created, summary, error, onlySummary, description } = report;
    const title = name === undefined || name === '' ? '' : `   "${name}"`;
    yield visible(`Report ${id ?? '(shared)'}${title}   ${status}`);
    if (description !== undefined) yield* line('about', visible(description), look);
    yield* line('created', timeText(new Date(created * 1000), look), look);
    const expires = expiryText(report, look);
    if (expires !== undefined) yield* line('expires', expires, look);
    if (!onlySummary) yield* requestLines(report, look);
    else if (summary !== undefined) yield* line('runs', String(summary.recordCount), look);
    if (summary !== undefined) yield* summaryLines(summary, look);
    if (error !== undefined) yield* line('error', visible(error.split('\n')[0] ?? ''), look);
  },
});
