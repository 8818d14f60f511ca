import type { Values } from './place.js';

/** The platform gives up here, too. */
const DEEPEST = 10;
/** Values that name each other twice would grow without end. */
const [MOST_STEPS, LONGEST] = [10_000, 1_000_000];
/** Stands for a text that is known only at run time. */
const UNKNOWN = '\u0000';
/** Values that every run has. */
const GIVEN: readonly string[] = ['logical.start.time'];

/** Why a macro cannot be replaced: no value, one inside the other without end, or no closing brace. */
export type MacroFault = 'no-value' | 'loop' | 'not-closed';

/** A macro that cannot be replaced; `via` are the keys whose values led to it, the first one first. */
export interface OpenMacro {
  readonly macro: string;
  readonly fault: MacroFault;
  readonly via: readonly string[];
}

/** The open macros of a text, and the keys that decide their values. */
export interface FoundMacros {
  readonly open: readonly OpenMacro[];
  /** The keys that were looked up, whether they have a value or not. */
  readonly keys: ReadonlySet<string>;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** The last macro that begins before a place: it holds no other one. */
function lastStart(text: string, before: number): number {
  for (let at = text.lastIndexOf('${', before); at !== -1; at = at === 0 ? -1 : text.lastIndexOf('${', at - 1))
    if (!isEscaped(text, at)) return at;
  return -1;
}

function endFrom(text: string, start: number): number {
  for (let at = text.indexOf('}', start); at !== -1; at = text.indexOf('}', at + 1))
    if (!isEscaped(text, at)) return at;
  return -1;
}

/** Whether a text has a macro at all. */
export const hasMacro = (text: string): boolean => lastStart(text, text.length) !== -1;

/**
 * Replaces macros as a run does: innermost first, values may hold macros. What a function such as `secure(key)` stands
 * for is not known here and counts as there.
 */
export function readMacros(text: string, values: Values): FoundMacros {
  const open: OpenMacro[] = [];
  const keys = new Set<string>();
  let steps = 0;

  function valueOf(inner: string, via: readonly string[]): string {
    if (inner.includes(UNKNOWN) || inner.includes('(')) return UNKNOWN;
    keys.add(inner);
    const value = values.get(inner);
    if (value !== undefined) return replaced(value, [...via, inner]);
    if (!GIVEN.includes(inner)) open.push({ macro: inner, fault: 'no-value', via });
    return UNKNOWN;
  }

  function replaced(whole: string, via: readonly string[]): string {
    let rest = whole;
    for (
      let start = lastStart(rest, rest.length);
      start !== -1;
      start = start === 0 ? -1 : lastStart(rest, start - 1)
    ) {
      const end = endFrom(rest, start);
      const isClosed = end !== -1;
      const inner = rest.slice(start + 2, isClosed ? end : undefined);
      const isEndless = via.length >= DEEPEST || (steps += 1) > MOST_STEPS || rest.length > LONGEST;
      if (!isClosed || isEndless) {
        open.push({ macro: inner.slice(0, 80), fault: isClosed ? 'loop' : 'not-closed', via: via.slice(0, 3) });
        return UNKNOWN;
      }
      rest = rest.slice(0, start) + valueOf(inner, via) + rest.slice(end + 1);
    }
    return rest;
  }

  replaced(text, []);
  return { open, keys };
}
