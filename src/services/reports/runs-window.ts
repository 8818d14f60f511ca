import { CliError, type ErrorCode } from '../../core/errors.js';
import type { Platform } from '../../platform/client.js';
import { getDashboard, type DashboardRecord } from '../../platform/dashboard.js';

const FIRST_SLICE = 3600;
/** The platform takes 32 bits; the slices are asked for a little wider than they are. */
const LONGEST_SLICE = 2 ** 31 - 10;
const MOST_GROWTH = 8;
/** A reader that holds this many bytes of one answer stays far below its memory limit. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Answers that a shorter slice may not give. */
const TOO_MUCH: ReadonlySet<ErrorCode> = new Set(['TOO_LARGE', 'NET_TIMEOUT', 'NET_SLOW']);
const MOST_SHRINKS = 3;
/** Characters of namespaces in one request: the router refuses long addresses. */
const LONGEST_QUERY = 3000;
/** The clock of the platform may be ahead of ours by this many seconds. */
const AHEAD = 3600;

/** A run as the dashboard has it. */
export type Run = DashboardRecord & { readonly run: string };

/** Which runs: those of namespaces that touch a window of epoch seconds. */
export interface RunWindow {
  readonly namespaces: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The runs of a part of the window, by the time of their start. */
export interface RunSlice {
  /** Epoch seconds: runs that began in `[start, end)`, and in the first slice those that began before the window. */
  readonly start: number;
  readonly end: number;
  readonly runs: readonly Run[];
}

/** How the platform is asked. */
export interface SliceOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many runs one slice should have. */
  readonly wanted: number;
}

/** Every run of a window exactly once, oldest first, in slices whose length follows the number of runs, so that no answer is large however long the window is (contract 2). */
export async function* runSlices(
  platform: Platform,
  window: RunWindow,
  { now, wanted }: SliceOptions,
  signal: AbortSignal,
): AsyncGenerator<RunSlice, void, void> {
  const groups = groupsOf(window.namespaces);
  // Beyond now the platform would add all starts to come.
  const last = Math.min(window.end, Math.max(Math.floor(now / 1000) + AHEAD, window.start + 1));
  let length = FIRST_SLICE;
  let shrinks = 0;
  for (let start = window.start; start < last && groups.length > 0;) {
    const end = Math.min(last, start + length);
    try {
      const runs = await readSlice(platform, groups, { ...window, start, end }, signal);
      yield { start, end, runs: runs.filter((run) => touches(run, window) && belongs(run, start, end, window)) };
      // What runs for long is in every answer, however short the slice.
      const began = runs.filter((run) => run.start >= start && run.start < end).length;
      const growth = Math.min(MOST_GROWTH, Math.max(0.25, wanted / Math.max(1, began)));
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
}

/** Whether a run is in a window, by the rule of the platform's reports (contract 1.2). */
function touches({ start, end }: Run, window: RunWindow): boolean {
  return start < window.end && (end === undefined || end >= window.start);
}

/** Each run belongs to the slice that it began in, which needs no memory of those that were read before. */
function belongs(run: Run, start: number, end: number, window: RunWindow): boolean {
  return run.start < end && (run.start >= start || start === window.start);
}

async function readSlice(
  platform: Platform,
  groups: readonly (readonly string[])[],
  slice: RunWindow,
  signal: AbortSignal,
): Promise<readonly Run[]> {
  const runs = new Map<string, Run>();
  for (const namespaces of groups) {
    signal.throwIfAborted();
    const start = Math.max(0, slice.start - 1);
    const query = { namespaces, start, duration: slice.end + 1 - start };
    const records = await platform.call({ ...getDashboard, maxBytes: MOST_BYTES }, query, signal);
    for (const record of records) if (isRun(record)) runs.set(`${record.namespace} ${record.run}`, record);
  }
  const inOrder = (a: Run, b: Run): number => a.start - b.start || (a.run < b.run ? -1 : 1);
  return [...runs.values()].sort(inOrder);
}

const isRun = (record: DashboardRecord): record is Run => record.run !== undefined;

function groupsOf(namespaces: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let length = Infinity;
  for (const namespace of namespaces) {
    length += namespace.length + '&namespace='.length;
    if (length > LONGEST_QUERY) {
      groups.push([]);
      length = namespace.length;
    }
    groups.at(-1)?.push(namespace);
  }
  return groups;
}
