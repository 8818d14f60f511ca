import { CliError } from '../../core/errors.js';
import { parseTime } from '../../core/time.js';
import type { Window } from '../../services/dashboard/window.js';

const HALF_DAY = 12 * 3600;
/** The platform keeps the length of a window in 32 bits (docs/platform.md 2). */
const LONGEST = 2 ** 31 - 1;

/** The flags that choose a window; durations in milliseconds, `start` as it was written. */
export interface WindowFlags {
  readonly start?: string | undefined;
  readonly duration?: number | undefined;
  readonly last?: number | undefined;
  readonly next?: number | undefined;
  /** Whether times that name no zone are UTC, and not local. */
  readonly utc?: boolean | undefined;
}

const secondsOf = (milliseconds: number): number => Math.round(milliseconds / 1000);

/**
 * The time window that flags ask for, by default the last and the next twelve hours. `now` is in milliseconds.
 * @throws USAGE when the platform would refuse the window (docs/faults.md P33)
 */
export function windowOf({ start, duration, last, next, utc }: WindowFlags, now: number): Window {
  const current = Math.floor(now / 1000);
  if (start === undefined && duration === undefined) {
    const isOpen = last === undefined && next === undefined;
    const before = isOpen ? HALF_DAY : secondsOf(last ?? 0);
    const after = isOpen ? HALF_DAY : secondsOf(next ?? 0);
    return checked({ start: current - before, end: current + after });
  }
  if (last !== undefined || next !== undefined)
    throw new CliError('USAGE', 'use either --start and --duration, or --last and --next');
  const from = start === undefined ? current : Math.floor(parseTime(start, now, utc) / 1000);
  const until = duration === undefined ? Math.max(current, from) : from + secondsOf(duration);
  return checked({ start: from, end: until });
}

function checked({ start, end }: Window): Window {
  if (start < 0) throw new CliError('USAGE', 'the time window starts before 1970');
  if (end - start > LONGEST) throw new CliError('USAGE', 'the time window is longer than 68 years');
  if (end <= start)
    throw new CliError('USAGE', 'the time window is empty', {
      hints: ['--last 6h --next 2h', '--start 2026-07-01 --duration 1d'],
    });
  return { start, end };
}
