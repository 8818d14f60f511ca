/** Time as the tool sees it: a port that tests replace. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back; for durations and deadlines. */
  monotonic(): number;
  /** Waits; ends early with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The time of a clock in RFC 3339, with milliseconds. */
export const timestamp = (clock: Pick<Clock, 'now'>): string => new Date(clock.now()).toISOString();
