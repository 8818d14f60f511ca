import { gsonText, Refusal } from '../answers.js';
import type { EmulatorAnswer } from '../exchange.js';
import type { Generation } from '../generation.js';
import { endOfInput, isObject, objectComplaint, parseJson, stringOf, type JsonObject } from '../json.js';
import { reportFields, type ReportField } from './report-fields.js';

/** A filter of a report, its members in the order of the answers. */
export interface ReportFilter {
  readonly whitelist?: readonly string[];
  readonly blacklist?: readonly string[];
  readonly range?: { readonly min?: number; readonly max?: number };
  readonly fieldName: string;
}

/** What a report is made from, its members in the order of the answers; `filters` is absent when the client sent none. */
export interface ReportRequest {
  readonly name?: string;
  readonly start: number;
  readonly end: number;
  readonly fields: readonly string[];
  readonly sort?: readonly { readonly order: string; readonly fieldName: string }[];
  readonly filters?: readonly ReportFilter[];
}

const INVALID = 'Request body is invalid json: ';
const ORDERS = ['ASCENDING', 'DESCENDING'];

/** An answer of the report service in text. */
export function reportText(status: number, body: EmulatorAnswer['body']): EmulatorAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=UTF-8' }, body };
}

/** Ends a route of the report service with an error. */
export function deny(status: number, sentence: string): never {
  throw new Refusal(reportText(status, sentence));
}

/** Ends a route with the 500 of what the service did not foresee. */
export function stumble(sentence: string): never {
  deny(500, `Exception occurred while handling request: ${sentence}`);
}

/** Reads the body of a generation (contract 1.4), or ends the route as the service does, its faults included (contract 1.5). */
export function readReportRequest(source: string, generation: Generation): ReportRequest {
  const value = parseJson(source);
  if (source === '' || value === null) deny(400, 'Request body cannot be empty.');
  if (!isObject(value)) deny(400, INVALID + parserComplaint(source, generation));
  const fields = reportFields(generation);
  const list = (member: string) => arrayAt(value, member, source, generation);
  const [start, end] = [longAt(value, 'start'), longAt(value, 'end')];
  const [names, sort, filters] = [list('fields'), list('sort'), list('filters')];
  const name = stringOf(value, 'name');
  const read = filters?.map((filter) => readFilter(filter, fields));
  if (start === undefined || end === undefined) stumble('null');
  const request: ReportRequest = {
    ...(name === undefined ? {} : { name }),
    start,
    end,
    fields: (names ?? []).map(String),
    ...(sort === undefined ? {} : { sort: sort.map(readSort) }),
    ...(read === undefined ? {} : { filters: read }),
  };
  const problems = problemsOf(request, fields);
  if (problems.length > 0) {
    deny(400, `Please fix the following errors in the report generation request: ${problems.join('; ')}`);
  }
  return request;
}

/** What the parser says of a text that is no JSON object; newer ones tell the path. */
export function parserComplaint(source: string, { hasVersions }: Generation): string {
  return parseJson(source) === undefined ? endOfInput(source) : objectComplaint(source, hasVersions ? ' path $' : '');
}

function longAt(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && !/^-?\d+$/u.test(value) ? Number.NaN : Number(value);
  if (Number.isInteger(number)) return number;
  const told = typeof value === 'string' ? value : JSON.stringify(value);
  return deny(400, `${INVALID}java.lang.NumberFormatException: For input string: "${told}"`);
}

function arrayAt(
  object: JsonObject,
  name: string,
  source: string,
  { hasVersions }: Generation,
): readonly unknown[] | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items;
  }
  const found = isObject(value) ? 'BEGIN_OBJECT' : 'STRING';
  const begin = new RegExp(`"${name}"\\s*:\\s*`, 'u').exec(source);
  const column = (begin?.index ?? 0) + (begin?.[0].length ?? 0) + 2;
  const path = hasVersions ? ` path $.${name}` : '';
  const complaint = `Expected BEGIN_ARRAY but was ${found} at line 1 column ${column}${path}`;
  return deny(400, `${INVALID}java.lang.IllegalStateException: ${complaint}`);
}

