import { isAscii } from 'node:buffer';
import { CliError } from '../errors.js';
import { jsonFaultAt } from './fault.js';
import { DEEPEST, HEAVIEST, refuseExcess, weightOf } from './limits.js';

/** Bytes of which no more than a quarter of the memory allowed can come. */
export const HARMLESS = 2 * 1024 * 1024;
const BOM_BYTES = 3;

/** What a reader of JSON may ask for besides syntax. */
export interface JsonOptions {
  /** Refuse a member named twice in one object (DUP_KEY). For documents that are signed or decide about trust. */
  readonly duplicates?: 'refuse';
  /** Checks the depth of the parsed value, not of the text, unless that is long: faster for report pages. */
  readonly depth?: 'after';
}

/**
 * Parses JSON from bytes; a byte order mark is accepted.
 * @throws BAD_UTF8, TOO_DEEP, TOO_LARGE (`docs/limits.md`), BAD_JSON or DUP_KEY, none of which quotes the document
 */
export function parseJson(bytes: Uint8Array, what: string, options: JsonOptions = {}): unknown {
  const text = isAscii(bytes) ? latin1(bytes) : decodeUtf8(bytes, what);
  if (options.depth === undefined || bytes.length > HARMLESS) refuseExcess(bytes, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuseExcess(bytes, what);
    throw notJson(text, what, { length: bytes.length, before: bomLength(bytes) });
  }
  if (options.depth === 'after' && weightOf(value, DEEPEST) > HEAVIEST) refuseExcess(bytes, what);
  if (options.duplicates === 'refuse') refuseDuplicates(text, what);
  return value;
}

/**
 * The parser's own message quotes the document, so it is not kept as the cause (docs/faults.md T31).
 * @throws BAD_JSON that tells where: the text stands behind `before` bytes of a document of `length`
 */
export function notJson(
  text: string,
  what: string,
  document: { readonly length: number; readonly before: number },
): CliError {
  const at = Buffer.byteLength(text.slice(0, jsonFaultAt(text) ?? 0)) + document.before;
  const hasNoEnd = at >= document.length;
  const where = `${hasNoEnd ? 'it ends too early,' : 'error'} at byte ${at}`;
  const details = hasNoEnd && at > 0 ? ({ cutShort: true } as const) : {};
  return new CliError('BAD_JSON', `${what} is not valid JSON (${where})`, details);
}

/** ASCII as text, several times as fast as a decoder of UTF-8. */
function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

/** The list that a text is; undefined for anything else, also for what is no JSON. */
export function parseList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads UTF-8 strictly.
 * @throws BAD_UTF8 names the offset of the first wrong byte
 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError('BAD_UTF8', `${what} is not valid UTF-8 (error at byte ${firstWrongByte(bytes)})`);
  }
}

/** How many bytes a byte order mark takes at the beginning. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? BOM_BYTES : 0;
}

/**
 * Halves the bytes until the shortest wrong beginning is found. A stream decoder forgives a character that is merely
 * cut.
 */
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
          throw new CliError(
            'DUP_KEY',
            `${what} has the duplicate member ${JSON.stringify(String(name).slice(0, 80))}`,
          );
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
