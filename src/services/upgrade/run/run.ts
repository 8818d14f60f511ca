import { asError, CliError } from '../../../core/errors.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import { warn } from '../../../core/events.js';
import type { Hint } from '../../../core/next-step.js';
import type { ApplicationDetail } from '../../../platform/apps.js';
import type { Schedule } from '../../../platform/schedules.js';
import { isOpen, recordKey, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import { FailureLimit } from '../failure-limit.js';
import { blockedBy, changed, gone, unproved } from '../pipeline-errors.js';
import { becameOf, changesIn } from '../plan/compare.js';
import type { SaveRequest } from '../files/error-files.js';
import { judge, type JudgeOptions } from '../plan/judge.js';
import type { Change, PipelineOutcome, PipelineRef } from '../pipeline.js';
import { deployedDigest, type PlannedPipeline } from '../plan/plan.js';
import { isRunning, runs, RUNS } from '../plan/active-runs.js';
import { hasBecome } from '../deployed-state.js';
import { fetchPipeline } from '../applications.js';
import { noteEnd, settlePipeline, writePipeline, type WriteDeps } from './write.js';

/** How pipelines are written: in parallel, by which engine, up to how many failures. */
export interface RunOptions extends WriteDeps {
  readonly records: ReadonlyMap<string, UpgradeRecord>;
  readonly engine: 'client' | 'server';
  readonly concurrency: number;
  /** Most failures before nothing new is started; Infinity without a limit. */
  readonly maxFailures: number;
  /** Keeps what was, or would have been, sent; gives the file, undefined where nobody wants it. */
  readonly save: SaveRequest<Hint>;
  /** Lets what was sent end and sends nothing new (docs/faults.md L26). */
  readonly stop: AbortSignal;
}

type PipelineEnd = Omit<PipelineOutcome, 'durationMs'>;

const stateAfter = ({ code }: CliError): 'unknown' | 'failed' => (code === 'UNKNOWN_OUTCOME' ? 'unknown' : 'failed');

async function settleOne(planned: PlannedPipeline, options: RunOptions): Promise<PipelineEnd> {
  const { ref } = planned;
  const sending = await options.records.get(recordKey(ref.namespace, ref.name))?.sending();
  const shown = await fetchPipeline(ref, options).catch((cause: unknown) => {
    throw unproved(ref.name, cause, options.resume);
  });
  if (sending === undefined || shown === undefined) throw gone(ref);
  if (!hasBecome(shown, sending)) throw changed(ref);
  await settlePipeline(sending, shown, options);
  const { before, sent } = sending;
  const became =
    sent === undefined
      ? becameOf(before.configuration, shown)
      : changesIn(before.configuration, shown.configuration ?? '');
  return { state: 'upgraded', settled: true, ...became };
}

interface CheckedPipeline {
  readonly shown: NonNullable<Awaited<ReturnType<typeof fetchPipeline>>>;
  readonly change: Change;
}

type ReadDeps = Pick<RunOptions, 'platform' | 'signal' | 'engine'>;

/** Does what is to be done for one pipeline. */
export type Work = (one: PlannedPipeline, options: RunOptions) => Promise<PipelineEnd>;

/** Reads a pipeline once more and judges it anew: undefined when there is nothing left to do. */
async function judgeAgain(
  { ref }: PlannedPipeline,
  options: JudgeOptions,
  running: ReadDeps,
): Promise<CheckedPipeline | undefined> {
  const shown = await fetchPipeline(ref, running);
  if (shown === undefined) throw gone(ref);
  const judgement = await judge(ref.namespace, shown, options);
  if (judgement.kind !== 'upgrade') return undefined;
  const { made } = judgement;
  const { snapshots } = options.selection;
  const change: Change =
    running.engine === 'client' ? { engine: 'client', made } : { engine: 'server', to: made.artifact, snapshots };
  return { shown, change };
}

/** What would be sent over a pipeline; undefined when there is nothing to do. */
export async function previewRequest(
  planned: PlannedPipeline,
  options: JudgeOptions,
  deps: ReadDeps,
): Promise<Change | undefined> {
  return (await judgeAgain(planned, options, deps))?.change;
}

/** How a pipeline failed. Saves what was or would have been sent; a failure to save is only a warning. */
export async function fail(
  { ref, findings }: PlannedPipeline,
  change: Change | undefined,
  error: CliError,
  options: RunOptions,
): Promise<PipelineEnd> {
  const { message, details } = error;
  const { serverSaid } = details;
  const stage = error.code === 'BLOCKED' ? findings.find(({ level }) => level === 'blocked')?.stage : undefined;
  const ending: PipelineEnd = { state: stateAfter(error), error };
  const sent = ending.state === 'unknown' ? 'unknown' : details.isDeployed === true ? 'deployed' : undefined;
  try {
    const errorFile = await options.save(ref, {
      change: sent === undefined ? change : undefined,
      message,
      serverSaid,
      stage,
      hint: details.hints?.[0],
      sent,
    });
    return errorFile === undefined ? ending : { ...ending, errorFile };
  } catch (cause) {
    warn(options, `the request of pipeline ${ref.name} could not be saved: ${asError(cause).message}`);
    return ending;
  }
}

/** What a run before began and did not end: its deploy may have changed the schedules. */
function openRecord({ namespace, name }: PipelineRef, { records }: RunOptions): UpgradeRecord | undefined {
  const record = records.get(recordKey(namespace, name));
  return record !== undefined && isOpen(record) ? record : undefined;
}

/** The schedules as they were before a deploy that a run began and did not end. */
async function notedSchedules(ref: PipelineRef, options: RunOptions): Promise<readonly Schedule[]> {
  return (await openRecord(ref, options)?.sending())?.schedules ?? [];
}

/** Writes down that a pipeline was not sent this time; what a run before left open stays so. */
function noteUnsent(ref: PipelineRef, state: 'blocked' | 'unknown' | 'failed', error: CliError, options: RunOptions) {
  const staysOpen = error.code !== 'GONE' && openRecord(ref, options) !== undefined;
  return noteEnd(ref, { state, message: error.message, ...(staysOpen && { schedules: 'open' }) }, options);
}

/** A pipeline that is not sent this time, with what would have been. */
async function refuse(
  one: PlannedPipeline,
  change: Change,
  error: CliError,
  options: RunOptions,
): Promise<PipelineEnd> {
  const state = error.code === 'BLOCKED' ? 'blocked' : 'failed';
  await noteUnsent(one.ref, state, error, options);
  return { ...(await fail(one, change, error, options)), state };
}

async function upgradeOne(planned: PlannedPipeline, judging: JudgeOptions, options: RunOptions): Promise<PipelineEnd> {
  const { ref } = planned;
  if (planned.error !== undefined) throw planned.error;
  if (planned.state === 'settle') return settleOne(planned, options);
  const judged = await judgeAgain(planned, judging, options);
  if (judged === undefined) return { state: 'current' };
  const { shown, change } = judged;
  if (planned.state === 'blocked') return refuse(planned, change, blockedBy(planned), options);
  if (deployedDigest(shown) !== planned.digest) return refuse(planned, change, changed(ref), options);
  const { running: what } = judging.selection;
  // What is only told of a run was told when it was planned.
  if (what !== 'warn' && (await isRunning(ref, options))) {
    if (what === 'skip') return { state: 'skipped', reason: RUNS };
    return refuse(planned, change, runs(ref), options);
  }
  if (options.stop.aborted) return { state: 'not-run' };
  let after: ApplicationDetail;
  try {
    after = await writePipeline(ref, shown, change, options, await notedSchedules(ref, options));
  } catch (cause) {
    return fail(planned, change, asError(cause), options);
  }
  return { state: 'upgraded', ...(change.engine === 'server' && becameOf(shown.configuration ?? '', after)) };
}

/** Upgrades one planned pipeline: reads and judges it again, and writes it if the result is the same. */
export function upgrading(judging: JudgeOptions): Work {
  return (one, options) => upgradeOne(one, judging, options);
}

/** Writes down a failure that came before anything was sent. */
async function failEarly(one: PlannedPipeline, error: CliError, options: RunOptions): Promise<PipelineEnd> {
  const state = stateAfter(error);
  try {
    await noteUnsent(one.ref, state, error, options);
  } catch (cause) {
    return { state, error: state === 'unknown' ? error : asError(cause) };
  }
  return fail(one, undefined, error, options);
}

/** Whether a pipeline of a plan is to be tried, or its failure to be written down. */
export const isTried = ({ state }: PlannedPipeline): boolean =>
  state === 'upgrade' || state === 'settle' || state === 'blocked' || state === 'failed';

/**
 * Runs `work` for the pipelines that need it, several at a time; outcomes come in plan order. Other pipelines have no
 * outcome. One that fails does not stop the others.
 */
export async function runPipelines(
  planned: readonly PlannedPipeline[],
  options: RunOptions,
  work: Work,
): Promise<ReadonlyMap<PlannedPipeline, PipelineOutcome>> {
  const { clock, emit, concurrency } = options;
  const tried = planned.filter(isTried);
  const outcomes = new Map<PlannedPipeline, PipelineOutcome>();
  const limit = new FailureLimit(options);
  const tryOne = async (one: PlannedPipeline): Promise<PipelineOutcome> => {
    const from = clock.monotonic();
    if (limit.isOn) return { state: 'not-run', durationMs: 0 };
    const ending = await work(one, options).catch((cause: unknown) => failEarly(one, asError(cause), options));
    limit.see(ending.error, ending.error === one.error);
    return { ...ending, durationMs: Math.round(clock.monotonic() - from) };
  };
  const tell = (done: number): void => {
    emit({ type: 'count', what: 'pipelines written', done, of: tried.length, failed: limit.failed });
  };
  tell(0);
  let at = 0;
  for await (const outcome of mapConcurrent(tried, concurrency, tryOne, options.signal)) {
    const one = tried[at++];
    if (one !== undefined) outcomes.set(one, outcome);
    tell(at);
  }
  return outcomes;
}