function readFilter(value: unknown, fields: ReadonlyMap<string, ReportField>): ReportFilter {
  if (value === null) stumble('null');
  if (!isObject(value)) stumble('Expected a JsonObject but found a com.google.gson.JsonPrimitive');
  const named = value['fieldName'];
  if (named === undefined) stumble('Field name must be specified for filters');
  const fieldName = typeof named === 'string' ? named : gsonText(named);
  const field = fields.get(fieldName);
  if (field === undefined) stumble(`Invalid field name '${gsonText(named)}'. ${mustBeOneOf(fields)}`);
  const { range, whitelist, blacklist } = value;
  const isText = field.valueClass === 'String';
  if (isText !== (range === undefined)) {
    stumble(`No applicable filter found for field ${gsonText(named)} with value type java.lang.${field.valueClass}.`);
  }
  if (isText) return { ...textsAt('whitelist', whitelist), ...textsAt('blacklist', blacklist), fieldName };
  const bounds = isObject(range) ? range : {};
  const [min, max] = [longAt(bounds, 'min'), longAt(bounds, 'max')];
  return { range: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }, fieldName };
}

function textsAt(name: 'whitelist' | 'blacklist', value: unknown): Partial<ReportFilter> {
  return Array.isArray(value) ? { [name]: value.map(String) } : {};
}

function readSort(value: unknown): { readonly order: string; readonly fieldName: string } {
  if (!isObject(value)) return stumble('null');
  return { order: stringOf(value, 'order') ?? '', fieldName: stringOf(value, 'fieldName') ?? 'null' };
}

function problemsOf(request: ReportRequest, fields: ReadonlyMap<string, ReportField>): string[] {
  const { start, end, sort = [], filters = [] } = request;
  const unknown = (name: string) => {
    return fields.has(name) ? [] : [`Invalid field name '${name}' in fields. ${mustBeOneOf(fields)}`];
  };
  const about = (kind: string, name: string, problems: readonly string[]) => {
    return problems.length === 0 ? [] : [`${kind} ${name} contains these errors: ${problems.join('; ')}`];
  };
  return [
    ...(start < end ? [] : ["'start' must be smaller than 'end'."]),
    ...(request.fields.length > 0 ? request.fields.flatMap(unknown) : ["'fields' must be specified."]),
    ...filters.flatMap((filter) => about('Filter', filter.fieldName, filterProblems(filter, fields))),
    ...(sort.length > 1 ? ['Currently only one field is supported in sort.'] : []),
    ...sort.flatMap(({ fieldName, order }) => {
      const problems = [...unknown(fieldName), ...unsortable(fieldName, fields)];
      const wrong = "'order' cannot be null, it can only be ASCENDING or DESCENDING";
      return about('Sort', fieldName, ORDERS.includes(order) ? problems : [...problems, wrong]);
    }),
  ];
}

function filterProblems(filter: ReportFilter, fields: ReadonlyMap<string, ReportField>): string[] {
  const { fieldName, range, whitelist = [], blacklist = [] } = filter;
  if (range !== undefined) {
    const { min, max } = range;
    if (min === undefined && max === undefined) return ["'min' and 'max' cannot both be null'"];
    return min !== undefined && max !== undefined && min >= max ? ["'min' must be smaller than 'max'"] : [];
  }
  const kind = `Field '${fieldName}' cannot be filtered by value. It can only be filtered by: []`;
  const [some, others] = [whitelist.length > 0, blacklist.length > 0];
  return [
    ...(fields.get(fieldName)?.isFilterable === true ? [] : [kind]),
    ...(some && others ? ["Only one of 'whitelist' and 'blacklist' can be non-empty"] : []),
    ...(some || others ? [] : ["'whitelist' and 'blacklist' cannot both be empty"]),
  ];
}

function unsortable(name: string, fields: ReadonlyMap<string, ReportField>): string[] {
  if (fields.get(name)?.isSortable !== false) return [];
  const sortable = ['start', 'running', 'end', 'duration', 'numLogWarnings', 'numLogErrors', 'numRecordsOut'];
  return [`Field '${name}' in sort is not sortable. Only fields: [${sortable.join(', ')}] are sortable`];
}

function mustBeOneOf(fields: ReadonlyMap<string, ReportField>): string {
  return `Field name must be one of: [${[...fields.keys()].join(', ')}]`;
}
