import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import { counted } from '../../core/counted.js';
import { asError, CliError, type ErrorCode } from '../../core/errors.js';
import type { RunRecord } from '../../platform/runs.js';
import { isOver } from '../../services/pipelines/run-record.js';
import { activeRuns } from '../../services/pipelines/status.js';
import { stopOneRun } from '../../services/pipelines/stop.js';
import { pipelineWord } from '../../services/pipelines/wait.js';
import { beginWrite } from '../writing.js';
import { namedRun } from '../named-pipeline.js';
import { awaitRun, runPatience, tellTarget, waitingOf, type Operation } from './operate.js';

/** Which runs are to stop, and whether their end is waited for (milliseconds). */
export interface StopWish {
  readonly runs: readonly string[];
  readonly all: boolean;
  readonly timeout: number | undefined;
  readonly wait: boolean;
  readonly dryRun: boolean;
}

/** A run that was to stop. */
export interface StopResult {
  readonly namespace: string;
  readonly pipeline: string;
  readonly runid: string;
  readonly state: 'stopped' | 'stopping' | 'already-ended' | 'failed' | 'planned';
  /** The status of the run as it was seen last. */
  readonly status?: string | undefined;
  readonly message?: string | undefined;
}

/** A run, and the error where it was not stopped or its end was not seen. */
interface RunEnd {
  readonly result: StopResult;
  readonly error?: CliError | undefined;
}

/** What became of all runs that were to stop, and the error of those that did not. */
export interface Stops {
  readonly items: readonly StopResult[];
  readonly failure: CliError | undefined;
}

/** Errors that keep their code whatever was done (docs/conventions.md 2.4). */
const KEPT: ReadonlySet<ErrorCode> = new Set(['INTERRUPTED', 'TERMINATED', 'HANGUP', 'UNKNOWN_OUTCOME']);
const LONGEST_WAIT = 120_000;

/**
 * Stops runs of a pipeline after a yes, and waits for their end. Each is stopped by itself, so that no other is.
 * @throws USAGE where several run and none is named
 */
export async function stopRuns(wish: StopWish, operation: Operation): Promise<Stops> {
  const { pipeline, session, context, target } = operation;
  const runs = await runsToStop(wish, operation);
  const active = runs.filter(({ status }) => !isOver(status));
  const [first] = active;
  if (first === undefined) {
    session.terminal.note(`note: ${notRunning(runs, pipeline.name)}`);
    return { items: asSeen(runs, operation), failure: undefined };
  }
  tellTarget(operation);
  if (wish.dryRun) return { items: asSeen(runs, operation), failure: undefined };
  const what = active.length === 1 ? `run ${first.runid}` : `${active.length} runs`;
  const namespaces = new Map([[pipeline.namespace, active.length]]);
  await context.consent.ask({ deed: `stop ${what} of pipeline ${pipeline.name}`, namespaces, target });
  const ends = await stopAll(active, operation);
  const ended = wish.wait ? await Promise.all(ends.map((one) => endOf(one, wish, operation))) : ends;
  const over = runs.filter(({ status }) => isOver(status));
  const items = [...ended.map(({ result }) => result), ...asSeen(over, operation)];
  return { items, failure: failureOfStops(ended, active.length, items, session.signal) };
}

/** Asks one run after the other to stop; after a Ctrl-C no further one. */
async function stopAll(active: readonly RunRecord[], operation: Operation): Promise<readonly RunEnd[]> {
  const { pipeline, session } = operation;
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
  const { signal } = new AbortController();
  const look = commandLine(['pipeline', 'runs', pipelineWord(pipeline), ...connectionWords(session.argv)]);
  const ends: RunEnd[] = [];
  const write = beginWrite(session, look);
  try {
    for (const { runid } of active) {
      if (session.signal.aborted) break;
      ends.push(await oneStopped(runid, operation, signal));
    }
  } finally {
    write.end();
  }
  return ends;
}

