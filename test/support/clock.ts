import type { Clock } from '../../src/core/clock.js';

/** A signal that is never aborted. */
export const NEVER = new AbortController().signal;

/** A clock at a time in milliseconds; sleeping takes none unless told. */
export function clockAt(now: number | (() => number), sleep: Clock['sleep'] = () => Promise.resolve()): Clock {
  const time = typeof now === 'number' ? () => now : now;
  return { now: time, monotonic: time, sleep };
}
