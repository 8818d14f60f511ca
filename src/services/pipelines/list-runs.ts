import type { Platform } from '../../platform/client.js';
import { listRuns, type ProgramPlace, type RunRecord } from '../../platform/runs.js';

/** Runs in one answer: all that is kept of a long history. */
const AT_ONCE = 1000;

/** Which runs of a pipeline to list; times in epoch seconds, those requested in `[start, end)`. */
export interface RunsWanted {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** All, if empty. */
  readonly statuses: readonly string[];
  /** Undefined: all. */
  readonly limit: number | undefined;
}

/** The runs of a pipeline, newest first, a page at a time. */
export async function* pipelineRunRecords(
  place: ProgramPlace,
  { start, end, statuses, limit = Infinity }: RunsWanted,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<RunRecord> {
  // A list has no pages: the next one ends with the second in which this one did, whose runs come twice.
  let seen = new Set<string>();
  let before = end;
  let size = statuses.length === 0 ? Math.min(limit, AT_ONCE) : AT_ONCE;
  const status = statuses.length === 1 ? statuses[0] : undefined;
  for (let count = 0; count < limit;) {
    const page = await platform.call(listRuns, { ...place, start, end: before, status, limit: size }, signal);
    for (const record of page) {
      if (seen.has(record.runid) || (statuses.length > 0 && !statuses.includes(record.status))) continue;
      yield record;
      if (++count === limit) return;
    }
    const last = page.at(-1)?.starting;
    if (page.length < size || last === undefined) return;
    const next = last + 1;
    // More runs in one second than a page has: only a larger page goes past them.
    size = next === before ? size * 2 : AT_ONCE;
    before = next;
    seen = new Set(page.flatMap(({ runid, starting }) => (starting === last ? [runid] : [])));
  }
}
