import * as z from 'zod/mini';
import { formatTime } from '../../../core/time.js';
import type { ReportEntry } from '../../../services/reports/source/source.js';
import { view } from '../view.js';
import { type Column, type ListResult, type View } from '../../view-types.js';

const text = z.optional(z.string());

/** The members of a report that lists and single reports share. */
export const ReportEntrySchema = {
  engine: z.enum(['platform', 'runs']),
  name: text,
  description: text,
  status: z.enum(['RUNNING', 'COMPLETED', 'FAILED']),
  created: z.number(),
  createdAt: z.string(),
  expiry: z.optional(z.number()),
  expiryAt: text,
  /** Named for good by "report save"; its data expire all the same. */
  saved: z.boolean(),
};
const Row = z.object({ id: z.string(), ...ReportEntrySchema });

/** A report in a list, and when it is looked at (milliseconds since the epoch). */
export interface ListedReport extends ReportEntry {
  readonly saved: boolean;
  /** The beginning of the id that lists show. */
  readonly short: string;
  readonly now: number;
}

/** Epoch seconds as RFC 3339 text. */
export const timeAt = (seconds: number): string => formatTime(seconds * 1000);

/** What lists and single reports say in JSON besides what they do not share. */
export function entryJson(report: Omit<ReportEntry, 'id'> & { readonly saved: boolean }) {
  const { engine, name, description, status, created, expiry, saved } = report;
  const expiryAt = expiry === undefined ? undefined : timeAt(expiry);
  return { engine, name, description, status, created, createdAt: timeAt(created), expiry, expiryAt, saved };
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
] as const;

/** The two largest units of a number of seconds: `1d 23h`, `5m`. */
function roughly(seconds: number): string {
  const first = UNITS.findIndex(([size]) => seconds >= size);
  if (first === -1) return `${Math.max(0, Math.floor(seconds))}s`;
  let rest = seconds;
  const words = UNITS.slice(first, first + 2).flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return words.join(' ');
}

function expiresText({ expiry, saved, now }: ListedReport): string | undefined {
  if (saved) return 'saved; data still expires';
  if (expiry === undefined) return undefined;
  const rest = expiry - now / 1000;
  return rest <= 0 ? 'expired' : `in ${roughly(rest)}`;
}

/** A name of our own making with the year of its window once, and its day once where it is of one day. */
function shortName({ name }: ListedReport): string | undefined {
  const [, of = '', day = '', from = '', until = '', to = ''] =
    /^(.*)(\d{4}-\d\d-\d\d) (\d\d:\d\d) to (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC$/su.exec(name ?? '') ?? [];
  if (day === '') return name;
  const last = day === until ? '' : `${day.slice(0, 4) === until.slice(0, 4) ? until.slice(5) : until} `;
  return `${of}${day.slice(5)} ${from} to ${last}${to} UTC`;
}

const date = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000);

const name: Column<ListedReport> = { key: 'name', value: (report) => report.name };
const status: Column<ListedReport> = {
  key: 'status',
  value: (report) => report.status,
  whole: true,
};
const parts = {
  kind: 'ReportList',
  none: 'no reports found',
  schema: Row,
  name: (report: ListedReport): string => report.id,
  json: (report: ListedReport) => ({ id: report.id, ...entryJson(report) }),
};
const full = view({
  ...parts,
  columns: [
    { key: 'id', value: ({ id }) => id },
    name,
    status,
    { key: 'engine', value: ({ engine }) => engine },
    { key: 'createdAt', header: 'CREATED', value: ({ created }) => date(created) },
    { key: 'expiryAt', header: 'EXPIRES', value: ({ expiry }) => date(expiry) },
    { key: 'saved', value: ({ saved }) => saved },
    { key: 'description', value: ({ description }) => description },
  ],
});
const short = view({
  ...parts,
  columns: [
    { key: 'id', value: (report) => report.short },
    { key: 'name', value: shortName, telling: true },
    { ...status, telling: true },
    { key: 'createdAt', header: 'CREATED', value: ({ created }) => date(created), whole: true, spare: 1 },
    { key: 'expiryAt', header: 'EXPIRES', value: expiresText, whole: true, telling: true },
  ],
});

/** Shows reports, newest first; only the plain table shortens ids and counts the time to the expiry. */
export const reportList: View<ListResult<ListedReport>> = {
  ...full,
  render: (result, options) =>
    (options.format === 'table' && options.fields === undefined ? short : full).render(result, options),
};
