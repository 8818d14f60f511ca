import { existsSync } from 'node:fs';
import { timestamp, type Clock } from '../../../core/clock.js';
import type { Emit } from '../../../core/events.js';
import { joinSignals } from '../../../core/join-signals.js';
import type { Hint } from '../../../core/next-step.js';
import type { Capabilities } from '../../../platform/capabilities.js';
import type { Platform } from '../../../platform/client.js';
import { isOpen, recordKey, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import type { UpgradeJournal } from '../../../state/upgrade-journal.js';
import { patientPlatform } from '../../writing/patient-platform.js';
import { isLocal, mostFailures, type MaxFailures } from '../failure-limit.js';
import type { KeptErrors } from '../files/local-failures.js';
import type { FailedRequests } from '../files/save-requests.js';
import type { PipelineOutcome } from '../pipeline.js';
import { RUNS } from '../plan/active-runs.js';
import type { JudgeOptions } from '../plan/judge.js';
import type { PlannedPipeline } from '../plan/plan.js';
import type { ResultDeps } from '../plan/planned-result.js';
import { upgradeWarnings } from '../plan/plan-reading.js';
import type { UpgradeResult } from '../upgrade-result.js';
import { isUnfinished, resultOf, type RunCommands } from './result.js';
import { rollingBack } from './rollback.js';
import { isTried, runPipelines, upgrading, type RunOptions, type Work } from './run.js';

/** What is done to each pipeline: it is upgraded, or brought back to what a journal has. */
export type RunKind =
  | { readonly kind: 'upgrade'; readonly judging: JudgeOptions }
  | { readonly kind: 'rollback'; readonly earlier: ReadonlyMap<string, UpgradeRecord> };

/** A plan that is carried out, and how. */
export interface ExecuteOptions {
  readonly planned: readonly PlannedPipeline[];
  readonly work: RunKind;
  readonly records: RunOptions['records'];
  readonly concurrency: number;
  readonly maxFailures: MaxFailures | undefined;
  readonly requests: FailedRequests<Hint>;
}

/** The platform that a plan is applied to, and where failed requests are stored. */
export interface ExecuteDeps extends ResultDeps {
  readonly platform: Platform;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly keeping: KeptErrors;
  /** Ends with a signal of the user. */
  readonly stop: AbortSignal;
}

const workOf = (work: RunKind): Work => (work.kind === 'upgrade' ? upgrading(work.judging) : rollingBack(work.earlier));

function runOptions(
  journal: UpgradeJournal,
  commands: RunCommands,
  options: ExecuteOptions,
  deps: ExecuteDeps,
): RunOptions {
  const { clock, stop } = deps;
  const warnings = upgradeWarnings(deps.emit);
  const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, stop);
  return {
    records: options.records,
    concurrency: options.concurrency,
    save: options.requests.save,
    platform: patientPlatform(deps.platform, wait, warnings),
    capabilities: deps.capabilities,
    engine: deps.engine,
    maxFailures: mostFailures(options.maxFailures, options.planned.filter(isTried).length),
    journal,
    clock,
    ...warnings,
    goOn: commands.retryFailed,
    resume: commands.resume,
    // Never aborts: the first Ctrl-C lets the requests in flight end (docs/faults.md L26); the process gives them 30 seconds.
    signal: new AbortController().signal,
    stop: joinSignals(stop, deps.keeping.halted).signal,
  };
}

/** Whether a pipeline is skipped as it runs, though an earlier run has sent it and did not finish it. */
function isPutOff(
  { ref, reason }: PlannedPipeline,
  outcome: PipelineOutcome | undefined,
  records: ExecuteOptions['records'],
): boolean {
  const record = records.get(recordKey(ref.namespace, ref.name));
  return (outcome?.reason ?? reason) === RUNS && record !== undefined && isOpen(record);
}

/** Carries out a plan with an open journal, which it closes. */
export async function executePlan(
  journal: UpgradeJournal,
  commands: RunCommands,
  options: ExecuteOptions,
  deps: ExecuteDeps,
): Promise<UpgradeResult> {
  const { planned } = options;
  const { keeping, clock } = deps;
  const { file } = journal;
  try {
    const outcomes = await runPipelines(planned, runOptions(journal, commands, options, deps), workOf(options.work));
    for (const { error } of outcomes.values()) if (error !== undefined && isLocal(error)) keeping.blame(error);
    const isLeft = planned.some((one) => one.state === 'untried' || isPutOff(one, outcomes.get(one), options.records));
    if (!isLeft && ![...outcomes.values()].some(({ state }) => isUnfinished(state)))
      await keeping.attempt(() => journal.append({ v: 1, type: 'finished', at: timestamp(clock) }));
    // A journal that is gone was told of when it could not be written; nothing goes on with it.
    return resultOf(planned, outcomes, deps, existsSync(file) ? { journal: file, commands } : undefined);
  } finally {
    await keeping.attempt(() => journal.close());
  }
}
