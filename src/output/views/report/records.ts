import * as z from 'zod/mini';
import { cellFormatter, formatTime } from '../../../core/time.js';
import type { RecordPage, ReportRecord } from '../../../services/reports/source/record.js';
import type { RecordRange } from '../../../services/reports/source/source.js';
import { lengthText } from '../../../core/duration.js';
import { dateText, momentText } from '../../clock-text.js';
import type { Format } from '../../format.js';
import type { Look } from '../../look.js';
import type { Cell, Column, ListParts, Page, RenderOptions, View } from '../../view-types.js';
import { chosenColumns } from '../../writers/columns.js';
import { csvOfMany } from '../../writers/csv.js';
import { jsonOfMany } from '../../writers/json.js';
import { renderList } from '../../writers/list.js';
import { ndjsonOfMany } from '../../writers/ndjson.js';
import { terminalColumns } from './columns.js';

/** The records of a report as they come, or a part of them. */
export interface ReportRecords {
  readonly pages: AsyncIterable<RecordPage>;
  /** The fields of the request, in its order: the columns. */
  readonly fields: readonly string[];
  readonly range: RecordRange;
  /** Records of the whole report. */
  readonly total: number;
  /** In how many namespaces they ran, where that is known. */
  readonly namespaces?: number | undefined;
  /** Records of the range that are written already and are not among the pages. */
  readonly before?: number;
}

const PROGRAM = 'program';
const TIMES = ['start', 'running', 'end'];
/**
 * The end of the name of a column with times that spreadsheets take: `2023-11-14 22:13:20`. They know no zones, so that
 * it tells theirs.
 */
const UTC = 'Utc';

const maybe = z.optional(z.nullable(z.string()));
const number = z.optional(z.nullable(z.number()));

/** A record; members that are not listed are kept, too. */
const RecordItem = z.object({
  artifactScope: maybe,
  artifactName: maybe,
  artifactVersion: maybe,
  applicationName: maybe,
  applicationVersion: maybe,
  program: maybe,
  programType: maybe,
  run: maybe,
  status: maybe,
  start: number,
  startAt: z.optional(z.string()),
  running: number,
  runningAt: z.optional(z.string()),
  end: number,
  endAt: z.optional(z.string()),
  duration: number,
  namespace: maybe,
  user: maybe,
  startMethod: maybe,
  runtimeArgs: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  numLogWarnings: number,
  numLogErrors: number,
  numRecordsOut: number,
});

/**
 * The columns of a report: the requested fields in order, in csv every time in two. Elsewhere `program` is one, too,
 * which every record has.
 */
export function recordColumns(fields: readonly string[], format?: Format): readonly string[] {
  if (format !== 'csv') return [...new Set([...fields, PROGRAM])];
  return fields.flatMap((name) => (TIMES.includes(name) ? [name, `${name}${UTC}`] : [name]));
}

/** Refuses with USAGE what is to be shown (`--fields`) and is no column of a report with these fields. */
export function checkRecordColumns(fields: readonly string[], options: RenderOptions): void {
  chosenColumns(partsFor({ fields }, options), options);
}

/**
 * Shows the records of a report. JSON comes as the records do, so it goes only to a place that nobody sees before it is
 * whole.
 */
export const reportRecords: View<ReportRecords> = {
  kind: 'ReportRecordList',
  shape: 'list',
  schema: RecordItem,
  fields: Object.keys(RecordItem.shape),
  render: (result, options) => {
    const { format } = options;
    const parts = partsFor(result, options);
    const seen = { returned: result.before ?? 0 };
    const many = manyOf(result.pages, seen);
    const ending = (): { readonly page: Page } => ({ page: pageOf(result, seen.returned) });
    if (format === 'csv') return csvOfMany(parts, many, options);
    if (format === 'ndjson') return ndjsonOfMany(parts, many, options, ending);
    if (format === 'json') return jsonOfMany(parts, many, options, ending);
    const items = each(many);
    return renderList(
      parts,
      {
        items,
        get page() {
          return ending().page;
        },
      },
      options,
    );
  },
};

type Parts = Pick<ReportRecords, 'fields' | 'namespaces'>;

function partsFor({ fields, namespaces = 1 }: Parts, options: RenderOptions): ListParts<ReportRecord> {
  const { format, fields: chosen, look } = options;
  const shown = format === 'table' || format === 'wide';
  const names = recordColumns(fields, format);
  const every = names.map((name) => (shown ? tableColumn(name, look) : plainColumn(name)));
  const own = format === 'table' && look.terminal ? terminalColumns(every, options, namespaces > 1) : every;
  const others = names.includes(PROGRAM) ? [] : [plainColumn(PROGRAM)];
  const twins = names.filter((name) => TIMES.includes(name)).map((name) => twinColumn(name));
  return {
    kind: 'ReportRecordList',
    none: 'no runs found',
    schema: RecordItem,
    name: (record) => String(record['run'] ?? record['program']),
    json: withTwins,
    columns: chosen === undefined ? own : [...own, ...others, ...twins],
  };
}

function plainColumn(name: string): Column<ReportRecord> {
  if (!name.endsWith(UTC)) return { key: name, value: (record) => cellOf(record[name]) };
  const time = name.slice(0, -UTC.length);
  const format = cellFormatter();
  return {
    key: name,
    value: (record) => {
      const seconds = record[time];
      return typeof seconds === 'number' ? format(seconds * 1000) : undefined;
    },
  };
}

function tableColumn(name: string, look: Look): Column<ReportRecord> {
  const { value } = plainColumn(name);
  const text = (record: ReportRecord): Cell => {
    const raw = record[name];
    if (typeof raw !== 'number') return value(record);
    if (name === 'duration') return lengthText(raw);
    return `${dateText(raw, look).slice(0, 5)}${momentText(raw, look, true)}${look.utc ? 'Z' : ''}`;
  };
  if (name === 'duration') return { key: name, value: text, align: 'right' };
  return { key: name, value: TIMES.includes(name) ? text : value };
}

function twinColumn(name: string): Column<ReportRecord> {
  return { key: `${name}At`, value: (record) => atOf(record[name]), whole: true };
}

function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'object':
      return value;
    default:
      return undefined;
  }
}

function atOf(seconds: unknown): string | undefined {
  return typeof seconds === 'number' ? formatTime(seconds * 1000) : undefined;
}

/** The record as it came, with its times in RFC 3339 beside. */
function withTwins(record: ReportRecord): object {
  const all: Record<string, unknown> = { ...record };
  for (const name of TIMES) {
    const at = atOf(record[name]);
    if (at !== undefined) all[`${name}At`] = at;
  }
  return all;
}

async function* manyOf(
  pages: AsyncIterable<RecordPage>,
  seen: { returned: number },
): AsyncGenerator<readonly ReportRecord[]> {
  for await (const { records } of pages) {
    seen.returned += records.length;
    yield records;
  }
}

async function* each<T>(many: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of many) yield* items;
}

function pageOf({ range: { offset }, total }: ReportRecords, returned: number): Page {
  const next = offset + returned;
  return { offset, returned, total, next: next < total ? next : null };
}
