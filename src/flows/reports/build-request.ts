import { partsOf } from '../../core/collections.js';
import { CliError } from '../../core/errors.js';
import type { Hint } from '../../core/next-step.js';
import { formatTime, parseTime } from '../../core/time.js';
import { REPORT_FIELDS } from '../../services/reports/request/fields.js';
import { parseFilter, valuesFilter, type ParsedFilter } from './parse-filter.js';
import { readRequest } from '../../services/reports/request/read-request.js';
import { PIPELINE_RUNS, reportName, startsOf } from '../../services/reports/request/report-name.js';
import type { ReportFilter, ReportRequest } from '../../services/reports/request/request.js';

/** What the command line says about a report. Everything may be absent but the window, which `base` may have. */
export interface RequestParts {
  /** The request of a file or of another report, which the rest changes; `what` names it in errors. */
  readonly base?: { readonly what: string; readonly value: unknown } | undefined;
  readonly name?: string | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  /** Milliseconds before `end`, or before now. */
  readonly last?: number | undefined;
  /** Whether times that name no zone are UTC, and not local. */
  readonly utc?: boolean | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly filters?: readonly string[] | undefined;
  readonly sorts?: readonly string[] | undefined;
  /** Every record of every program, and not one for a run of a pipeline. */
  readonly allPrograms?: boolean | undefined;
  /**
   * Values of fields that have a flag of their own, by the name of the field. An empty list takes away the filter that
   * `base` has.
   */
  readonly values: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A request that the platform takes, and what was made of the words that it was given in. */
export interface BuiltRequest {
  readonly request: ReportRequest;
  readonly notes: readonly string[];
}

/** The fields of a report by default. Left out are the arguments of a run and the counts that are never filled in. */
export const DEFAULT_FIELDS: readonly string[] = [
  'namespace',
  'applicationName',
  'program',
  'programType',
  'run',
  'status',
  'start',
  'end',
  'duration',
  'user',
  'startMethod',
];
/** What a table that may be as wide as it likes holds besides. */
export const WIDE_FIELDS: readonly string[] = [
  ...DEFAULT_FIELDS,
  ...['running', 'artifactName', 'artifactVersion', 'applicationVersion'],
];
const ALL_FIELDS = REPORT_FIELDS.map(({ name }) => name);
/** Fields whose filters say which programs are meant. */
const WINDOWS = ['--last 24h', '--start 2024-05-01 --end 2024-05-02'];
const OF_PROGRAMS: readonly string[] = ['program', 'programType', 'run'];
const ORDERS: Readonly<Record<string, string>> = { asc: 'ASCENDING', desc: 'DESCENDING' };

/**
 * Puts the request together and checks it by every rule of the platform. `now` in milliseconds.
 * @throws USAGE names all that is wrong at once
 */
export function buildRequest(parts: RequestParts, now: number): BuiltRequest {
  const problems = new Problems();
  const base = isObject(parts.base?.value) ? parts.base.value : {};
  const parsed = [
    ...(parts.filters ?? []).flatMap((text) => problems.of(() => parseFilter(text, now, parts.utc)) ?? []),
    ...Object.entries(parts.values).flatMap(
      ([field, values = []]) => problems.of(() => flagFilter(field, values)) ?? [],
    ),
  ];
  const filters = parsed.map(({ filter }) => filter);
  // A time that cannot be read is not missing as well.
  const before = problems.count;
  const isUnread = before > 0 && (parts.filters ?? []).some((text) => /^\s*start\b/u.test(text));
  const window = windowOf(parts, base, { now, filters, isUnread }, problems);
  const isSaid =
    problems.count === before && !isUnread
      ? () => false
      : (problem: string) => /^(?:start|end) (?:is missing|must be before)/u.test(problem);
  const value = {
    ...base,
    ...window,
    ...(parts.name !== undefined && { name: parts.name }),
    fields: fieldsOf(parts.fields) ?? base['fields'] ?? DEFAULT_FIELDS,
    filters: withFilters(base['filters'], [...parsed, ...usualFilters(parts, parsed)], valuesOf(parts)),
    ...(parts.sorts !== undefined && { sort: parts.sorts.flatMap((text) => problems.of(() => parseSort(text)) ?? []) }),
  };
  const read = readRequest(parts.base === undefined || isObject(parts.base.value) ? value : parts.base.value);
  problems.add(read.problems.filter((problem) => !isSaid(problem)));
  problems.refuse(parts.base?.what);
  const { name } = read.request;
  const request = { ...read.request, name: name.trim() === '' ? reportName(read.request) : name };
  return { request, notes: [...new Set(parsed.flatMap(({ notes }) => notes))] };
}

/** What is wrong so far; hints are kept once. */
class Problems {
  private readonly found: string[] = [];
  private readonly hints = new Set<Hint>();

  get count(): number {
    return this.found.length;
  }

  add(problems: readonly string[]): void {
    this.found.push(...problems);
    if (problems.some((problem) => problem.includes(': unknown field '))) this.hints.add('cdapctl report fields');
  }

