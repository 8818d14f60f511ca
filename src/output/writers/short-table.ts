import { largestOf } from '../../core/extremes.js';
import { visible } from '../escape.js';
import type { Look } from '../look.js';

/** Lines of a table of at most some fifty rows that a person reads (a plan, a summary): wrapped cells, no boxes; the library is loaded here only and is too slow for long lists. */
export async function shortTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  look: Look,
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: [...headings],
    chars: EMPTY,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    ...widths(headings, rows, look),
  });
  for (const row of rows) table.push(row.map(visible));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const SIDES = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
] as const;
const EMPTY = Object.fromEntries(SIDES.map((side) => [side, '']));

/** On a terminal the last column takes what is left and wraps there. */
function widths(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { terminal, columns }: Look,
): object {
  if (!terminal || columns === undefined) return {};
  const natural = headings.map(
    (heading, at) => largestOf([heading.length, ...rows.map((row) => visible(row[at] ?? '').length)]) + 2,
  );
  const before = natural.slice(0, -1).reduce((sum, width) => sum + width, 0);
  const last = Math.min(natural.at(-1) ?? 0, columns - before);
  return last < 12 ? {} : { colWidths: [...natural.slice(0, -1), last], wordWrap: true };
}
