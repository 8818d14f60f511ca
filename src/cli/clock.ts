import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../core/clock.js';

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now: with it Node loads all of its measuring.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: async (milliseconds, signal) => {
    try {
      await wait(milliseconds, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
