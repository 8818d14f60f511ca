import { redactor } from '../../core/secrets/redact.js';
import type { PlannedPipeline } from '../../services/upgrade/plan/plan.js';
import type { UpgradedPipeline, UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { summaryOf, upgradedPipeline } from '../../services/upgrade/run/result.js';
import type { PipelineOutcome } from '../../services/upgrade/run/run.js';
import type { UpgradeDeps } from './upgrade-deps.js';
import { retryOf, undoOf } from './commands.js';

function targetOf({ target, namespace }: UpgradeDeps): UpgradeResult['target'] {
  const { url, namespaceFrom, version, context } = target;
  return {
    url,
    ...(namespace !== undefined && { namespace }),
    namespaceFrom: namespace === undefined ? 'all namespaces' : namespaceFrom,
    platformVersion: version,
    ...(context !== undefined && { context }),
  };
}

/** Whether a pipeline is left for a resumed run: it was not tried, or its outcome is unknown. */
export const isUnfinished = (state: UpgradedPipeline['state']): boolean => state === 'not-run' || state === 'unknown';

/** A plan, or what became of it, as a result. */
export function resultOf(
  base: UpgradeDeps,
  planned: readonly PlannedPipeline[],
  more: {
    readonly outcomes?: ReadonlyMap<PlannedPipeline, PipelineOutcome>;
    readonly journal?: string;
    /** The journal is that of a run before, and need not be the newest. */
    readonly resumes?: boolean;
  } = {},
): UpgradeResult {
  const hide = redactor([...base.session.terminal.secrets]);
  const pipelines = planned.map((one) => upgradedPipeline(one, base.command, more.outcomes?.get(one), hide));
  const summary = summaryOf(pipelines);
  const stopped = base.session.signal.aborted;
  const state =
    more.outcomes === undefined
      ? 'planned'
      : stopped
        ? 'cancelled'
        : summary.failed + summary.notRun > 0
          ? 'partial'
          : 'done';
  const isOpen = pipelines.some(({ state: one }) => isUnfinished(one));
  const retry = more.journal === undefined ? undefined : retryOf(base, isOpen, more.journal);
  const isUndone = base.command === 'upgrade' && more.journal !== undefined && summary.upgraded > 0;
  return {
    command: base.command,
    target: targetOf(base),
    engine: base.engine,
    state,
    summary,
    pipelines,
    ...(more.journal !== undefined && { journal: more.journal }),
    ...(retry !== undefined && state !== 'done' && state !== 'planned' && { retry }),
    ...(isUndone && { undo: undoOf(base, more.resumes === true ? more.journal : undefined) }),
  };
}
