import type { Dashboard } from '../services/dashboard/dashboard.js';
import type { Window } from '../services/dashboard/window.js';
import { hourText } from './clock-text.js';
import { visible } from './escape.js';
import { paint, type Look } from './look.js';
import { packed } from './pack-line.js';
import { paintState, STATE_KINDS, STATE_STYLES } from './states.js';
import { chosenRows, timelineRows, type MarkKind, type TimelineRow } from './timeline.js';
import { ticksOf } from './timeline-scale.js';
import { cut, displayWidth, padded } from './width.js';

type Sign = MarkKind | 'body' | 'now' | 'axis' | 'tick' | 'pointer';
type Signs = Readonly<Record<Sign, string>>;
type Cell = { readonly kind: MarkKind | 'body'; readonly of: MarkKind } | undefined;

const UNICODE: Signs = {
  ...{ completed: '●', failed: '✗', killed: '⊘', running: '▶', waiting: '▷', scheduled: '○', missed: '!' },
  ...{ body: '─', now: '│', axis: '─', tick: '┬', pointer: '▼' },
};
const ASCII: Signs = {
  ...{ completed: 'o', failed: 'x', killed: 'k', running: '>', waiting: 'w', scheduled: '.', missed: '!' },
  ...{ body: '-', now: '|', axis: '-', tick: '+', pointer: 'v' },
};
const GAP = '  ';
/** Characters for the time where nobody says how wide the paper is. */
const UNLIMITED = 120;
const NARROWEST = 20;
const TICK_ROOM = 8;

/** How large a timeline may become. */
export interface TimelineSize {
  /** Rows, without scale and legend; unlimited unless given. */
  readonly most?: number | undefined;
  /** What is said behind the number of hidden rows. */
  readonly hint?: string;
}

interface Grid {
  readonly window: Window;
  readonly now: number;
  readonly width: number;
  readonly signs: Signs;
  readonly look: Look;
}

function columnOf(at: number, { window: { start, end }, width }: Grid): number {
  return Math.min(width - 1, Math.max(0, Math.floor(((at - start) / (end - start)) * width)));
}

const hasNow = ({ window: { start, end }, now }: Grid): boolean => now >= start && now <= end;

/** The cells of a row: bars for long runs first, then the ends of runs, so that a bar hides no end. */
function cellsOf({ marks }: TimelineRow, grid: Grid): readonly Cell[] {
  const cells: Cell[] = Array.from({ length: grid.width }, () => undefined);
  const { window, width } = grid;
  for (const { kind, from, to } of marks) {
    // A short run that lies across the edge of two cells is no longer than others.
    if (to - from < (window.end - window.start) / width) continue;
    for (let at = columnOf(from, grid); at < columnOf(to, grid); at += 1) cells[at] = { kind: 'body', of: kind };
  }
  for (const { kind, to } of marks) cells[columnOf(to, grid)] = { kind, of: kind };
  return cells;
}

function rowText(row: TimelineRow, grid: Grid): string {
  const { signs, look } = grid;
  const now = hasNow(grid) ? columnOf(grid.now, grid) : -1;
  return cellsOf(row, grid)
    .map((cell, at) => {
      if (cell === undefined) return at === now ? paint(look, 'dim', signs.now) : ' ';
      return paint(look, STATE_STYLES[cell.of], signs[cell.kind]);
    })
    .join('')
    .trimEnd();
}

/** Two lines: the names of points in time where there is room for them, and the axis with its points. */
function scaleLines(grid: Grid): readonly string[] {
  const { signs, window, width, look } = grid;
  const names = ' '.repeat(width).split('');
  const axis = signs.axis.repeat(width).split('');
  const put = (label: string, column: number): void => {
    const around = names.slice(Math.max(0, column - 1), column + label.length + 1);
    const hasRoom = column + label.length <= width && around.every((sign) => sign === ' ');
    if (hasRoom) names.splice(column, label.length, ...Array.from(label));
  };
  if (hasNow(grid)) put('now', Math.min(columnOf(grid.now, grid), width - 'now'.length));
  for (const { at, label } of ticksOf(window, Math.max(1, Math.floor(width / TICK_ROOM)), look)) {
    axis[columnOf(at, grid)] = signs.tick;
    put(label, columnOf(at, grid));
  }
  if (hasNow(grid)) axis[columnOf(grid.now, grid)] = signs.pointer;
  return [names.join('').trimEnd(), axis.join('')];
}

function legend(rows: readonly TimelineRow[], grid: Grid): readonly string[] {
  const { signs, look, now } = grid;
  const present = new Set(rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const kinds = STATE_KINDS.filter((kind) => present.has(kind));
  const words = kinds.map((kind) => `${paintState(look, kind, signs[kind])} ${kind}`);
  return packed([...words, ...(hasNow(grid) ? [`${signs.now} now, ${hourText(now, look)}`] : [])], GAP, look);
}

/**
 * A timeline for a terminal: a scale, a row per pipeline, a line for now and a legend. Rows have marks where runs ended
 * and starts will be. Without items there are no lines.
 */
export function timelineLines(
  dashboard: Dashboard,
  look: Look,
  { most = Infinity, hint = '' }: TimelineSize = {},
): string[] {
  const all = timelineRows(dashboard);
  if (all.length === 0) return [];
  const rows = chosenRows(all, most);
  const columns = look.columns;
  const longest = rows.reduce((widest, { label }) => Math.max(widest, displayWidth(visible(label))), 0);
  const room = columns === undefined ? longest : Math.min(40, Math.max(12, Math.floor(columns * 0.3)));
  const label = Math.min(longest, room);
  const width = columns === undefined ? UNLIMITED : Math.max(NARROWEST, columns - label - GAP.length);
  const { window, now } = dashboard;
  const grid: Grid = { window, now, width, signs: look.unicode ? UNICODE : ASCII, look };
  const named = (text: string): string => padded(cut(visible(text), label, look.unicode ? '…' : '...'), label) + GAP;
  const hidden = all.length - rows.length;
  return [
    ...scaleLines(grid).map((line) => `${named('')}${line}`.trimEnd()),
    ...rows.map((row) => `${named(row.label)}${rowText(row, grid)}`.trimEnd()),
    ...(hidden === 0 ? [] : [paint(look, 'dim', `${hidden} more ${hidden === 1 ? 'pipeline' : 'pipelines'}${hint}`)]),
    ...legend(rows, grid),
  ];
}
