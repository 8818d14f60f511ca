import { visible } from '../escape.js';
import type { Cell, Column, ListParts, RenderOptions } from '../view-types.js';
import { chosenColumns } from './columns.js';
import { grouped } from './grouped.js';

const ROWS_AT_ONCE = 200;
/** Characters of a text that is kept, and how many are of a column. */
const LONGEST_KEPT = 32;
const MOST_KEPT = 256;
const FORMULA = /^[=+\-@\t\r\0]/u;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u;
/** Needs neither a guard nor quotes. */
const PLAIN = /^(?:[^=+\-@\t\r\n\0",][^",\r\n]*)?$/u;

/**
 * Formats RFC 4180 text: header row, CRLF, quotes where needed. Cells that a spreadsheet would run as a formula get a
 * guard (docs/faults.md T34).
 */
export function csvText<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  return csvOfMany(parts, grouped(items), options);
}

/** As `csvText`, for items that come many at a time. What has come of them is given before the next are asked for. */
export async function* csvOfMany<T>(
  parts: ListParts<T>,
  many: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const columns = chosenColumns(parts, options);
  const raw = options.csvRaw === true;
  const line = lineOf(columns, options);
  let text = '';
  if (options.header !== false)
    text = row(
      columns.map((column) => column.key),
      raw,
    );
  for await (const items of many) {
    let rows = 0;
    for (const item of items) {
      text += line(item);
      if (++rows % ROWS_AT_ONCE !== 0) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** One record with its line end. */
export function row(cells: readonly string[], raw: boolean): string {
  return `${cells.map((cell) => textCell(cell, raw)).join(',')}\r\n`;
}

/** One long concatenation a row: a million rows of a report go through here. */
function lineOf<T>(columns: readonly Column<T>[], { csvRaw, look }: RenderOptions): (item: T) => string {
  const raw = csvRaw === true;
  // Exact for programs, harmless on a terminal.
  const shown = look.terminal ? visible : undefined;
  const cells = columns.map(({ value, data = value, day }, at) => {
    const comma = at === 0 ? '' : ',';
    const textOf = remembered((text) => comma + textCell(shown === undefined ? text : shown(text), raw));
    return (item: T) => cellText(day === true ? dayOf(data(item)) : data(item), comma, textOf);
  });
  return (item) => {
    let line = '';
    for (const cell of cells) line += cell(item);
    return `${line}\r\n`;
  };
}

/** Keeps what came of the texts of a column until too many differ. To find one takes a third of the time. */
function remembered(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (known.size === MOST_KEPT || text.length > LONGEST_KEPT) return make(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    known.set(text, made);
    return made;
  };
}

/** A cell behind its comma, as `textOf` makes it of a text. */
function cellText(cell: Cell, comma: string, textOf: (text: string) => string): string {
  if (cell === undefined || cell === null) return comma;
  // Most cells of a report are numbers, which need no look at their letters.
  if (typeof cell === 'number' && Number.isFinite(cell)) return `${comma}${cell}`;
  return textOf(typeof cell === 'string' ? cell : plain(cell));
}

function textCell(cell: string, raw: boolean): string {
  return PLAIN.test(cell) ? cell : quoted(raw ? cell : guarded(cell));
}

function guarded(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

function quoted(cell: string): string {
  return /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const dayOf = (cell: Cell): Cell => (cell instanceof Date ? plain(cell).slice(0, 10) : cell);

function plain(cell: NonNullable<Cell>): string {
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? '' : cell.toISOString();
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}
