import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import { counted } from '../../core/counted.js';
import { asError, CliError } from '../../core/errors.js';
import type { RunRecord } from '../../platform/runs.js';
import { findPipelineRun } from '../../services/pipelines/find.js';
import { isOver } from '../../services/pipelines/run-record.js';
import { activeRuns } from '../../services/pipelines/status.js';
import { stopOneRun, type StoppedRun } from '../../services/pipelines/stop.js';
import { pipelineWord } from '../../services/pipelines/wait.js';
import { writing } from '../run-lock.js';
import { isWholeId } from './inputs.js';
import { awaitRun, runPatience, tellTarget, waitingOf, type Operation } from './operate.js';

/** Which runs are to stop, and whether their end is waited for (milliseconds). */
export interface StopWish {
  readonly runs: readonly string[];
  readonly all: boolean;
  readonly timeout: number | undefined;
  readonly wait: boolean;
}

/** A run that was to stop. */
export interface StopResult {
  readonly namespace: string;
  readonly pipeline: string;
  readonly runid: string;
  readonly state: 'stopped' | 'stopping' | 'already-ended' | 'failed';
  /** The status of the run as it was seen last. */
  readonly status?: string | undefined;
  readonly message?: string | undefined;
}

const LONGEST_WAIT = 120_000;
/** A new run is invisible for up to two seconds (docs/platform.md 8.1). */
const [LOOKS, LOOK_AGAIN] = [5, 600];

/**
 * Stops runs of a pipeline after a yes, and waits for their end. Each is stopped by itself, so that no other is.
 * @throws USAGE where several run and none is named; the cause where one run could not be stopped
 */
export async function stopRuns(wish: StopWish, operation: Operation): Promise<readonly StopResult[]> {
  const { pipeline, session, context, target } = operation;
  const runs = await runsToStop(wish, operation);
  const active = runs.filter(({ status }) => !isOver(status));
  const [first] = active;
  if (first === undefined) {
    session.terminal.note(`note: ${notRunning(runs, pipeline.name)}`);
    return runs.map((run) => resultOf({ runid: run.runid, state: 'already-ended' }, operation, run.status));
  }
  tellTarget(operation);
  const what = active.length === 1 ? `run ${first.runid}` : `${active.length} runs`;
  const namespaces = new Map([[pipeline.namespace, active.length]]);
  await context.consent.ask({ deed: `stop ${what} of pipeline ${pipeline.name}`, namespaces, target });
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
  const { signal } = new AbortController();
  const look = commandLine(['pipeline', 'runs', pipelineWord(pipeline), ...connectionWords(session.argv)]);
  const results: StopResult[] = [];
  await writing(session, look, async () => {
    for (const { runid } of active) {
      session.signal.throwIfAborted();
      results.push(
        await oneStopped(
          runid,
          operation,
          () => stopOneRun(runid, pipeline, waitingOf(operation, signal)),
          active.length === 1,
        ),
      );
    }
  });
  const ended = wish.wait ? await awaitEnds(results, wish, operation) : results;
  return [
    ...ended,
    ...runs
      .filter((run) => isOver(run.status))
      .map((run) => resultOf({ runid: run.runid, state: 'already-ended' }, operation, run.status)),
  ];
}

/** Whether some of several could not be stopped: PARTIAL, with what was done. */
export function failureOfStops(results: readonly StopResult[]): CliError | undefined {
  const failed = results.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return undefined;
  return new CliError('PARTIAL', `${failed.length} of ${counted(results.length, 'run')} could not be stopped`, {
    lines: failed.map(({ runid, message = '' }) => `${runid}  ${message}`),
    item: results,
  });
}

async function runsToStop(
  { runs, all }: StopWish,
  { pipeline, target, session }: Operation,
): Promise<readonly RunRecord[]> {
  const found = new Map<string, RunRecord>();
  for (const word of runs) {
    const run = await visibleRun(word, { pipeline, target, session });
    found.set(run.runid, run);
  }
  if (runs.length > 0) return [...found.values()];
  const active = await activeRuns(pipeline.place, target.platform, session.signal);
  if (active.length < 2 || all) return active;
  throw new CliError(
    'USAGE',
    `pipeline "${pipeline.name}" has ${active.length} active runs: name one, or use --all-runs`,
    {
      lines: active.slice(0, 10).map(({ runid, status }) => `${runid}  ${status}`),
      hints: [{ next: 'stop-all-runs', pipeline: pipelineWord(pipeline) }],
    },
  );
}

/** The run that a word names. A whole id may be that of a run that was just started, and does not show yet. */
async function visibleRun(
  word: string,
  { pipeline, target, session }: Pick<Operation, 'pipeline' | 'target' | 'session'>,
): Promise<RunRecord> {
  for (let look = 1; ; look++) {
    try {
      return await findPipelineRun(word, pipeline, target.platform, session.signal);
    } catch (error) {
      const mayShow = error instanceof CliError && error.code === 'NOT_FOUND' && isWholeId(word);
      if (!mayShow || look === LOOKS) throw error;
      await session.clock.sleep(LOOK_AGAIN, session.signal);
    }
  }
}

const notRunning = (runs: readonly RunRecord[], name: string): string =>
  runs.length === 0
    ? `pipeline ${name} has no active run`
    : `${runs.map(({ runid, status }) => `run ${runid} is ${status}`).join(', ')} already`;

const resultOf = ({ runid, state }: StoppedRun, { pipeline }: Operation, status?: string): StopResult => ({
  namespace: pipeline.namespace,
  pipeline: pipeline.name,
  runid,
  state,
  status,
});

async function oneStopped(
  runid: string,
  operation: Operation,
  stop: () => Promise<StoppedRun>,
  isOnly: boolean,
): Promise<StopResult> {
  try {
    return resultOf(await stop(), operation);
  } catch (error) {
    // Not knowing keeps its code whatever was done; one run fails with its own cause.
    if (isOnly || !(error instanceof CliError) || error.code === 'UNKNOWN_OUTCOME') throw error;
    const { namespace, name } = operation.pipeline;
    return { namespace, pipeline: name, runid, state: 'failed', message: asError(error).message };
  }
}

async function awaitEnds(
  results: readonly StopResult[],
  { timeout }: StopWish,
  operation: Operation,
): Promise<readonly StopResult[]> {
  const ended: StopResult[] = [];
  const patience = runPatience({ timeout: timeout ?? LONGEST_WAIT, interval: 1000 }, 'done');
  for (const result of results) {
    if (result.state !== 'stopping') ended.push(result);
    else {
      const { status } = await awaitRun(result.runid, patience, operation);
      ended.push({ ...result, state: 'stopped', status });
    }
  }
  return ended;
}
