import type { Clock } from '../../core/clock.js';
import { formatDuration, lengthText } from '../../core/duration.js';
import { CliError, isPassing } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import { joinSignals } from '../../core/join-signals.js';
import type { Platform } from '../../platform/client.js';
import { getRun, type RunRecord } from '../../platform/runs.js';
import type { FoundPipeline } from './find.js';
import { outerRun } from './find-run.js';
import { isOver } from './run-record.js';

/** A new run may be invisible for some seconds (docs/platform.md 8.1), in milliseconds. */
const INVISIBLE = 30_000;
/** The first pause; a short run is not waited for as long as one of hours. */
const FIRST_PAUSE = 500;
/** What a look may take though less of the wait is left, and what a timer can hold, in milliseconds. */
const [SHORTEST_LOOK, LONGEST_TIMER] = [5000, 2 ** 31 - 1];

/** How long a run is waited for, and for what; times in milliseconds. */
export interface RunPatience {
  readonly until: 'done' | 'running';
  readonly timeout: number;
  readonly interval: number;
  /** How long the platform may be away; undefined: as long as the wait lasts. */
  readonly outage: number | undefined;
  /** The id may be that of a run inside the one that is meant. */
  readonly mayBeInner?: boolean;
}

/** The platform that is asked for a run, the clock of the wait, and where progress is reported. */
export interface RunDeps {
  readonly platform: Platform;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** What a command calls a pipeline. */
export const pipelineWord = ({ namespace, name }: Pick<FoundPipeline, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/**
 * Waits until a run has come to its end, or runs. Outages of the platform are waited through.
 * @throws STILL_RUNNING after the time, NOT_FOUND for a run that does not show, the error of an outage that is too long
 */
export async function waitForRun(
  runid: string,
  pipeline: FoundPipeline,
  { until, timeout, interval, outage = Infinity, mayBeInner = false }: RunPatience,
  deps: RunDeps,
): Promise<RunRecord> {
  const { clock, emit, signal } = deps;
  const from = clock.monotonic();
  const look = lookFor(runid, pipeline, mayBeInner, deps);
  let [seen, away]: [RunRecord | undefined, number | undefined] = [undefined, undefined];
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, interval)) {
    const now = clock.monotonic();
    try {
      const rest = Math.min(from + timeout, (away ?? now) + outage) - now;
      const run = await within(Math.min(Math.max(rest, SHORTEST_LOOK), LONGEST_TIMER), look, deps);
      if (run === undefined && (seen !== undefined || now - from > INVISIBLE)) throw noSuchRun(runid, pipeline);
      if (run !== undefined && run.status !== seen?.status)
        emit({ type: 'state', what: `run ${run.runid.slice(0, 8)}`, state: run.status });
      seen = run ?? seen;
      away = undefined;
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      if (away === undefined)
        emit({ type: 'warning', code: 'AWAY', message: `platform not responding, retrying: ${error.message}` });
      away ??= now;
      if (clock.monotonic() - away >= outage || clock.monotonic() - from >= timeout)
        throw lostSight(error, runid, pipeline);
    }
    if (seen !== undefined && (isOver(seen.status) || (until === 'running' && seen.status === 'RUNNING'))) return seen;
    const rest = from + timeout - clock.monotonic();
    if (rest <= 0) throw stillGoing(runid, pipeline, timeout, seen);
    await clock.sleep(Math.min(pause, interval, rest), signal);
  }
}

/** Looks at a run. Whether an id that does not show is that of a run inside another one is asked once. */
function lookFor(
  runid: string,
  { place }: FoundPipeline,
  mayBeInner: boolean,
  { platform }: Pick<RunDeps, 'platform'>,
): (signal: AbortSignal) => Promise<RunRecord | undefined> {
  let [run, mayBeOther] = [runid, mayBeInner];
  return async (signal) => {
    const own = await platform.find(getRun, { ...place, run }, signal);
    if (own !== undefined || !mayBeOther) return own;
    const outer = await outerRun(run, place, platform, signal);
    [run, mayBeOther] = [outer?.runid ?? run, false];
    return outer;
  };
}

/** Looks for so long: a platform that wants to be asked again in minutes does not outlast a wait. */
async function within<T>(
  most: number,
  look: (signal: AbortSignal) => Promise<T>,
  { clock, signal }: Pick<RunDeps, 'clock' | 'signal'>,
): Promise<T> {
  const [limited, timer] = [joinSignals(signal), joinSignals(signal)];
  clock.sleep(most, timer.signal).then(
    () => {
      limited.abort(new CliError('UNAVAILABLE', `no response within ${formatDuration(most)}`));
    },
    () => undefined,
  );
  try {
    return await look(limited.signal);
  } finally {
    timer.abort(new Error('done'));
    timer.release();
    limited.release();
  }
}

const targetOf = (runid: string, { namespace, name }: FoundPipeline): Readonly<Record<string, string>> => ({
  namespace,
  pipeline: name,
  run: runid,
});

function noSuchRun(runid: string, pipeline: FoundPipeline): CliError {
  return new CliError('NOT_FOUND', `pipeline "${pipeline.name}" has no run ${runid}`, {
    hints: [{ next: 'list-runs', pipeline: pipelineWord(pipeline) }],
    target: targetOf(runid, pipeline),
  });
}

function lostSight({ code, message, details }: CliError, runid: string, pipeline: FoundPipeline): CliError {
  return new CliError(code, `the platform does not respond, so the state of run ${runid} is unknown: ${message}`, {
    ...details,
    hints: [{ next: 'wait-for-run', pipeline: pipelineWord(pipeline), run: runid }],
    target: targetOf(runid, pipeline),
  });
}

function stillGoing(runid: string, pipeline: FoundPipeline, timeout: number, seen: RunRecord | undefined): CliError {
  const state = seen === undefined ? 'is not visible yet' : `is ${seen.status}`;
  return new CliError('STILL_RUNNING', `run ${runid} ${state} after ${formatDuration(timeout)}; it continues`, {
    hints: [{ next: 'wait-for-run', pipeline: pipelineWord(pipeline), run: runid }],
    target: targetOf(runid, pipeline),
  });
}

/** The error of a run that ended in another way than COMPLETED; undefined for one that did not. */
export function failureOfRun(
  { runid, status, starting, end }: RunRecord,
  pipeline: FoundPipeline,
): CliError | undefined {
  if (!isOver(status) || status === 'COMPLETED') return undefined;
  const after = starting === undefined || end === undefined ? '' : ` after ${lengthText(end - starting)}`;
  return new CliError('RUN_FAILED', `run ${runid} of pipeline "${pipeline.name}" is ${status}${after}`, {
    hints: [{ next: 'why-run', pipeline: pipelineWord(pipeline), run: runid }],
    target: targetOf(runid, pipeline),
  });
}
