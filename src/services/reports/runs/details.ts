import { mapConcurrent } from '../../../core/concurrency.js';
import { largestOf, smallestOf } from '../../../core/collections.js';
import { PROGRAM_PATHS } from '../../../platform/apps.js';
import type { Platform } from '../../../platform/client.js';
import { argumentsOf, getRun, listRuns, type ProgramPlace, type RunRecord } from '../../../platform/runs.js';
import type { RunDetails } from './run-record.js';
import type { Run } from './window.js';

const PROGRAMS_AT_ONCE = 8;
/** Up to so many runs of one program are asked for one by one, more of them by the list. */
const FEW = 3;
/** Runs in the list beyond those that are looked for: others that began between them. */
const SPARE = 100;

interface ProgramRuns {
  readonly place: ProgramPlace;
  readonly runs: Run[];
}

/** The records of some runs by run id; a run that the platform no longer has is left out. */
export async function runRecordsOf(
  platform: Platform,
  runs: readonly Run[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunRecord>> {
  const found = new Map<string, RunRecord>();
  const read = (programRuns: ProgramRuns, each: AbortSignal): Promise<readonly RunRecord[]> =>
    readProgram(platform, programRuns, each);
  for await (const records of mapConcurrent(byProgram(runs), PROGRAMS_AT_ONCE, read, signal))
    for (const record of records) found.set(record.runid, record);
  return found;
}

/** What the record of a run tells besides; nothing without one. */
export function detailsIn(record: RunRecord | undefined): RunDetails {
  return record === undefined ? {} : { version: record.version, runtimeArgs: argumentsOf(record) };
}

/** A run as its record has it by now. */
export function asItIsNow(run: Run, record: RunRecord | undefined): Run {
  if (record === undefined) return run;
  const { start: running, end, status } = record;
  return { ...run, running, end, status };
}

function byProgram(runs: readonly Run[]): Iterable<ProgramRuns> {
  const programs = new Map<string, ProgramRuns>();
  for (const run of runs) {
    const type = PROGRAM_PATHS[run.type.toLowerCase()];
    if (type === undefined) continue;
    const place = { namespace: run.namespace, app: run.application.name, type, program: run.program };
    const key = Object.values(place).join('/');
    const known = programs.get(key);
    if (known === undefined) programs.set(key, { place, runs: [run] });
    else known.runs.push(run);
  }
  return programs.values();
}

async function readProgram(
  platform: Platform,
  { place, runs }: ProgramRuns,
  signal: AbortSignal,
): Promise<readonly RunRecord[]> {
  const listed = new Map<string, RunRecord>();
  if (runs.length > FEW) {
    const starts = runs.map(({ start }) => start);
    const [start, end] = [Math.max(0, smallestOf(starts) - 1), largestOf(starts) + 2];
    const selection = { ...place, start, end, limit: runs.length + SPARE };
    for (const record of (await platform.find(listRuns, selection, signal)) ?? []) listed.set(record.runid, record);
  }
  const found: RunRecord[] = [];
  for (const { run } of runs) {
    const record = listed.get(run) ?? (await platform.find(getRun, { ...place, run }, signal));
    if (record !== undefined) found.push(record);
  }
  return found;
}
