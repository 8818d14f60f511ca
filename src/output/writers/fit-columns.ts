import { counted } from '../../core/counted.js';

/** Blanks between two columns. */
export const GAP = '  ';
/** No cell is cut below this, in characters. */
export const NARROWEST = 12;

/** A column as it was measured. */
export interface MeasuredColumn {
  /** What its widest cell takes, in characters. */
  readonly width: number;
  /** Whether its cells are not to be cut. */
  readonly whole: boolean;
  /** Whether it was requested by name or identifies the row: dropped only as a last resort. */
  readonly wanted: boolean;
  /** Left out before cells are cut, those with the highest number first. */
  readonly spare: number;
  /** Whether it tells nothing: the same in all rows. */
  readonly constant: boolean;
}

/**
 * Fits columns into a row of `room` characters; undefined for a column that is dropped. Constant columns go first, then
 * those that can be spared. Only then are cells truncated, the widest first.
 */
export function fitColumns(columns: readonly MeasuredColumn[], room: number): readonly (number | undefined)[] {
  const shown = new Set(columns.keys());
  const fits = (): boolean => taken(columns, shown) <= room;
  const free = [...columns.keys()].filter((at) => columns[at]?.wanted !== true).reverse();
  const constant = free.filter((at) => columns[at]?.constant);
  const spare = free
    .filter((at) => (columns[at]?.spare ?? 0) > 0 && !constant.includes(at))
    .sort((a, b) => (columns[b]?.spare ?? 0) - (columns[a]?.spare ?? 0));
  for (const at of [...constant, ...spare]) {
    if (fits() || shown.size === 1) break;
    shown.delete(at);
  }
  // What took much may have made room for several that take little.
  for (const at of spare.reverse()) {
    if (shown.has(at)) continue;
    shown.add(at);
    if (!fits()) shown.delete(at);
  }
  for (const at of [...free, ...[...columns.keys()].slice(1).reverse()]) {
    if (shown.size === 1 || taken(columns, shown, 'least') <= room) break;
    shown.delete(at);
  }
  return cutWidths(columns, shown, room);
}

/** What the columns of a row take with the blanks between them. */
function taken(columns: readonly MeasuredColumn[], shown: ReadonlySet<number>, least?: 'least'): number {
  let sum = -GAP.length;
  for (const at of shown) {
    const { width = 0, whole = false } = columns[at] ?? {};
    sum += (least !== undefined && !whole ? Math.min(width, NARROWEST) : width) + GAP.length;
  }
  return sum;
}

function cutWidths(
  columns: readonly MeasuredColumn[],
  shown: ReadonlySet<number>,
  room: number,
): readonly (number | undefined)[] {
  const widths = columns.map(({ width }, at) => (shown.has(at) ? width : undefined));
  const soft = [...shown].filter((at) => columns[at]?.whole !== true);
  for (let over = taken(columns, shown) - room; over > 0; over -= 1) {
    const widest = soft.reduce((most, at) => Math.max(most, widths[at] ?? 0), 0);
    if (widest <= NARROWEST) break;
    const at = soft.findLast((one) => widths[one] === widest) ?? 0;
    widths[at] = widest - 1;
  }
  // What must stay whole and stands alone is cut where it has to be: no row leaves the terminal.
  return shown.size === 1 ? widths.map((width) => width && Math.min(width, room)) : widths;
}

/** How people are told of columns that a terminal has no room for. */
export const leftOutText = (columns: number): string => `${counted(columns, 'column')} hidden: -o wide shows all`;
