import * as z from 'zod/mini';
import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import { PROGRAM_PATHS } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { getRun, listRuns, type ProgramPlace, type RunRecord } from '../../platform/runs.js';
import type { RunDetails } from './runs-record.js';
import type { Run, RunSlice } from './runs-window.js';

const PROGRAMS_AT_ONCE = 8;
/** Up to so many runs of one program are asked for one by one, more of them by the list. */
const FEW = 3;
/** Runs in the list beyond those that are looked for: what begins meanwhile, or at the edge of the slice. */
const SPARE = 100;

const Arguments = z.record(z.string(), z.string());

interface Wanted {
  readonly place: ProgramPlace;
  readonly runs: Run[];
}

/** What the records of runs tell of some runs of a slice, by run id; a run that the platform no longer has is left out. */
export async function detailsOf(
  platform: Platform,
  runs: readonly Run[],
  slice: Pick<RunSlice, 'start' | 'end'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunDetails>> {
  const details = new Map<string, RunDetails>();
  const read = (wanted: Wanted, each: AbortSignal): Promise<readonly RunRecord[]> =>
    recordsOf(platform, wanted, slice, each);
  for await (const records of mapConcurrent(byProgram(runs), PROGRAMS_AT_ONCE, read, signal))
    for (const { runid, version, properties } of records)
      details.set(runid, { version, runtimeArgs: argumentsOf(properties['runtimeArgs']) });
  return details;
}

function byProgram(runs: readonly Run[]): Iterable<Wanted> {
  const programs = new Map<string, Wanted>();
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

async function recordsOf(
  platform: Platform,
  { place, runs }: Wanted,
  { start, end }: Pick<RunSlice, 'start' | 'end'>,
  signal: AbortSignal,
): Promise<readonly RunRecord[]> {
  const listed = new Map<string, RunRecord>();
  const here = runs.filter((run) => run.start >= start);
  if (here.length > FEW) {
    const selection = { ...place, start: Math.max(0, start - 1), end: end + 1, limit: here.length + SPARE };
    const records = (await platform.find(listRuns, selection, signal)) ?? [];
    for (const record of records) listed.set(record.runid, record);
  }
  const found: RunRecord[] = [];
  for (const { run } of runs) {
    const record = listed.get(run) ?? (await platform.find(getRun, { ...place, run }, signal));
    if (record !== undefined) found.push(record);
  }
  return found;
}

/** The arguments, which are JSON inside a string (contract 8.1); undefined when they are not. */
function argumentsOf(text: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return Arguments.safeParse(parseJson(Buffer.from(text), 'the runtime arguments')).data;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
