import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { getDashboard, namespaceGroups, type DashboardRecord } from '../../platform/dashboard.js';
import type { Platform } from '../../platform/client.js';
import { isOver } from './item.js';
import type { Window } from './window.js';

const DAY = 86_400;
/** Slices grow below the first number of records in an answer and shrink above the second. */
const FEW = 5000;
const MANY = 50_000;
const LONGEST_SLICE = 64 * DAY;
/** A run that only goes on is listed where it gave a sign of life, every 1800 seconds. Two of them and a margin. */
const SIGN_OF_LIFE = 3700;
const GROUPS_AT_ONCE = 4;

/** The identity of a record: a run by its id, unique on a platform; a planned start by its time. */
function keyOf({ namespace, application, type, program, run, start }: DashboardRecord): string {
  return run ?? JSON.stringify([namespace, application.name, type, program, start]);
}

/** A window, and when it is looked at, in epoch seconds. */
export interface LookedAt extends Window {
  readonly now: number;
}

/** The time from which to ask the platform, so that a run that spans a short window is listed. */
function beginOf({ start, end, now }: LookedAt): number {
  return start > now ? start : Math.max(0, Math.min(start, Math.min(end, now) - SIGN_OF_LIFE));
}

/** Whether a record reaches into a window that begins at `begin`. */
function reaches({ run, start, end, status }: DashboardRecord, begin: number): boolean {
  const until = run === undefined || isOver(status) ? start : Infinity;
  return (end ?? until) >= begin;
}

/**
 * Asks for one slice, in as many requests as the namespaces need, and gives each answer to `take`. The number of
 * records, or undefined when an answer is larger than is taken.
 */
async function slice(
  groups: readonly (readonly string[])[],
  { start, end }: Window,
  take: (records: readonly DashboardRecord[]) => void,
  platform: Platform,
  signal: AbortSignal,
): Promise<number | undefined> {
  // All answers that are read at the same time have the room of one.
  const maxBytes = Math.floor(getDashboard.maxBytes / Math.min(groups.length, GROUPS_AT_ONCE));
  const ask = (namespaces: readonly string[], each: AbortSignal): Promise<readonly DashboardRecord[]> =>
    platform.call({ ...getDashboard, maxBytes }, { namespaces, start, duration: end - start }, each);
  let count = 0;
  try {
    for await (const records of mapConcurrent(groups, GROUPS_AT_ONCE, ask, signal)) {
      take(records);
      count += records.length;
    }
    return count;
  } catch (error) {
    if (error instanceof CliError && error.code === 'TOO_LARGE' && end > start) return undefined;
    throw error;
  }
}

/**
 * Reads every wanted run and start that touches a window, each once. A long window is read in slices whose length
 * depends on the size of the answers, so that each answer stays bounded. Records of a later slice replace earlier ones.
 * The result can be iterated only once. 6.1.1 lists a start twice (docs/platform.md 2).
 */
export async function readDashboard(
  namespaces: readonly string[],
  window: LookedAt,
  isWanted: (record: DashboardRecord) => boolean,
  platform: Platform,
  signal: AbortSignal,
): Promise<Iterable<DashboardRecord>> {
  const groups = namespaceGroups(namespaces);
  if (groups.length === 0) return [];
  const found = new Map<string, DashboardRecord>();
  // What a later slice tells of a run is younger.
  const take = (records: readonly DashboardRecord[]): void => {
    for (const record of records)
      if (isWanted(record)) found.set(keyOf(record), record);
      else found.delete(keyOf(record));
  };
  let [start, length] = [beginOf(window), 2 * DAY];
  while (start <= window.end) {
    const end = Math.min(window.end, start + length - 1);
    const count = await slice(groups, { start, end }, take, platform, signal);
    if (count === undefined) {
      length = Math.ceil((end - start + 1) / 4);
      continue;
    }
    start = end + 1;
    if (count > MANY) length = Math.max(600, Math.ceil(length / 4));
    else if (count < FEW) length = Math.min(LONGEST_SLICE, length * 2);
  }
  return taken(found, window.start);
}

/**
 * The records that reach into a window that begins at `begin`. Each is forgotten here when it is taken, as a million of
 * them need much room.
 */
function* taken(found: Map<string, DashboardRecord>, begin: number): Generator<DashboardRecord> {
  for (const [key, record] of found) {
    found.delete(key);
    if (reaches(record, begin)) yield record;
  }
}
