import type { Look } from './look.js';

/** A whole number in groups of three digits on a terminal. Where programs may read, and for anything else, as it is. */
export function thousands(
  value: number | string | undefined,
  { terminal }: Pick<Look, 'terminal'>,
): string | undefined {
  const text = value === undefined ? undefined : String(value);
  return text !== undefined && terminal && /^-?\d+$/u.test(text) ? text.replace(/\B(?=(?:\d{3})+$)/gu, ' ') : text;
}
