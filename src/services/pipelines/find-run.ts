import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import type { NextStep } from '../../core/next-step.js';
import { SeveralMeant } from '../../core/several-meant.js';
import type { Platform } from '../../platform/client.js';
import { getRun, listRuns, type ProgramPlace, type RunRecord } from '../../platform/runs.js';

const PREFIX = /^[0-9a-f][0-9a-f-]{7,35}$/u;
/** So many runs are looked through for the beginning of an id, newest first. */
const LOOKED_THROUGH = 5000;
/** How often a hidden run is looked for, and the pause in milliseconds (docs/platform.md 8.1). */
const [LOOKS, LOOK_AGAIN] = [4, 600];

/** Whether a text is a whole run id. */
export const isWholeId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text);

/** The pipeline that a run is of; `program` is undefined for another application. */
export interface RunOwner {
  readonly namespace: string;
  readonly name: string;
  readonly program: { readonly type: string; readonly name: string } | undefined;
}

/**
 * The run that a text names: a whole id, a unique beginning of eight characters or more, or `latest`. The id of a run
 * inside it stands for it. With a `clock`, a run that does not show yet is looked for again.
 * @throws USAGE, NOT_FOUND when there is none, or SeveralMeant
 */
export async function findRun(
  text: string,
  pipeline: RunOwner,
  platform: Platform,
  signal: AbortSignal,
  clock?: Clock,
): Promise<RunRecord> {
  const { namespace, name: app, program } = pipeline;
  if (program === undefined)
    throw new CliError('USAGE', `"${app}" is not a pipeline, so its runs cannot be selected`, {
      hints: [{ next: 'tag-run' }],
    });
  const wanted = text.toLowerCase();
  const place = { namespace, app, type: program.type, program: program.name };
  const target = { namespace, pipeline: app, run: text };
  if (wanted === 'latest') {
    const [latest] = await newestRuns(place, 1, platform, signal);
    if (latest !== undefined) return latest;
    throw new CliError('NOT_FOUND', `pipeline "${app}" has not run yet`, {
      hints: [{ next: 'start-run', pipeline: `${namespace}/${app}` }],
      target,
    });
  }
  if (isWholeId(wanted)) {
    const look = () => platform.find(getRun, { ...place, run: wanted }, signal);
    let run = (await look()) ?? (await outerRun(wanted, place, platform, signal));
    for (let looks = 0; run === undefined && clock !== undefined && looks < LOOKS; looks++) {
      await clock.sleep(LOOK_AGAIN, signal);
      run = await look();
    }
    if (run !== undefined) return run;
    throw new CliError('NOT_FOUND', `pipeline "${app}" has no run ${wanted}`, { hints: [runsOf(place)], target });
  }
  if (!PREFIX.test(wanted))
    throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is not a run`, {
      hints: ['use a run ID, its first 8 or more characters, or latest'],
    });
  return runWithPrefix(wanted, place, platform, signal);
}

const innerIds = ({ properties }: RunRecord): readonly string[] =>
  Object.values(properties)
    .filter((value) => typeof value === 'string')
    .filter(isWholeId);

/** The run that a run inside it belongs to: reports of all programs have the ids of those. */
export async function outerRun(
  inner: string,
  place: ProgramPlace,
  platform: Platform,
  signal: AbortSignal,
): Promise<RunRecord | undefined> {
  const runs = await newestRuns(place, LOOKED_THROUGH, platform, signal);
  return runs.find((run) => innerIds(run).includes(inner));
}

async function runWithPrefix(
  prefix: string,
  place: ProgramPlace,
  platform: Platform,
  signal: AbortSignal,
): Promise<RunRecord> {
  const runs = await newestRuns(place, LOOKED_THROUGH, platform, signal);
  const begins = (id: string): boolean => id.toLowerCase().startsWith(prefix);
  const own = runs.filter(({ runid }) => begins(runid));
  const [found, ...others] = own.length > 0 ? own : runs.filter((run) => innerIds(run).some(begins));
  if (found === undefined) {
    const older =
      runs.length === LOOKED_THROUGH ? [`only the newest ${LOOKED_THROUGH} runs were searched: use the full ID`] : [];
    const latest: readonly NextStep[] = runs.length > 0 ? [{ next: 'take-latest-run' }] : [];
    throw new CliError('NOT_FOUND', `pipeline "${place.app}" has no run whose ID starts with ${prefix}`, {
      hints: [...older, ...latest, runsOf(place)],
      target: { namespace: place.namespace, pipeline: place.app, run: prefix },
    });
  }
  if (others.length === 0) return found;
  throw new SeveralMeant(
    `${others.length + 1} runs of "${place.app}" have an ID that starts with ${prefix}`,
    [found, ...others].map(({ runid: id, status, start, starting }) => ({ id, status, at: start ?? starting })),
  );
}

const runsOf = ({ namespace, app }: ProgramPlace): NextStep => ({ next: 'list-runs', pipeline: `${namespace}/${app}` });

async function newestRuns(
  place: ProgramPlace,
  limit: number,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly RunRecord[]> {
  return platform.call(listRuns, { ...place, limit }, signal);
}
