import type { PipelineOutcome } from '../pipeline.js';
import type { PlannedPipeline } from '../plan/plan.js';
import { summaryOf, upgradedPipeline, type ResultDeps } from '../plan/planned-result.js';
import type { UpgradedPipeline, UpgradeResult, UpgradeSummary } from '../upgrade-result.js';

/** Whether a pipeline is left for a resumed run: it was not tried, or its outcome is unknown. */
export const isUnfinished = (state: UpgradedPipeline['state']): boolean => state === 'not-run' || state === 'unknown';

/** Commands about a run and its journal, complete with where and as whom. */
export interface RunCommands {
  readonly resume: string;
  /** Tries again what failed in it. */
  readonly retryFailed: string;
  /** Rolls it back. */
  readonly undo: string;
}

/** The journal of a run, and the commands about it. */
export interface RunRecord {
  readonly journal: string;
  readonly commands: RunCommands;
}

function stateOf({ failed, notRun }: UpgradeSummary, stop: AbortSignal): UpgradeResult['state'] {
  if (stop.aborted) return 'cancelled';
  return failed + notRun > 0 ? 'partial' : 'done';
}

/** What became of a plan, as a result. `record` is undefined where nothing was written. */
export function resultOf(
  planned: readonly PlannedPipeline[],
  outcomes: ReadonlyMap<PlannedPipeline, PipelineOutcome>,
  deps: ResultDeps & { readonly stop: AbortSignal },
  record?: RunRecord,
): UpgradeResult {
  const { command, target, engine, stop } = deps;
  const pipelines = planned.map((one) => upgradedPipeline(one, command, outcomes.get(one)));
  const summary = summaryOf(pipelines);
  const state = stateOf(summary, stop);
  const result = { command, target, engine, state, summary, pipelines };
  if (record === undefined) return result;
  const { journal, commands } = record;
  const isOpen = pipelines.some((one) => isUnfinished(one.state));
  return {
    ...result,
    journal,
    ...(state !== 'done' && { retry: isOpen ? commands.resume : commands.retryFailed }),
    ...(command === 'upgrade' && summary.upgraded > 0 && { undo: commands.undo }),
  };
}
