import { gsonText } from '../../http/answers.js';
import type { Generation } from '../../store/generation.js';
import { isObject, parseJson, stringOf } from '../../http/json.js';
import { deny, INVALID, stumble } from './answers.js';
import { reportFields, type ReportField } from './fields.js';
import type { ReportFilter, ReportRequest } from '../../store/report-store.js';
import { arrayAt, expected, longAt, parserComplaint } from './members.js';

const ORDERS = ['ASCENDING', 'DESCENDING'];

/**
 * Parses the body of a report request (docs/platform.md 1.4), or refuses it as the service does. This includes the
 * faults of the service (docs/platform.md 1.5).
 */
export function readReportRequest(source: string, generation: Generation): ReportRequest {
  const value = parseJson(source);
  if (source === '' || value === null) deny(400, 'Request body cannot be empty.');
  if (!isObject(value)) deny(400, INVALID + parserComplaint(source, generation));
  const fields = reportFields(generation);
  const place = { object: value, source, generation };
  const list = (member: string) => arrayAt(place, member);
  const [start, end] = [longAt(place, 'start'), longAt(place, 'end')];
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

function readFilter(value: unknown, fields: ReadonlyMap<string, ReportField>): ReportFilter {
  if (value === null) stumble('null');
  const kind = Array.isArray(value) ? 'JsonArray' : 'JsonPrimitive';
  if (!isObject(value)) stumble(`Expected a JsonObject but found a com.google.gson.${kind}`);
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
  if (range === null) return { range: undefined, fieldName };
  if (!isObject(range)) deny(400, INVALID + expected('BEGIN_OBJECT', range));
  const bounds = { object: range };
  const [min, max] = [longAt(bounds, 'min'), longAt(bounds, 'max')];
  return { range: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }, fieldName };
}

function textsAt(name: 'whitelist' | 'blacklist', value: unknown): Partial<ReportFilter> {
  if (value === undefined || value === null) return {};
  return Array.isArray(value) ? { [name]: value.map(String) } : deny(400, INVALID + expected('BEGIN_ARRAY', value));
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
  if ('range' in filter && range === undefined) return ["'range' cannot be null"];
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
