import { cut, displayWidth, padded } from '../width.js';
import type { ListParts, RenderOptions } from '../view.js';
import { cellText, chosenColumns, heading } from './columns.js';

const MEASURED_ROWS = 1000;
const ROWS_AT_ONCE = 200;
const GAP = '  ';
/** No column is cut below this, in characters. */
const NARROWEST = 8;
/** Also off a terminal no cell is longer, in characters: all rows are padded to the longest (`reliability.md` H30). */
const LONGEST = 300;

/** A table as padded columns, written as a stream: widths come from the first thousand rows; on a terminal the last column is cut to the width. */
export async function* tableText<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const columns = chosenColumns(parts, options);
  const rights = columns.map((column) => column.align === 'right');
  const headings = options.header === false ? [] : [columns.map(heading)];
  let rows: string[][] = [...headings];
  let widths: number[] | undefined;
  const ellipsis = ellipsisOf(options);
  for await (const item of items) {
    rows.push(columns.map((column) => cut(cellText(column.value(item), options.look), LONGEST, ellipsis)));
    if (rows.length < (widths === undefined ? MEASURED_ROWS : ROWS_AT_ONCE)) continue;
    widths ??= widthsOf(rows, columns.length);
    yield lines(rows, widths, rights, options);
    rows = [];
  }
  if (rows.length > 0) yield lines(rows, widths ?? widthsOf(rows, columns.length), rights, options);
}

const ellipsisOf = ({ look }: RenderOptions): string => (look.unicode ? '…' : '...');

function widthsOf(rows: readonly (readonly string[])[], count: number): number[] {
  return [...Array(count).keys()].map((at) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[at] ?? '')), 0),
  );
}

/** The widths that a terminal has room for: the widest columns give way first, names (the first column) stay whole as long as they can. */
function fitted(widths: readonly number[], room: number): readonly number[] {
  const fitting = [...widths];
  const total = (): number => fitting.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > room) {
    const rest = fitting.map((width, at) => (at === 0 ? 0 : width));
    const widest = Math.max(...rest);
    const at = widest > NARROWEST ? rest.indexOf(widest) : 0;
    if ((fitting[at] ?? 0) <= NARROWEST) break;
    fitting[at] = (fitting[at] ?? 0) - 1;
  }
  return fitting;
}

function lines(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  rights: readonly boolean[],
  options: RenderOptions,
): string {
  const { terminal, columns } = options.look;
  const room = terminal && columns !== undefined ? columns : undefined;
  const fitting = room === undefined ? widths : fitted(widths, room);
  const last = widths.length - 1;
  const ellipsis = ellipsisOf(options);
  const text = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const width = fitting[at] ?? 0;
      const shown =
        room === undefined
          ? cell
          : cut(cell, at === last ? Math.max(width, roomAfter(fitting, room)) : width, ellipsis);
      return at < last || rights[at] === true ? padded(shown, width, rights[at]) : shown;
    });
    return cells.join(GAP).trimEnd();
  });
  return `${text.join('\n')}\n`;
}

/** What is left for the last column: rows that come later may be longer than those that were measured. */
function roomAfter(widths: readonly number[], room: number): number {
  return room - widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
}
