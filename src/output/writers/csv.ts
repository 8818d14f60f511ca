import { visible } from '../escape.js';
import type { Cell, ListParts, RenderOptions } from '../view.js';
import { chosenColumns } from './columns.js';

const ROWS_AT_ONCE = 200;
const FORMULA = /^[=+\-@\t\r\0]/u;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u;

/** RFC 4180 text: header row, CRLF, quotes where needed, and a guard before cells that a spreadsheet would run (`reliability.md` T34). */
export async function* csvText<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const columns = chosenColumns(parts, options);
  const raw = options.csvRaw === true;
  // Exact for programs, harmless on a terminal.
  const shown = options.look.terminal ? visible : (cell: string): string => cell;
  let rows =
    options.header === false
      ? []
      : [
          row(
            columns.map((column) => column.key),
            raw,
          ),
        ];
  for await (const item of items) {
    rows.push(
      row(
        columns.map((column) => shown(plain(column.value(item)))),
        raw,
      ),
    );
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows.join('');
    rows = [];
  }
  if (rows.length > 0) yield rows.join('');
}

/** One record with its line end. */
export function row(cells: readonly string[], raw: boolean): string {
  return `${cells.map((cell) => quoted(raw ? cell : guarded(cell))).join(',')}\r\n`;
}

function guarded(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

function quoted(cell: string): string {
  return /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function plain(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? '' : cell.toISOString();
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}
