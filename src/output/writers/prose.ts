import type { Look } from '../look.js';
import { displayWidth, hardWrapped } from '../width.js';

/** From this width on a terminal has room for prose beside other cells. */
const BROAD = 100;
/** Narrower prose reads badly. */
const NARROWEST_PROSE = 24;
const BELOW = '    ';

/** Where the prose that ends a table row goes: on the line, wrapped in its cell, or below its row. */
export type ProsePlace = 'line' | 'cell' | 'below';

/**
 * Chooses one place of prose for all rows of a table. That is the line if all of it fits, else the cell on a wide
 * terminal, else below.
 */
export function prosePlace(before: number, widest: number, { terminal, columns }: Look): ProsePlace {
  if (!terminal || columns === undefined || before + widest <= columns) return 'line';
  return columns >= BROAD && columns - before >= NARROWEST_PROSE ? 'cell' : 'below';
}

/** A row and its prose as lines. `front` is all that stands before it, filled up to `before` characters. */
export function proseLines(
  front: string,
  prose: string,
  { place, before, look }: { readonly place: ProsePlace; readonly before: number; readonly look: Look },
): readonly string[] {
  if (prose === '') return [front.trimEnd()];
  if (place === 'line') return [`${front}${prose}`.trimEnd()];
  const indent = place === 'below' ? BELOW : ' '.repeat(before);
  const [first = '', ...more] = hardWrapped(prose, (look.columns ?? Infinity) - displayWidth(indent));
  const later = more.map((line) => indent + line);
  return place === 'below' ? [front.trimEnd(), indent + first, ...later] : [front + first, ...later];
}