/** The error of runs that did not stop, with what was done: the common reason, else PARTIAL. */
function failureOfStops(
  ends: readonly RunEnd[],
  wanted: number,
  item: readonly StopResult[],
  { aborted, reason }: AbortSignal,
): CliError | undefined {
  const errors = ends.flatMap(({ error }) => error ?? []);
  const lines = ends.flatMap(({ result, error }) => (error ? [`${result.runid}  ${error.message}`] : []));
  const stop = aborted && ends.length < wanted ? asError(reason) : undefined;
  const kept = errors.find(({ code }) => KEPT.has(code)) ?? stop;
  const [first] = errors;
  const only = kept ?? (wanted === 1 ? first : undefined);
  if (only !== undefined) {
    const others = wanted > 1 ? { lines: [...(only.details.lines ?? []), ...lines] } : {};
    return new CliError(only.code, only.message, { ...only.details, ...others, item });
  }
  if (first === undefined) return undefined;
  const isOneReason = errors.every(({ code }) => code === first.code);
  const isNothingDone = errors.length === wanted || first.code === 'STILL_RUNNING';
  const code = isOneReason && isNothingDone ? first.code : 'PARTIAL';
  const hints = code === 'PARTIAL' ? [] : (first.details.hints ?? []);
  return new CliError(code, `${errors.length} of ${counted(wanted, 'run')} did not stop`, { lines, hints, item });
}

async function runsToStop({ runs, all }: StopWish, operation: Operation): Promise<readonly RunRecord[]> {
  const { pipeline, target, session } = operation;
  const found = new Map<string, RunRecord>();
  for (const word of runs) {
    const run = await namedRun(word, operation, operation);
    found.set(run.runid, run);
  }
  if (runs.length > 0) return [...found.values()];
  const active = await activeRuns(pipeline.place, target.platform, session.signal);
  if (active.length < 2 || all) return active;
  throw new CliError(
    'USAGE',
    `pipeline "${pipeline.name}" has ${active.length} active runs: specify one, or use --all-runs`,
    {
      lines: active.slice(0, 10).map(({ runid, status }) => `${runid}  ${status}`),
      hints: [{ next: 'stop-all-runs', pipeline: pipelineWord(pipeline) }],
    },
  );
}

const notRunning = (runs: readonly RunRecord[], name: string): string =>
  runs.length === 0
    ? `pipeline ${name} has no active run`
    : runs.map(({ runid, status }) => `run ${runid} is already ${status}`).join(', ');

const resultOf = (
  { runid, state }: Pick<StopResult, 'runid' | 'state'>,
  { pipeline }: Operation,
  status?: string,
): StopResult => ({
  namespace: pipeline.namespace,
  pipeline: pipeline.name,
  runid,
  state,
  status,
});

/** Runs that nothing was done to: they have ended, or are only planned to stop. */
const asSeen = (runs: readonly RunRecord[], operation: Operation): readonly StopResult[] =>
  runs.map(({ runid, status }) =>
    resultOf({ runid, state: isOver(status) ? 'already-ended' : 'planned' }, operation, status),
  );

async function oneStopped(runid: string, operation: Operation, signal: AbortSignal): Promise<RunEnd> {
  try {
    const stopped = await stopOneRun(runid, operation.pipeline, waitingOf(operation, signal));
    return { result: resultOf(stopped, operation) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { result: { ...resultOf({ runid, state: 'failed' }, operation), message: error.message }, error };
  }
}

/** Waits for the end of a run that was asked to stop. */
async function endOf({ result, error }: RunEnd, { timeout }: StopWish, operation: Operation): Promise<RunEnd> {
  if (result.state !== 'stopping') return { result, error };
  const patience = runPatience({ timeout: timeout ?? LONGEST_WAIT, interval: 1000 }, 'done');
  try {
    const { status } = await awaitRun(result.runid, patience, operation);
    return { result: { ...result, state: 'stopped', status } };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    return { result: { ...result, message: cause.message }, error: cause };
  }
}
