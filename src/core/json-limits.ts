import { CliError } from './errors.js';

/** Most levels of a JSON document (`docs/limits.md`). */
export const DEEPEST = 64;
/** Most that a JSON document may weigh: a number, text, true, false or null 1, a list or an object 10, as they take memory (`docs/limits.md`). */
export const HEAVIEST = 3_600_000;
const CONTAINER = 10;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Goes through bytes of JSON before they are parsed: TOO_DEEP, or TOO_LARGE where they and what was read before would weigh too much. */
export function refuseExcess(bytes: Uint8Array, what: string, before = 0): void {
  let depth = 0;
  let weight = before;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at++;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (byte === COMMA) {
      if (++weight > HEAVIEST) throw tooHeavy(what);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST)
        throw new CliError('TOO_DEEP', `${what} is nested deeper than ${DEEPEST} levels (at byte ${at})`);
      if ((weight += CONTAINER) > HEAVIEST) throw tooHeavy(what);
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
}

/** TOO_LARGE for a document whose values would take too much memory. */
export function tooHeavy(what: string): CliError {
  return new CliError('TOO_LARGE', `too many values in ${what}: they weigh more than the ${HEAVIEST} allowed`);
}

/** What a parsed value weighs; Infinity when it is nested deeper than so many levels. */
export function weightOf(value: unknown, levels: number): number {
  if (!isNested(value)) return 1;
  if (levels === 0) return Infinity;
  let weight = CONTAINER;
  // No list of the members is made: a page of a report has 200,000 of them.
  for (const name in value) {
    const member = value[name];
    weight += typeof member === 'object' ? weightOf(member, levels - 1) : 1;
  }
  return weight;
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
