import { paint, type Look, type Style } from '../look.js';
import { STATE_COLUMNS, stateStyle } from '../states.js';
import { cut, displayWidth, padded } from '../width.js';
import type { Column, ListParts, RenderOptions } from '../view-types.js';
import { cellText, chosenColumns, heading } from './columns.js';
import { grouped } from './grouped.js';
import { fitColumns, GAP, NARROWEST, type MeasuredColumn } from './fit-columns.js';
import { proseLines, prosePlace, type ProsePlace } from './prose.js';

const MEASURED_ROWS = 1000;
const ROWS_AT_ONCE = 200;
/** No row is padded to more than this, in characters, however long a cell is (docs/faults.md H30). */
const LONGEST = 300;
/** Characters of a cell that are shown at most, whatever the room. */
const MOST_OF_CELL = 4000;

type Row = readonly string[];

/** How the rows of a table are laid out, decided once from those that come first. */
interface Layout {
  /** The width of each column; undefined for those that are left out. */
  readonly widths: readonly (number | undefined)[];
  readonly rights: readonly boolean[];
  readonly wholes: readonly boolean[];
  /** Characters in a line, where cells are cut to them. */
  readonly room: number | undefined;
  /** Where sentences stand, and what comes before them; undefined without a column of them. */
  readonly prose: { readonly at: number; readonly place: ProsePlace; readonly before: number } | undefined;
  readonly head: Row | undefined;
  readonly ellipsis: string;
}

/** The columns to show; on a terminal sentences end a row, where they may be broken. */
function orderedColumns<T>(parts: ListParts<T>, options: RenderOptions): readonly Column<T>[] {
  const chosen = chosenColumns(parts, options);
  if (!options.look.terminal) return chosen;
  return chosen.toSorted((a, b) => Number(a.prose ?? false) - Number(b.prose ?? false));
}

/**
 * A table as padded columns, written as a stream: widths come from the first thousand rows. On a terminal columns are
 * left out, then cells cut, to its width.
 */
export async function* tableText<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const { look } = options;
  const columns = orderedColumns(parts, options);
  const head = options.header === false ? undefined : columns.map(heading);
  let rows: Row[] = [];
  /** Which cells stand out; the rows themselves stay as they are. */
  const styles = new WeakMap<Row, readonly (Style | undefined)[]>();
  if (head !== undefined) {
    rows.push(head);
    if (look.color) styles.set(head, new Array<Style>(columns.length).fill('bold'));
  }
  let layout: Layout | undefined;
  const painters = columns.map((column) => painterOf(column, look));
  const isPainted = look.color && painters.some((style) => style !== undefined);
  for await (const group of grouped(items)) {
    for (const item of group) {
      const row = columns.map((column) => bounded(cellText(column.value(item), look, column.day)));
      rows.push(row);
      if (isPainted)
        styles.set(
          row,
          painters.map((style) => style?.(item)),
        );
    }
    if (rows.length < (layout === undefined ? MEASURED_ROWS : ROWS_AT_ONCE)) continue;
    layout ??= layoutOf(columns, rows, { ...options, head, isLong: true });
    yield lines(rows, layout, styles, options);
    rows = [];
  }
  if (layout === undefined && rows.every((row) => row === head)) {
    options.onEmpty?.(parts.none ?? '');
    return;
  }
  layout ??= layoutOf(columns, rows, { ...options, head, isLong: false });
  if (rows.length > 0) yield lines(rows, layout, styles, options);
}

/** How the cells of a column stand out: as it says itself, else where they hold states. */
function painterOf<T>({ key, style, value }: Column<T>, look: Look): Column<T>['style'] {
  return style ?? (STATE_COLUMNS.includes(key) ? (item) => stateStyle(cellText(value(item), look)) : undefined);
}

function layoutOf<T>(
  columns: readonly Column<T>[],
  rows: readonly Row[],
  options: RenderOptions & { readonly head: Row | undefined; readonly isLong: boolean },
): Layout {
  const { look, format, fields, head } = options;
  const room = look.terminal && format === 'table' ? look.columns : undefined;
  const told = rows.filter((row) => row !== head);
  const all = columns.map((column, at): MeasuredColumn => {
    const widest = rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0);
    const constant = isConstant(told, at);
    return {
      // Rows that are yet to come may have longer cells.
      width: Math.min(LONGEST, options.isLong && room !== undefined ? least(column, widest) : widest),
      // What would take most of a line is cut after all, rather than all others left out.
      whole: (column.whole ?? at === 0) && widest <= ((room ?? Infinity) * 2) / 3,
      wanted:
        (at === 0 && column.spare === undefined) ||
        fields !== undefined ||
        column.telling === true ||
        (column.naming === true && !constant),
      spare: column.spare ?? 0,
      constant,
    };
  });
  const at = columns.at(-1)?.prose === true ? columns.length - 1 : -1;
  const { widths, place } =
    room === undefined
      ? { widths: all.map(({ width }) => width), place: 'line' as const }
      : fitted(all, at, room, look);
  const left = widths.filter((width) => width === undefined).length;
  if (left > 0) options.onLeftOut?.(left);
  return {
    widths,
    rights: columns.map(({ align }) => align === 'right'),
    wholes: all.map(({ whole }) => whole),
    room,
    prose: at <= 0 ? undefined : { at, place, before: takenBefore(widths, at) },
    head,
    ellipsis: look.unicode ? '…' : '...',
  };
}

