import type { Look } from './look.js';
import { displayWidth } from './width.js';

/**
 * Pieces, painted or not, side by side on as few lines as the width of the reader's terminal allows. A piece is never
 * broken.
 */
export function packed(pieces: readonly string[], gap: string, { columns = Infinity }: Look): readonly string[] {
  const lines: string[] = [];
  let room = 0;
  for (const piece of pieces) {
    const width = gap.length + displayWidth(piece);
    const last = lines.at(-1);
    if (last === undefined || width > room) {
      lines.push(piece);
      room = columns - width + gap.length;
    } else {
      lines[lines.length - 1] = `${last}${gap}${piece}`;
      room -= width;
    }
  }
  return lines;
}
