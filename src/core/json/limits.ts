import { CliError } from '../errors.js';

/** Most levels of a JSON document (`docs/limits.md`). */
export const DEEPEST = 64;
/**
 * The maximum weight of a JSON document, an estimate of the memory it takes (`docs/limits.md`). A number, text, true,
 * false or null weighs 1, a list or an object 10. A text of at most 10 characters weighs 4 the first time, a member
 * name 30 once.
 */
export const HEAVIEST = 3_600_000;
const CONTAINER = 10;
/**
 * Characters of a text that V8 keeps once however often it stands there, in a table of all such texts. A longer one
 * takes bytes of the document.
 */
const SHORT = 10;
const NEW_SHORT = 3;
/** V8 makes a text that is never collected, and a shape of objects, for each. */
const NEW_NAME = 30;
/** A shorter document cannot hold too many names and short texts. */
const MANY = 2 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Checks the depth and weight of JSON bytes before they are parsed. `before` is the weight of what was read earlier.
 * @throws TOO_DEEP; TOO_LARGE when the total would weigh too much
 */
export function refuseExcess(bytes: Uint8Array, what: string, before = 0): void {
  let depth = 0;
  let weight = before;
  const isNewName = bytes.length > MANY ? seenIn(bytes) : undefined;
  const isNewText = bytes.length > MANY ? seenIn(bytes) : undefined;
  let text = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      text = ++at;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      if (at - text > SHORT || bytes[at + 1] === COLON) continue;
      if (isNewText?.(text, at) === true && (weight += NEW_SHORT) > HEAVIEST) throw tooHeavy(what);
    } else if (byte === COMMA) {
      if (++weight > HEAVIEST) throw tooHeavy(what);
    } else if (byte === COLON) {
      if (isNewName?.(text, at) === true && (weight += NEW_NAME) > HEAVIEST) throw tooHeavy(what);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST)
        throw new CliError('TOO_DEEP', `${what} is nested deeper than ${DEEPEST} levels (at byte ${at})`);
      if ((weight += CONTAINER) > HEAVIEST) throw tooHeavy(what);
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
}

/** Tells whether what stands in the bytes was not asked before. */
function seenIn({ buffer, byteOffset, length }: Uint8Array): (start: number, end: number) => boolean {
  const seen = new Set<string>();
  const whole = Buffer.from(buffer, byteOffset, length);
  return (start, end) => seen.size < seen.add(whole.toString('latin1', start, end)).size;
}

/** TOO_LARGE for a document whose values would take too much memory. */
export function tooHeavy(what: string): CliError {
  return new CliError('TOO_LARGE', `${what} has too many values (limit: ${HEAVIEST})`);
}

/** Names of members and short texts that were weighed before. */
export interface Seen {
  readonly names: Set<string>;
  readonly texts: Set<string>;
}

/** Nothing was weighed yet. */
export const newSeen = (): Seen => ({ names: new Set(), texts: new Set() });

/**
 * The weight of a parsed value; Infinity when it is nested deeper than `levels`. Member names and short texts count
 * when `seen` is given and does not have them yet.
 */
export function weightOf(value: unknown, levels: number, seen?: Seen): number {
  if (!isNested(value)) return scalarWeight(value, seen?.texts);
  if (levels === 0) return Infinity;
  let weight = CONTAINER;
  // A loop of its own: one that has seen lists takes V8 three times as long for objects.
  if (Array.isArray(value)) {
    for (const element of value) weight += weightOf(element, levels - 1, seen);
    return weight;
  }
  // No list of the members is made: a page of a report has 200,000 of them.
  for (const name in value) {
    const member = value[name];
    weight += typeof member === 'object' ? weightOf(member, levels - 1, seen) : scalarWeight(member, seen?.texts);
    if (seen?.names.has(name) === false) {
      seen.names.add(name);
      weight += NEW_NAME;
    }
  }
  return weight;
}

function scalarWeight(value: unknown, texts: Set<string> | undefined): number {
  if (texts === undefined || typeof value !== 'string' || value.length > SHORT || texts.has(value)) return 1;
  texts.add(value);
  return 1 + NEW_SHORT;
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
