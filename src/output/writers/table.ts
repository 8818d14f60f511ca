import { largestOf } from '../../core/extremes.js';
import { paint, type Style } from '../look.js';
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

/** What is known of the columns of a table beside their content. */
interface Shape {
  readonly rights: readonly boolean[];
  readonly wholes: readonly boolean[];
  /** Columns that were not asked for by name may be left out. */
  readonly mayDrop: boolean;
}

/** A table as padded columns, written as a stream: widths come from the first thousand rows; on a terminal columns are cut, or left out, to its width. */
export async function* tableText<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const columns = chosenColumns(parts, options);
  const shape: Shape = {
    rights: columns.map((column) => column.align === 'right'),
    wholes: columns.map((column, at) => at === 0 || column.whole === true),
    mayDrop: options.format === 'table' && options.fields === undefined,
  };
  const headings = options.header === false ? [] : [columns.map(heading)];
  let rows: string[][] = [...headings];
  /** Which cells stand out; the rows themselves stay as they are. */
  const styles = new WeakMap<readonly string[], readonly (Style | undefined)[]>();
  let widths: number[] | undefined;
  const ellipsis = ellipsisOf(options);
  const isPainted = options.look.color && columns.some(({ style }) => style !== undefined);
  for await (const item of items) {
    const row = columns.map((column) => cut(cellText(column.value(item), options.look), LONGEST, ellipsis));
    rows.push(row);
    if (isPainted)
      styles.set(
        row,
        columns.map(({ style }) => style?.(item)),
      );
    if (rows.length < (widths === undefined ? MEASURED_ROWS : ROWS_AT_ONCE)) continue;
    widths ??= widthsOf(rows, columns.length);
    yield lines(rows, widths, { ...shape, styles }, options);
    rows = [];
  }
  if (rows.length > 0) yield lines(rows, widths ?? widthsOf(rows, columns.length), { ...shape, styles }, options);
}

const ellipsisOf = ({ look }: RenderOptions): string => (look.unicode ? '…' : '...');

function widthsOf(rows: readonly (readonly string[])[], count: number): number[] {
  return [...Array(count).keys()].map((at) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[at] ?? '')), 0),
  );
}

/** The widths that a terminal has room for: the widest columns give way first; where that is not enough the last ones are left out if they may be. What must stay whole does. */
function fitted(widths: readonly number[], { wholes, mayDrop }: Shape, room: number): readonly (number | undefined)[] {
  const fitting: (number | undefined)[] = [...widths];
  const total = (): number => taken(fitting) - GAP.length;
  while (total() > room) {
    const soft = [...fitting.keys()].filter((at) => wholes[at] !== true && fitting[at] !== undefined);
    const last = soft.at(-1);
    if (last === undefined) break;
    const widest = largestOf(soft.map((at) => fitting[at] ?? 0));
    if (widest > NARROWEST)
      fitting[fitting.findIndex((width, at) => soft.includes(at) && width === widest)] = widest - 1;
    else if (mayDrop) {
      for (const at of soft) fitting[at] = widths[at];
      fitting[last] = undefined;
    } else break;
  }
  return fitting;
}

function taken(widths: readonly (number | undefined)[]): number {
  return widths.reduce<number>((sum, width) => (width === undefined ? sum : sum + width + GAP.length), 0);
}

function lines(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  shape: Shape & { readonly styles: WeakMap<readonly string[], readonly (Style | undefined)[]> },
  options: RenderOptions,
): string {
  const { terminal, columns } = options.look;
  const room = terminal && columns !== undefined ? columns : undefined;
  const fitting = room === undefined ? widths : fitted(widths, shape, room);
  const last = fitting.findLastIndex((width) => width !== undefined);
  // Rows that come later may be longer than those that were measured.
  const rest = room === undefined ? Infinity : room - taken(fitting.slice(0, last));
  const ellipsis = ellipsisOf(options);
  // One long loop over plain strings: a list of 100,000 rows spends a third of its time here.
  const text: string[] = [];
  for (const row of rows) {
    const styles = shape.styles.get(row);
    let line = '';
    for (const [at, width] of fitting.entries()) {
      if (width === undefined) continue;
      const cell = row[at] ?? '';
      const most = at === last ? Math.max(width, rest) : width;
      const shown = room === undefined || shape.wholes[at] === true ? cell : cut(cell, most, ellipsis);
      const aligned = at < last || shape.rights[at] === true ? padded(shown, width, shape.rights[at]) : shown;
      if (at > 0) line += GAP;
      const style = styles?.[at];
      line += style === undefined ? aligned : paint(options.look, style, aligned);
    }
    text.push(line.trimEnd());
  }
  return `${text.join('\n')}\n`;
}
