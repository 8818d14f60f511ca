import { isAscii, isUtf8 } from 'node:buffer';
import { CliError } from './errors.js';
import { jsonFaultAt } from './json-fault.js';
import { DEEPEST, HEAVIEST, refuseExcess, tooHeavy, weightOf } from './json-limits.js';

/** Bytes of an array that are parsed in one go, at least. */
const PARSED_AT_ONCE = 1024 * 1024;
/** Bytes of which no more than a quarter of the memory allowed can come. */
const HARMLESS = 2 * PARSED_AT_ONCE;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const BOM_BYTES = 3;
const EARLY = 'it ends too early';

/** What a reader of JSON may ask for besides syntax. */
export interface JsonOptions {
  /** Refuse a member named twice in one object (DUP_KEY); for documents that are signed or decide about trust. */
  readonly duplicates?: 'refuse';
  /** Judge the depth of what was parsed, not of the text, where that is not long: faster for pages of a report. */
  readonly depth?: 'after';
}

/** Reads JSON from bytes: BAD_UTF8, TOO_DEEP, TOO_LARGE (`docs/limits.md`), BAD_JSON or DUP_KEY, none of which quotes the document; a byte order mark is accepted. */
export function parseJson(bytes: Uint8Array, what: string, options: JsonOptions = {}): unknown {
  const text = isAscii(bytes) ? latin1(bytes) : decodeUtf8(bytes, what);
  if (options.depth === undefined || bytes.length > HARMLESS) refuseExcess(bytes, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuseExcess(bytes, what);
    // The parser's own message quotes the document, so it is not kept as the cause (T31).
    const at = Buffer.byteLength(text.slice(0, jsonFaultAt(text) ?? 0)) + (startsWithBom(bytes) ? BOM_BYTES : 0);
    const where = at >= bytes.length ? `${EARLY}, at byte ${at}` : `wrong at byte ${at}`;
    throw new CliError('BAD_JSON', `${what} is not valid JSON (${where})`);
  }
  if (options.depth === 'after' && weightOf(value, DEEPEST) > HEAVIEST) refuseExcess(bytes, what);
  if (options.duplicates === 'refuse') refuseDuplicates(text, what);
  return value;
}

/** Whether an error of `parseJson` is about a document that has a beginning but no end. */
export function isCutShort(error: unknown): boolean {
  return (
    error instanceof CliError &&
    error.code === 'BAD_JSON' &&
    new RegExp(`${EARLY}, at byte [1-9]`, 'u').test(error.message)
  );
}

/**
 * The elements of a JSON array one by one, so that a large document is never in memory as one text; errors as `parseJson`, at the latest with
 * the last element. Undefined: the document is no array.
 */
export function parseJsonArray(bytes: Uint8Array, what: string): Iterable<unknown> | undefined {
  const start = afterBlanks(bytes, startsWithBom(bytes) ? BOM_BYTES : 0);
  if (bytes[start] === OPENING_BRACKET) return elementsOf(bytes, start + 1, what);
  parseJson(bytes, what);
  return undefined;
}

function* elementsOf(bytes: Uint8Array, start: number, what: string): Generator<unknown, void, void> {
  if (!isUtf8(bytes)) decodeUtf8(bytes, what);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  for (let begin = start, weight = 0; ;) {
    const comma = likelyEnd(buffer, begin + PARSED_AT_ONCE);
    const judge = (end: number): void => {
      if (end - begin > HARMLESS) refuseExcess(buffer.subarray(begin, end), what, weight);
    };
    judge(comma ?? buffer.length);
    const part = comma === undefined ? undefined : parsed(`[${buffer.toString(encoding, begin, comma)}]`);
    // Nothing at all was in front of the comma, or it stands deeper inside: then the rest is read in one go.
    const last = comma === undefined || part === undefined || part.length === 0;
    if (last) judge(buffer.length);
    const elements = last ? parsed(`[${buffer.toString(encoding, begin)}`) : part;
    if (elements === undefined || (elements.length === 0 && begin > start)) throw whatIsWrong(bytes, what);
    for (const element of elements) {
      weight += weightOf(element, DEEPEST - 1);
      if (weight === Infinity) throw whatIsWrong(bytes, what);
      if (weight > HEAVIEST) throw tooHeavy(what);
      yield element;
    }
    if (last) return;
    begin = comma + 1;
  }
}

/** A comma between two objects, which are most likely two elements of the array; whoever parses what is in front of it finds out. */
function likelyEnd(buffer: Buffer, from: number): number | undefined {
  for (let at = buffer.indexOf('},', from); at >= 0; at = buffer.indexOf('},', at + 1))
    if (buffer[afterBlanks(buffer, at + 2)] === OPENING_BRACE) return at + 1;
  return undefined;
}

function parsed(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** ASCII as text, several times as fast as a decoder of UTF-8. */
function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

/** Judges a document that is wrong somewhere from its beginning, so that the error tells where. */
function whatIsWrong(bytes: Uint8Array, what: string): unknown {
  try {
    parseJson(bytes, what);
  } catch (error) {
    return error;
  }
  return new CliError('BAD_JSON', `${what} is not valid JSON`);
}

function afterBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Reads UTF-8 strictly; BAD_UTF8 names the offset of the first wrong byte. */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError('BAD_UTF8', `${what} is not valid UTF-8 (wrong at byte ${firstWrongByte(bytes)})`);
  }
}

function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Halves the bytes until the shortest wrong beginning is found; a stream decoder forgives a character that is merely cut. */
function firstWrongByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (beginsWell(bytes, middle)) good = middle;
    else bad = middle;
  }
  return Math.min(good, bytes.length);
}

function beginsWell(bytes: Uint8Array, length: number): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Needs a text that JSON.parse took. */
function refuseDuplicates(text: string, what: string): void {
  const names: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') names.push(new Set());
    else if (character === '}' || character === ']') names.pop();
    else if (character === '"') {
      const end = stringEnd(text, at);
      const known = names.at(-1);
      if (known !== undefined && isFollowedByColon(text, end)) {
        const name: unknown = JSON.parse(text.slice(at, end));
        if (known.has(String(name))) {
          throw new CliError('DUP_KEY', `${what} names the member ${JSON.stringify(String(name).slice(0, 80))} twice`);
        }
        known.add(String(name));
      }
      at = end - 1;
    }
  }
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at++;
  return text[at] === ':';
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
