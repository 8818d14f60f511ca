import { isAscii, isUtf8 } from 'node:buffer';
import { CliError } from '../errors.js';
import { bomLength, decodeUtf8, HARMLESS, notJson, parseJson, parseList } from './json.js';
import { DEEPEST, HEAVIEST, newSeen, refuseExcess, tooHeavy, weightOf } from './limits.js';

/** Bytes of an array that are parsed in one go, at least. */
const PARSED_AT_ONCE = 64 * 1024;
/** Bytes behind these in which the end of an element is guessed. */
const GUESSED_WITHIN = 256 * 1024;
/** Largest element of a list that comes in parts, in bytes. */
export const LARGEST_ELEMENT = 16_000_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * The elements of a JSON array one by one, so that a large document is never in memory as one text. Errors as
 * `parseJson`, at the latest with the last element. Undefined: the document is no array.
 */
export function parseJsonArray(bytes: Uint8Array, what: string): Iterable<unknown> | undefined {
  const start = afterBlanks(bytes, bomLength(bytes));
  if (bytes[start] === OPENING_BRACKET) return elementsOf(bytes, start + 1, what);
  parseJson(bytes, what);
  return undefined;
}

function* elementsOf(bytes: Uint8Array, start: number, what: string): Generator<unknown, void, void> {
  if (!isUtf8(bytes)) decodeUtf8(bytes, what);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  const seen = newSeen();
  // A wrong guess tells of objects inside of the elements, and there will be more of them.
  let mayGuess = true;
  for (let begin = start, weight = 0; ;) {
    const guess: Part | undefined = mayGuess ? guessedPart(buffer, begin, encoding) : undefined;
    mayGuess = guess !== undefined;
    const comma = guess === undefined ? endByDepth(buffer, begin, what) : guess.comma;
    const end = comma ?? buffer.length;
    if (end - begin > HARMLESS) refuseExcess(buffer.subarray(begin, end), what, weight);
    const elements = guess?.elements ?? parseList(bracketed(buffer, begin, comma, encoding));
    if (elements === undefined || (elements.length === 0 && (begin > start || comma !== undefined)))
      throw whatIsWrong(bytes, what, { start, begin });
    for (const element of elements) {
      weight += weightOf(element, DEEPEST - 1, seen);
      if (weight === Infinity) throw whatIsWrong(bytes, what, { start, begin });
      if (weight > HEAVIEST) throw tooHeavy(what);
      yield element;
    }
    if (comma === undefined) return;
    begin = comma + 1;
  }
}

type Encoding = 'latin1' | 'utf8';

interface Part {
  readonly elements: readonly unknown[];
  readonly comma: number;
}

/**
 * The next elements, up to a comma that is guessed to separate two of them; parsing proves the guess. Faster than
 * looking at each byte.
 */
function guessedPart(buffer: Buffer, begin: number, encoding: Encoding): Part | undefined {
  const comma = likelyEnd(buffer, begin + PARSED_AT_ONCE);
  const elements = comma === undefined ? undefined : parseList(bracketed(buffer, begin, comma, encoding));
  return comma === undefined || elements === undefined ? undefined : { elements, comma };
}

/** A comma between two objects. */
function likelyEnd(buffer: Buffer, from: number): number | undefined {
  const last = from + GUESSED_WITHIN;
  for (
    let at = buffer.indexOf(CLOSING_BRACE, from);
    at !== -1 && at < last;
    at = buffer.indexOf(CLOSING_BRACE, at + 1)
  ) {
    const comma = afterBlanks(buffer, at + 1);
    if (buffer[comma] === COMMA && buffer[afterBlanks(buffer, comma + 1)] === OPENING_BRACE) return comma;
  }
  return undefined;
}

/**
 * The first comma between two elements that is far enough behind `begin`. Undefined: they go on to the end.
 * @throws TOO_LARGE for an element that is
 */
function endByDepth(buffer: Buffer, begin: number, what: string): number | undefined {
  if (buffer.length - begin <= PARSED_AT_ONCE) return undefined;
  const far = begin + PARSED_AT_ONCE;
  let element = begin;
  for (let at = begin, depth = 0; at < buffer.length && depth >= 0; at++) {
    const byte = buffer[at];
    if (byte === QUOTE) at = textEnd(buffer, at);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--;
    if (at - element > LARGEST_ELEMENT)
      throw new CliError('TOO_LARGE', `${what} has an element larger than ${LARGEST_ELEMENT} bytes`);
    if (byte !== COMMA || depth > 0) continue;
    if (at >= far) return at;
    element = at + 1;
  }
  return undefined;
}

/** Where a text that begins at a quote has its other quote, or the end of the bytes. */
function textEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * What stands in front of a comma as a list, or the rest. No second text is made of it, which would be garbage as large
 * as the document in the end.
 */
function bracketed(buffer: Buffer, begin: number, comma: number | undefined, encoding: Encoding): string {
  const end = comma ?? buffer.length;
  const list = Buffer.allocUnsafe(end - begin + (comma === undefined ? 1 : 2));
  list[0] = OPENING_BRACKET;
  buffer.copy(list, 1, begin, end);
  if (comma !== undefined) list[list.length - 1] = CLOSING_BRACKET;
  return list.toString(encoding);
}

/**
 * Finds out what is wrong in an invalid document behind `begin`, so that the error can tell where. Everything before
 * `begin` is known to be elements.
 */
function whatIsWrong(bytes: Uint8Array, what: string, { start, begin }: Record<'start' | 'begin', number>): unknown {
  try {
    refuseExcess(bytes, what);
    if (begin === start) parseJson(bytes, what);
  } catch (error) {
    return error;
  }
  const text = `[${Buffer.from(bytes.buffer, bytes.byteOffset + begin, bytes.length - begin).toString()}`;
  return notJson(text, what, { length: bytes.length, before: begin - 1 });
}

function afterBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