  of<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.found.push(error.message);
      for (const hint of error.details.hints ?? []) this.hints.add(hint);
      return undefined;
    }
  }

  refuse(what = 'the request'): void {
    const [first, ...others] = this.found;
    if (first === undefined) return;
    const hints = [...this.hints];
    if (others.length === 0) throw new CliError('USAGE', first, { hints });
    throw new CliError('USAGE', `${what} has ${this.found.length} errors`, { lines: this.found, hints });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a window may come from besides the flags for it. */
interface Around {
  readonly now: number;
  readonly filters: readonly ReportFilter[];
  /** Whether a filter says a start that cannot be read. */
  readonly isUnread: boolean;
}

function windowOf(
  { start, end, last, utc }: RequestParts,
  base: Readonly<Record<string, unknown>>,
  { now, filters, isUnread }: Around,
  problems: Problems,
): object {
  if (start === undefined && end === undefined && last === undefined) {
    const { min, max = 'end' in base ? undefined : Math.ceil(now / 1000) } = startsOf(filters);
    if (min !== undefined) return { start: min, ...(max !== undefined && { end: max }) };
    if (!('start' in base) && !('end' in base) && !isUnread)
      problems.of(() => {
        throw new CliError('USAGE', 'missing start of the time window', {
          hints: WINDOWS,
        });
      });
    return {};
  }
  const until = end === undefined ? now : problems.of(() => timeOf('--end', end, now, utc));
  const from = start === undefined ? undefined : problems.of(() => timeOf('--start', start, now, utc));
  if (start === undefined && last === undefined) return until === undefined ? {} : { end: Math.ceil(until / 1000) };
  if (end === undefined && last === undefined && 'end' in base)
    return from === undefined ? {} : { start: Math.ceil(from / 1000) };
  const begin = start === undefined ? (until ?? now) - (last ?? 0) : from;
  if (begin !== undefined && until !== undefined && begin >= until) problems.of(() => refuseEmpty(begin, until));
  return {
    ...(begin !== undefined && { start: Math.ceil(begin / 1000) }),
    ...(until !== undefined && { end: Math.ceil(until / 1000) }),
  };
}

/** The platform would name seconds since the epoch. */
function refuseEmpty(begin: number, until: number): never {
  const text = (time: number): string => formatTime(Math.floor(time / 1000) * 1000);
  const ends = begin === until ? 'at the same time' : `at ${text(until)}`;
  throw new CliError('USAGE', `the time window is empty: it starts at ${text(begin)} and ends ${ends}`, {
    hints: WINDOWS,
  });
}

function timeOf(flag: string, text: string, now: number, utc: boolean | undefined): number {
  try {
    return parseTime(text, now, utc);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('USAGE', `${flag}: ${error.message}`, error.details);
  }
}

function fieldsOf(fields: readonly string[] | undefined): readonly string[] | undefined {
  const names = fields?.flatMap(partsOf);
  return names?.flatMap((name) => (name === 'all' ? ALL_FIELDS : [name]));
}

function flagFilter(field: string, values: readonly string[]): ParsedFilter | undefined {
  return values.length === 0 ? undefined : valuesFilter(field, '=', values.join(','), values.join(','));
}

/**
 * The filters that select one record per run of a pipeline, like the dashboard. None where the line, a file or another
 * report chooses programs. System programs are left out.
 */
function usualFilters({ base, allPrograms }: RequestParts, parsed: readonly ParsedFilter[]): readonly ParsedFilter[] {
  const fields = parsed.map(({ filter }) => filter.fieldName);
  if (base !== undefined || allPrograms === true || fields.some((field) => OF_PROGRAMS.includes(field))) return [];
  const others: ReportFilter = { fieldName: 'namespace', blacklist: ['system'] };
  return (fields.includes('namespace') ? [PIPELINE_RUNS] : [PIPELINE_RUNS, others]).map((filter) => ({
    filter,
    notes: [],
  }));
}

/** `--all-programs` takes away what a base says of programs, unless the line says something else. */
function valuesOf({ values, allPrograms }: RequestParts): RequestParts['values'] {
  return allPrograms === true ? { program: [], ...values, programType: values['programType'] ?? [] } : values;
}

/** What the line says about a field stands for the filters that the base has on it. */
function withFilters(base: unknown, parsed: readonly ParsedFilter[], values: RequestParts['values']): unknown {
  const filters: readonly ReportFilter[] = parsed.map(({ filter }) => filter);
  if (!Array.isArray(base)) return filters.length === 0 && base !== undefined ? base : filters;
  const named = new Set<unknown>(filters.map(({ fieldName }) => fieldName));
  for (const [field, texts] of Object.entries(values)) if (texts?.length === 0) named.add(field);
  const kept: readonly unknown[] = base.filter(
    (filter: unknown) => !isObject(filter) || !named.has(filter['fieldName']),
  );
  return [...kept, ...filters];
}

function parseSort(text: string): object {
  const [, fieldName = '', order = 'asc'] = /^([^:]*)(?::(.*))?$/su.exec(text.trim()) ?? [];
  const word = ORDERS[order.toLowerCase()];
  if (word !== undefined) return { fieldName, order: word };
  throw new CliError('USAGE', `sort ${JSON.stringify(text.slice(0, 60))}: write ${fieldName}:asc or ${fieldName}:desc`);
}
