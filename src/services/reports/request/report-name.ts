import { smallestOf, largestOf } from '../../../core/collections.js';
import { formatTime } from '../../../core/time.js';
import { PIPELINE_PROGRAMS } from '../../../platform/dashboard.js';
import { PIPELINE } from './fields.js';
import type { ReportFilter, ReportRequest } from './request.js';

/** The filter that leaves the runs of pipelines, one record each. */
export const PIPELINE_RUNS = { fieldName: 'program', whitelist: PIPELINE_PROGRAMS } as const;

const MOST_VALUES = 3;
/** Fields whose values say by themselves what they are, in the order of the name. */
const PLAIN: readonly string[] = ['namespace', PIPELINE.name, 'applicationName', 'programType', 'status', 'user'];
const TIMES: readonly string[] = ['running', 'end'];

/**
 * A name that says what a report contains. For example `etl FAILED duration>=60 2024-05-01 22:00 to 2024-05-02 22:00
 * UTC`.
 */
export function reportName({ start, end, filters }: Omit<ReportRequest, 'name'>): string {
  const plain = PLAIN.flatMap((field) => filters.find(isPlainFilter(field)) ?? []);
  const others = filters.filter(
    (filter) => !plain.includes(filter) && !isUsual(filter) && filter.fieldName !== 'start',
  );
  const words = [...plain.map((filter) => valuesOf(filter).join(' ')), ...others.map(filterWords)];
  const of = words.join(' ');
  const starts = startsOf(filters);
  const [from, to] = [largestOf([start, starts.min ?? start]), smallestOf([end, starts.max ?? end])];
  // A filter that leaves no time says nothing of the window.
  const [first, last] = from < to ? [from, to] : [start, end];
  return `${of === '' ? 'all runs' : of} ${minute(first)} to ${minute(last)} UTC`;
}

/** Between which epoch seconds a run must have started by the filters of a request. The upper end is excluded. */
export function startsOf(filters: readonly ReportFilter[]): { readonly min?: number; readonly max?: number } {
  const ranges = filters.flatMap((filter) => (filter.fieldName === 'start' && 'range' in filter ? [filter.range] : []));
  const lower = ranges.flatMap(({ min }) => min ?? []);
  const upper = ranges.flatMap(({ max }) => max ?? []);
  return {
    ...(lower.length > 0 && { min: largestOf(lower) }),
    ...(upper.length > 0 && { max: smallestOf(upper) }),
  };
}

const isPlainFilter =
  (field: string) =>
  (filter: ReportFilter): boolean =>
    filter.fieldName === field && 'whitelist' in filter;

/** Whether a filter is a default: the programs that represent pipeline runs, or no `system` namespace. */
function isUsual(filter: ReportFilter): boolean {
  if ('whitelist' in filter)
    return filter.fieldName === 'program' && filter.whitelist.join() === PIPELINE_PROGRAMS.join();
  return 'blacklist' in filter && filter.fieldName === 'namespace' && filter.blacklist.join() === 'system';
}

function valuesOf(filter: ReportFilter): readonly string[] {
  const values = 'whitelist' in filter ? filter.whitelist : 'blacklist' in filter ? filter.blacklist : [];
  // The platform has no such status: it stands for KILLED, which is sent with it.
  const all = values.filter((one) => one !== 'STOPPED');
  return all.length <= MOST_VALUES ? all : [...all.slice(0, MOST_VALUES), 'and more'];
}

/** A filter nearly as it is given on a command line. */
function filterWords(filter: ReportFilter): string {
  const { fieldName } = filter;
  if (!('range' in filter)) return `${fieldName}${'whitelist' in filter ? '=' : '!='}${valuesOf(filter).join(',')}`;
  const { min, max } = filter.range;
  const text = (value: number | undefined): string =>
    value === undefined ? '' : TIMES.includes(fieldName) ? minute(value) : String(value);
  if (max === undefined) return `${fieldName}>=${text(min)}`;
  return min === undefined ? `${fieldName}<${text(max)}` : `${fieldName}=${text(min)}..${text(max)}`;
}

function minute(seconds: number): string {
  return formatTime(seconds * 1000)
    .replace('T', ' ')
    .replace(/(:\d\d):\d\d(?:\.\d+)?Z$/u, '$1');
}
