import { cut, displayWidth, padded } from '../width.js';
import type { ListParts, RenderOptions } from '../view.js';
import { cellText, chosenColumns, heading } from './columns.js';

const MEASURED_ROWS = 1000;
const ROWS_AT_ONCE = 200;
const GAP = '  ';

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
  for await (const item of items) {
    rows.push(columns.map((column) => cellText(column.value(item), options.look)));
    if (rows.length < (widths === undefined ? MEASURED_ROWS : ROWS_AT_ONCE)) continue;
    widths ??= widthsOf(rows, columns.length);
    yield lines(rows, widths, rights, options);
    rows = [];
  }
  if (rows.length > 0) yield lines(rows, widths ?? widthsOf(rows, columns.length), rights, options);
}

function widthsOf(rows: readonly (readonly string[])[], count: number): number[] {
  return [...Array(count).keys()].map((at) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[at] ?? '')), 0),
  );
}

function lines(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  rights: readonly boolean[],
  options: RenderOptions,
): string {
  const { terminal, columns, unicode } = options.look;
  const room = terminal && columns !== undefined ? columns : undefined;
  const last = widths.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const text = rows.map((row) => {
    const cells = row.map((cell, at) =>
      at < last || rights[at] === true ? padded(cell, widths[at] ?? 0, rights[at]) : cell,
    );
    const tail = cells[last] ?? '';
    if (room !== undefined) cells[last] = cut(tail, Math.max(room - before, 4), unicode ? '…' : '...');
    return cells.join(GAP).trimEnd();
  });
  return `${text.join('\n')}\n`;
}
