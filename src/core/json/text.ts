import { CliError } from '../errors.js';
import { parseJson } from './json.js';

const BOM = '\ufeff';
const SCALAR = /[^\s,\]}]+/uy;

/** Where a text begins and ends in another, the end not included; offsets in UTF-16 units. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * A value of a JSON text and where it stands. Of members with one name only the last is there, as it is the one that
 * counts.
 */
export type JsonNode =
  | (TextPlace & { readonly kind: 'object'; readonly members: ReadonlyMap<string, JsonNode> })
  | (TextPlace & { readonly kind: 'array'; readonly items: readonly JsonNode[] })
  | (TextPlace & { readonly kind: 'string'; readonly value: string })
  | (TextPlace & { readonly kind: 'number' | 'boolean' | 'null' });

/** An object of a JSON text. */
export type JsonObject = Extract<JsonNode, { kind: 'object' }>;

/** Told of a member that an object has again: its name, and the value that it had before. */
export type OnRepeat = (name: TextPlace & { readonly value: string }, before: TextPlace) => unknown;

/** What comes in place of a part of a text. */
export interface TextEdit extends TextPlace {
  readonly text: string;
}

/**
 * Reads a JSON text with the places of its values.
 * @throws TOO_DEEP (over 64 levels) or BAD_JSON as `parseJson`, and a byte order mark is accepted
 */
export function parseJsonText(text: string, what: string, onRepeat?: OnRepeat): JsonNode {
  parseJson(Buffer.from(text), what);
  return readValue({ text, at: text.startsWith(BOM) ? 1 : 0, onRepeat });
}

/** The value that stands at a place of a JSON text which was read already. */
export function valueAt(text: string, { start, end }: TextPlace): unknown {
  return JSON.parse(text.slice(start, end));
}

/**
 * The text with parts of it replaced; every other character stays as it is.
 * @throws INTERNAL for edits that overlap or leave the text
 */
export function replaceTexts(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    if (!(at <= edit.start && edit.start <= edit.end && edit.end <= text.length))
      throw new CliError('INTERNAL', `an edit from ${edit.start} to ${edit.end} does not fit into its text`);
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

/** How far a text was read; it is known to be JSON, so only what tells values apart is looked at. */
interface Cursor {
  readonly text: string;
  at: number;
  readonly onRepeat: OnRepeat | undefined;
}

/** The next character that is no blank. */
function peek(cursor: Cursor): string {
  for (;;) {
    const character = cursor.text.charAt(cursor.at);
    if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') return character;
    cursor.at++;
  }
}

function readValue(cursor: Cursor): JsonNode {
  switch (peek(cursor)) {
    case '{':
      return readObject(cursor);
    case '[':
      return readArray(cursor);
    case '"':
      return readString(cursor);
    default:
      return readScalar(cursor);
  }
}

function readObject(cursor: Cursor): JsonNode {
  const start = cursor.at++;
  const members = new Map<string, JsonNode>();
  while (peek(cursor) !== '}') {
    if (cursor.text[cursor.at] === ',') cursor.at++;
    peek(cursor);
    const name = readString(cursor);
    const before = members.get(name.value);
    if (before !== undefined) cursor.onRepeat?.(name, before);
    peek(cursor);
    cursor.at++;
    members.set(name.value, readValue(cursor));
  }
  return { kind: 'object', start, end: ++cursor.at, members };
}

function readArray(cursor: Cursor): JsonNode {
  const start = cursor.at++;
  const items: JsonNode[] = [];
  while (peek(cursor) !== ']') {
    if (cursor.text[cursor.at] === ',') cursor.at++;
    items.push(readValue(cursor));
  }
  return { kind: 'array', start, end: ++cursor.at, items };
}

function readString(cursor: Cursor): Extract<JsonNode, { kind: 'string' }> {
  const { text, at: start } = cursor;
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  const end = quote + 1;
  cursor.at = end;
  const inner = text.slice(start + 1, quote);
  const value = inner.includes('\\') ? String(JSON.parse(text.slice(start, end))) : inner;
  return { kind: 'string', start, end, value };
}

/** A character is escaped when the backslashes before it are odd in number. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

function readScalar(cursor: Cursor): JsonNode {
  const { text, at: start } = cursor;
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  const end = SCALAR.lastIndex;
  cursor.at = end;
  const first = text[start];
  const kind = first === 'n' ? 'null' : first === 't' || first === 'f' ? 'boolean' : 'number';
  return { kind, start, end };
}