/** The widths with sentences, if there are any at `prose`, where they fit best. */
function fitted(
  all: readonly MeasuredColumn[],
  prose: number,
  room: number,
  look: RenderOptions['look'],
): Pick<Layout, 'widths'> & { readonly place: ProsePlace } {
  const sentences = all[prose];
  if (sentences === undefined || prose <= 0) return { widths: fitColumns(all, room), place: 'line' };
  const others = all.slice(0, -1);
  const place = prosePlace(
    takenBefore(
      others.map(({ width }) => width),
      prose,
    ),
    sentences.width,
    look,
  );
  const widths = place === 'below' ? fitColumns(others, room) : others.map(({ width }) => width);
  return { widths: [...widths, sentences.width], place };
}

/** The minimum width of a column whose later cells may be longer: truncated ones must stay readable. */
const least = <T>({ align }: Column<T>, widest: number): number =>
  align === 'right' ? widest : Math.max(widest, NARROWEST);

/** Characters of a row before one of its cells, with the blanks. */
function takenBefore(widths: readonly (number | undefined)[], at: number): number {
  return widths.slice(0, at).reduce<number>((sum, width) => (width === undefined ? sum : sum + width + GAP.length), 0);
}

/** A cell that somebody made of megabytes is cut in every form of a table. */
const bounded = (cell: string): string =>
  cell.length > MOST_OF_CELL ? `${cell.slice(0, MOST_OF_CELL).replace(/[\ud800-\udbff]$/u, '')}...` : cell;

/** The width of a cell, as far as it decides how wide a column becomes. */
const widthOf = (cell: string): number => displayWidth(cell.length > LONGEST ? cell.slice(0, LONGEST) : cell);

/** Whether a column tells nothing: nothing or zeros only, or the same in several rows. */
function isConstant(rows: readonly Row[], at: number): boolean {
  const first = rows[0]?.[at];
  if (first === undefined || rows.some((row) => row[at] !== first)) return false;
  return rows.length > 1 || first === '-' || first === '0';
}

function lines(
  rows: readonly Row[],
  layout: Layout,
  styles: WeakMap<Row, readonly (Style | undefined)[]>,
  { look }: RenderOptions,
): string {
  const { widths, rights, wholes, room, prose, ellipsis } = layout;
  const last = widths.findLastIndex((width) => width !== undefined);
  // Rows that come later may be longer than those that were measured: what is left of the line is theirs.
  const slack =
    room === undefined ? Infinity : prose === undefined ? room - takenBefore(widths, widths.length) + GAP.length : 0;
  const most = widths.map((width = 0, at) => (wholes[at] === true || at === last ? width + slack : width));
  // One long loop over plain strings: a list of 100,000 rows spends a third of its time here.
  const text: string[] = [];
  for (const row of rows) {
    const painted = styles.get(row);
    let line = '';
    for (let at = 0; at <= last; at++) {
      const width = widths[at];
      if (width === undefined || at === prose?.at) continue;
      const cell = row[at] ?? '';
      const shown = room === undefined ? cell : cut(cell, most[at] ?? width, ellipsis);
      const aligned = at < last || rights[at] === true ? padded(shown, width, rights[at]) : shown;
      if (line !== '') line += GAP;
      const style = painted?.[at];
      line += style === undefined ? aligned : paint(look, style, aligned);
    }
    if (prose === undefined) text.push(line.trimEnd());
    else text.push(...proseLines(line + GAP, proseOf(row, layout, look), { ...prose, look }));
  }
  return `${text.join('\n')}\n`;
}

/** The sentences of a row. Below the rows they need no heading, and nowhere on a terminal a sign for none. */
function proseOf(row: Row, { head, prose }: Layout, look: RenderOptions['look']): string {
  const text = row[prose?.at ?? -1] ?? '';
  if (row === head) return prose?.place === 'below' ? '' : paint(look, 'bold', text);
  return text === '-' && prose?.place !== 'line' ? '' : text;
}
