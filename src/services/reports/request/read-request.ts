import { closest } from '../../../core/closest.js';
import { PIPELINE, REPORT_FIELDS, type ReportField } from './fields.js';
import type { ReportFilter, ReportRequest, ReportSort } from './request.js';

/** A request as it was understood, and everything that is wrong with it: sentences that name the field. */
export interface ReadRequest {
  readonly request: ReportRequest;
  readonly problems: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;
type Say = (problem: string) => void;

const NAMES = REPORT_FIELDS.map(({ name }) => name);
const SORTABLE = REPORT_FIELDS.filter(({ sortable }) => sortable).map(({ name }) => name);
const ORDERS = ['ASCENDING', 'DESCENDING'] as const;

/**
 * Reads a request as the platform does, but names its problems: the platform answers many with 500. Null is absent,
 * digits in quotes are a number, unknown members are ignored. If there are problems, the request is what could be
 * understood.
 */
export function readRequest(value: unknown): ReadRequest {
  const problems: string[] = [];
  const say: Say = (problem) => problems.push(problem);
  if (!isObject(value)) say('the request must be a JSON object');
  const members = isObject(value) ? value : {};
  const { name } = members;
  if (isGiven(name) && typeof name !== 'string') say('name must be a string');
  const start = readTime('start', members, say);
  const end = readTime('end', members, say);
  if (start !== undefined && end !== undefined && start >= end)
    say(`start must be before end (start ${start}, end ${end})`);
  const fields = readFields(members['fields'], say);
  const filters = readFilters(members['filters'], say);
  const sort = readSort(members['sort'], say);
  const request = {
    name: typeof name === 'string' ? name : '',
    start: start ?? 0,
    end: end ?? 0,
    fields,
    filters,
    ...(sort !== undefined && { sort: [sort] }),
  };
  return { request, problems };
}

/** The field of a name; undefined, and the problem said with the nearest name, when there is none. */
export function knownField(name: unknown, where: string, say: Say): ReportField | undefined {
  const found = REPORT_FIELDS.find((field) => field.name === name);
  if (found !== undefined) return found;
  if (typeof name !== 'string') {
    say(`${where}: the name of a field is missing`);
    return undefined;
  }
  const near = closest(name, NAMES);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  say(`${where}: unknown field ${JSON.stringify(name.slice(0, 60))}${meant}`);
  return undefined;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/u.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

function readTime(member: 'start' | 'end', members: Members, say: Say): number | undefined {
  const value = members[member];
  const seconds = wholeNumber(value);
  if (!isGiven(value)) say(`${member} is missing; use a time in epoch seconds`);
  else if (seconds === undefined) say(`${member} must be an integer (epoch seconds)`);
  return seconds;
}

function readFields(value: unknown, say: Say): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    say('fields must be a list with at least one field');
    return [];
  }
  const names = value.flatMap((name: unknown) => knownField(name, 'fields', say)?.name ?? []);
  return [...new Set(names)];
}

function readFilters(value: unknown, say: Say): readonly ReportFilter[] {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value)) {
    say('filters must be a list');
    return [];
  }
  return value.flatMap((filter: unknown, at) => readFilter(filter, `filters[${at}]`, say) ?? []);
}

function readFilter(value: unknown, where: string, say: Say): ReportFilter | undefined {
  if (!isObject(value)) {
    say(`${where} must be an object`);
    return undefined;
  }
  const isPipeline = value['fieldName'] === PIPELINE.name;
  const field = isPipeline ? PIPELINE : knownField(value['fieldName'], where, say);
  if (field === undefined) return undefined;
  const named = `${where}, field ${field.name}`;
  const lists = ['whitelist', 'blacklist'].filter((member) => isGiven(value[member]));
  if (field.filter === 'none') {
    say(`${named}: this field cannot be used in a filter`);
    return undefined;
  }
  if (field.filter === 'values') {
    if (isGiven(value['range'])) say(`${named}: a text field does not support a range; use whitelist or blacklist`);
    return readList(value, field.name, named, say);
  }
  if (lists.length > 0) say(`${named}: a numeric field needs a range, not ${lists.join(' or ')}`);
  return readRange(value['range'], field.name, named, say);
}

function readList(value: Members, fieldName: string, where: string, say: Say): ReportFilter | undefined {
  const whitelist = readTexts(value['whitelist'], `${where}: whitelist`, say);
  const blacklist = readTexts(value['blacklist'], `${where}: blacklist`, say);
  if (whitelist.length > 0 && blacklist.length > 0)
    say(`${where}: only one of whitelist and blacklist may have values`);
  if (whitelist.length > 0) return { fieldName, whitelist };
  if (blacklist.length > 0) return { fieldName, blacklist };
  say(`${where}: whitelist or blacklist must have a value`);
  return undefined;
}

function readTexts(value: unknown, where: string, say: Say): readonly string[] {
  if (!isGiven(value)) return [];
  if (Array.isArray(value) && value.every((text: unknown) => typeof text === 'string'))
    return value.filter((text: unknown) => typeof text === 'string');
  say(`${where} must be a list of strings`);
  return [];
}

function readRange(value: unknown, fieldName: string, where: string, say: Say): ReportFilter | undefined {
  if (!isObject(value)) {
    say(`${where}: range must be an object with min, max or both`);
    return undefined;
  }
  const bounds = (['min', 'max'] as const).map((member) => {
    const bound = wholeNumber(value[member]);
    if (isGiven(value[member]) && bound === undefined) say(`${where}: ${member} must be an integer`);
    return bound;
  });
  const [min, max] = bounds;
  if (!isGiven(value['min']) && !isGiven(value['max'])) say(`${where}: range needs min, max or both`);
  if (min !== undefined && max !== undefined && min >= max)
    say(`${where}: min must be smaller than max, which is excluded (min ${min}, max ${max})`);
  return { fieldName, range: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } };
}

function readSort(value: unknown, say: Say): ReportSort | undefined {
  if (!isGiven(value)) return undefined;
  if (!Array.isArray(value)) {
    say('sort must be a list');
    return undefined;
  }
  if (value.length > 1) say(`sort: only one sort field is allowed, not ${value.length}`);
  return value.map((one: unknown) => readOneSort(one, say))[0];
}

function readOneSort(value: unknown, say: Say): ReportSort | undefined {
  if (!isObject(value)) {
    say('sort must contain an object');
    return undefined;
  }
  const field = knownField(value['fieldName'], 'sort', say);
  const order = ORDERS.find((known) => known === value['order']);
  if (field?.sortable === false)
    say(`sort: field ${field.name} cannot be used for sorting; use ${SORTABLE.join(', ')}`);
  if (order === undefined)
    say(`sort${field === undefined ? '' : `, field ${field.name}`}: order must be ASCENDING or DESCENDING`);
  return field === undefined || order === undefined ? undefined : { fieldName: field.name, order };
}
