import type { Generation } from '../../store/generation.js';
import { endOfInput, isObject, objectComplaint, parseJson, type JsonObject } from '../../http/json.js';
import { deny, INVALID } from './answers.js';

/** An object whose members are read. With the text that it was parsed from, complaints tell where in it. */
export interface Members {
  readonly object: JsonObject;
  readonly source?: string;
  readonly generation?: Generation;
}

/** What the parser says of a text that is no JSON object; newer ones tell the path. */
export function parserComplaint(source: string, { hasVersions }: Generation): string {
  return parseJson(source) === undefined ? endOfInput(source) : objectComplaint(source, hasVersions ? ' path $' : '');
}

/** The parser's sentence about a value that is of another kind. */
export function expected(wanted: string, value: unknown): string {
  return `java.lang.IllegalStateException: Expected ${wanted} but was ${kindOf(value)}`;
}

/** A member as a whole number, also when its digits are a text. */
export function longAt(members: Members, name: string): number | undefined {
  const value = members.object[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') {
    if (/^-?\d+$/u.test(value)) return Number(value);
    deny(400, `${INVALID}java.lang.NumberFormatException: For input string: "${value}"`);
  }
  if (typeof value !== 'number') deny(400, INVALID + expected('a long', value) + placeOf(members, name));
  if (Number.isInteger(value)) return value;
  const complaint = `java.lang.NumberFormatException: Expected a long but was ${value}`;
  return deny(400, INVALID + complaint + placeOf(members, name));
}

/** A member as a list. */
export function arrayAt(members: Members, name: string): readonly unknown[] | undefined {
  const value = members.object[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) deny(400, INVALID + expected('BEGIN_ARRAY', value) + placeOf(members, name));
  const items: readonly unknown[] = value;
  return items;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'BEGIN_ARRAY';
  return isObject(value) ? 'BEGIN_OBJECT' : (typeof value).toUpperCase();
}

/** The parser's place when it meets the value: after its first character, or after a number or boolean. */
function placeOf({ object, source, generation }: Members, name: string): string {
  if (source === undefined) return '';
  const begin = new RegExp(`"${name}"\\s*:\\s*`, 'u').exec(source);
  const value = object[name];
  const length = ['number', 'boolean'].includes(typeof value) ? String(value).length : 1;
  const column = (begin?.index ?? 0) + (begin?.[0].length ?? 0) + length + 1;
  return ` at line 1 column ${column}${generation?.hasVersions === true ? ` path $.${name}` : ''}`;
}
