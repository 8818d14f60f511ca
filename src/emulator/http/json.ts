import { gsonText, refuse } from './answers.js';
import type { Generation } from '../store/generation.js';

/** An object of a JSON text; its members are looked at one by one. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member when it is a string. */
export function stringOf(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** Parses, or tells by `undefined` that the text is no JSON (`null` is a value). A byte order mark is skipped. */
export function parseJson(source: string): unknown {
  try {
    const value: unknown = JSON.parse(source.replace(/^\uFEFF/u, ''));
    return value;
  } catch {
    return undefined;
  }
}

/** What the platform's parser says of a text that should have been an object. Newer ones end with the `path`. */
export function objectComplaint(source: string, path = ' path $'): string {
  const start = source.trimStart();
  if (start.startsWith('[')) return expected('BEGIN_ARRAY', 2) + path;
  if (start.startsWith('"')) return expected('STRING', 2) + path;
  if (!start.startsWith('{')) return expected('STRING', 1) + path;
  return endOfInput(source);
}

/** What older parsers say of a text that should have been an array. */
export function arrayComplaint(source: string): string {
  if (!source.trimStart().startsWith('{')) return endOfInput(source);
  return 'java.lang.IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1 column 2';
}

/** The parser's sentence for a text that ends too early. */
export function endOfInput(source: string): string {
  const lines = source.split('\n');
  return `java.io.EOFException: End of input at line ${lines.length} column ${(lines.at(-1) ?? '').length + 1}`;
}

function expected(found: string, column: number): string {
  return `java.lang.IllegalStateException: Expected BEGIN_OBJECT but was ${found} at line 1 column ${column}`;
}

/** The body as an array, or the two 400 texts that the batch calls have. */
export function bodyArray(source: string, { hasVersions }: Pick<Generation, 'hasVersions'>): readonly unknown[] {
  const value = parseJson(source);
  if (source === '' || value === null)
    refuse(400, 'Request body is invalid json, please check that it is a json array.');
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items;
  }
  const path = hasVersions ? ' path $' : '';
  const [first = ''] = source.trimStart();
  const noArray = 'java.lang.IllegalStateException: Expected BEGIN_ARRAY but was STRING at line 1 column 1';
  const complaint = first === '[' ? endOfInput(source) : (first === '{' ? arrayComplaint(source) : noArray) + path;
  return refuse(400, `Request body is invalid json: ${complaint}`);
}

/** Serialises a configuration as the platform does: doubles, no null members, escapes. See docs/platform.md 5.5. */
export function configurationText(value: unknown): string {
  if (typeof value === 'number') return javaDouble(value);
  if (Array.isArray(value)) return `[${value.map(configurationText).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== null);
    return `{${members.map(([name, member]) => `${gsonText(name)}:${configurationText(member)}`).join(',')}}`;
  }
  return gsonText(value);
}

function javaDouble(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
