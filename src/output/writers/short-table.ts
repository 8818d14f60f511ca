import { largestOf } from '../../core/collections.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { cut, displayWidth, padded } from '../width.js';
import { fitColumns, GAP } from './fit-columns.js';
import { proseLines, prosePlace } from './prose.js';

type Row = readonly string[];

/**
 * Lines of a table of at most some fifty rows that a person reads (a plan, a summary), without boxes. The last column
 * is prose: on a terminal beside the row or below it, never cut. The library is loaded here only and is too slow for
 * long lists.
 */
export async function shortTable(headings: Row, rows: readonly Row[], look: Look): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const all = [headings, ...rows.map((row) => row.map(visible))];
  const widths = frontWidths(
    all.map((row) => row.slice(0, -1)),
    look,
  );
  const before = widths.reduce<number>((sum, width) => (width === undefined ? sum : sum + width + GAP.length), 0);
  const place = prosePlace(before, largestOf(all.map((row) => displayWidth(row.at(-1) ?? ''))), look);
  const table = new Table({
    chars: EMPTY,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP.length },
  });
  const ellipsis = look.unicode ? '…' : '...';
  for (const row of all)
    table.push(widths.flatMap((width, at) => (width === undefined ? [] : [cut(row[at] ?? '', width, ellipsis)])));
  return table
    .toString()
    .split('\n')
    .flatMap((front, at) => {
      const prose = at === 0 && place === 'below' ? '' : (all[at]?.at(-1) ?? '');
      const lines = proseLines(padded(front.trimEnd(), before), prose, { place, before, look });
      return at === 0 ? lines.map((line) => paint(look, 'bold', line)) : lines;
    });
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

/** The widths of all columns but the last one, on a terminal as it has room for them. */
function frontWidths(rows: readonly Row[], { terminal, columns }: Look): readonly (number | undefined)[] {
  const measured = (rows[0] ?? []).map((_, at) => ({
    width: rows.reduce((most, row) => Math.max(most, displayWidth(row[at] ?? '')), 0),
    ...{ whole: false, wanted: true, spare: 0, constant: false },
  }));
  return fitColumns(measured, terminal ? (columns ?? Infinity) : Infinity);
}
