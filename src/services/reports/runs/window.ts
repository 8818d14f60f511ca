import { CliError, type ErrorCode } from '../../../core/errors.js';
import type { Platform } from '../../../platform/client.js';
import { getDashboard, namespaceGroups, type DashboardRecord } from '../../../platform/dashboard.js';

const FIRST_SLICE = 3600;
/** The platform takes 32 bits; the slices are asked for a little wider than they are. */
const LONGEST_SLICE = 2 ** 31 - 10;
const MOST_GROWTH = 8;
/** A reader that holds this many bytes of one answer stays far below its memory limit. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Answers that a shorter slice may not give. */
const TOO_MUCH: ReadonlySet<ErrorCode> = new Set(['TOO_LARGE', 'NET_TIMEOUT', 'NET_SLOW']);
const MOST_SHRINKS = 3;
/** The clock of the platform may be ahead of ours by this many seconds. */
const AHEAD = 3600;
/** A run that only goes on gives a sign of life every 1800 seconds; two of them and a margin. */
const SIGN_OF_LIFE = 3700;

/** A run as the dashboard has it. */
export type Run = DashboardRecord & { readonly run: string };

/** Which runs: those of namespaces that touch a window of epoch seconds. */
export interface RunWindow {
  readonly namespaces: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Some runs of the window. */
export interface RunSlice {
  readonly runs: readonly Run[];
  /** Whether they had not ended when the window did: what the dashboard tells of them is as old as that. */
  readonly isOpen: boolean;
}

/** How the platform is asked. */
export interface SliceOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many runs one slice should have. */
  readonly wanted: number;
}

/**
 * Reads every run of a window exactly once, in slices, so that no answer is large. The length of a slice depends on the
 * number of runs. The dashboard lists a run in a slice in which something happened to it, or it gave a sign of life, in
 * its state at the end of that slice (seen on 6.1.1). So each run is taken from the slice in which it ended, and those
 * still going from the last slice that lists them.
 */
export async function* runSlices(
  platform: Platform,
  window: RunWindow,
  { now, wanted }: SliceOptions,
  signal: AbortSignal,
): AsyncGenerator<RunSlice, void, void> {
  const ask = asker(platform, window.namespaces, signal);
  // Beyond now the platform would add all starts to come.
  const today = Math.floor(now / 1000);
  const last = Math.min(window.end, Math.max(today + AHEAD, window.start + 1));
  const isOpen = (run: Run): boolean => run.start < window.end && (run.end === undefined || run.end >= last);
  const open = new Map<string, Run>();
  let length = FIRST_SLICE;
  let shrinks = 0;
  // From before a short window on, where what runs on gave its last sign of life.
  for (let start = Math.max(0, Math.min(window.start, Math.min(last, today) - SIGN_OF_LIFE)); start < last;) {
    const end = Math.min(last, start + length);
    try {
      const seen = await ask(start, end);
      const runs = seen.filter((run) => run.end !== undefined && run.end >= start && run.end < end);
      // Some never give a sign of life, those that are suspended or pending: kept until the slice in which they end.
      for (const run of seen) if (isOpen(run)) open.set(keyOf(run), run);
      for (const run of runs) open.delete(keyOf(run));
      const within = runs.filter((run) => run.start < window.end && Number(run.end) >= window.start);
      yield { runs: within, isOpen: false };
      const growth = Math.min(MOST_GROWTH, Math.max(0.25, wanted / Math.max(1, runs.length)));
      length = Math.min(LONGEST_SLICE, Math.max(1, Math.round((end - start) * growth)));
      start = end;
      shrinks = 0;
    } catch (error) {
      const isTooMuch = error instanceof CliError && TOO_MUCH.has(error.code);
      if (!isTooMuch || end - start === 1) throw error;
      // A platform that is merely away answers a shorter slice no sooner.
      if (error.code !== 'TOO_LARGE' && ++shrinks > MOST_SHRINKS) throw error;
      length = Math.max(1, Math.floor((end - start) / 4));
    }
  }
  yield { runs: [...open.values()].sort(byStart), isOpen: true };
}

const byStart = (a: Run, b: Run): number => a.start - b.start || (a.run < b.run ? -1 : 1);
const keyOf = ({ namespace, run }: Run): string => `${namespace} ${run}`;

/** Reads the runs of `[start, end]` in order of start, in as many requests as the namespaces need. */
function asker(platform: Platform, namespaces: readonly string[], signal: AbortSignal) {
  const groups = namespaceGroups(namespaces);
  return async (from: number, to: number): Promise<readonly Run[]> => {
    const runs = new Map<string, Run>();
    for (const group of groups) {
      signal.throwIfAborted();
      const start = Math.max(0, from - 1);
      const query = { namespaces: group, start, duration: to + 1 - start };
      const records = await platform.call({ ...getDashboard, maxBytes: MOST_BYTES }, query, signal);
      for (const record of records) if (isRun(record)) runs.set(keyOf(record), record);
    }
    return [...runs.values()].sort(byStart);
  };
}

const isRun = (record: DashboardRecord): record is Run => record.run !== undefined;
