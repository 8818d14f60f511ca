import { largestOf, smallestOf } from '../core/collections.js';
import type { Look } from './look.js';

const BARS = { unicode: '▁▂▃▄▅▆▇█', plain: '_.:-=+*#' } as const;
/** More columns than this tell no more. */
export const WIDEST_SPARKLINE = 40;

/**
 * Values over a time window; missing points are 0. Points are in epoch seconds, `step` seconds apart where there is
 * one.
 */
export interface Course {
  readonly points: readonly { readonly time: number; readonly value: number }[];
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/**
 * The course of numbers as a line of bars, the lowest for nothing at all. `?` where something is no number. Neighbours
 * that share a column are added up.
 */
export function sparkline(
  { points, start, end, step }: Course,
  { unicode }: Pick<Look, 'unicode'>,
  widest = WIDEST_SPARKLINE,
): string {
  // Points stand at round times: the first one can stand before the window.
  const first = Math.floor(start / step) * step;
  const steps = Math.max(1, Math.ceil((end - first) / step));
  const columns = Math.min(widest, steps);
  const sums = Array<number>(columns).fill(0);
  for (const { time, value } of points) {
    const at = Math.floor(((time - first) / step / steps) * columns);
    const column = Math.min(columns - 1, Math.max(0, at));
    sums[column] = (sums[column] ?? 0) + value;
  }
  const bars = unicode ? BARS.unicode : BARS.plain;
  const finite = sums.filter(Number.isFinite);
  const low = smallestOf([0, ...finite]);
  const height = largestOf([0, ...finite]) - low;
  return sums.map((sum) => bar(sum, low, height, bars)).join('');
}

function bar(sum: number, low: number, height: number, bars: string): string {
  if (Number.isNaN(sum)) return '?';
  if (height === 0 || sum === low) return bars.charAt(0);
  // What is more than nothing must not look like it.
  const level = Math.min(bars.length - 1, Math.max(1, Math.ceil(((sum - low) / height) * (bars.length - 1))));
  return bars.charAt(level);
}
