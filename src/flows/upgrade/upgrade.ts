import { planUpgrade, type PlannedUpgrade } from '../../services/upgrade/plan/plan-upgrade.js';
import { plannedResult } from '../../services/upgrade/plan/planned-result.js';
import { writePreview } from '../../services/upgrade/run/preview.js';
import type { ExecuteDeps } from '../../services/upgrade/run/execute.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { agreeTo } from './consent.js';
import type { UpgradeRequest } from './request.js';
import { writeUpgrade } from './run.js';
import { executeDeps, openRequests, type UpgradeDeps } from './upgrade-deps.js';

/** The options of all upgrade commands, and the request of `upgrade`. */
export interface UpgradeOptions extends UpgradeDeps {
  readonly request: UpgradeRequest;
}

async function change(
  run: UpgradeOptions,
  { planned, judging }: PlannedUpgrade,
  deps: ExecuteDeps,
): Promise<UpgradeResult> {
  const { request } = run;
  const { selection, previous, left, maxFailures, concurrency } = request;
  const requests = await openRequests(run, request.errorDir, planned);
  const writing = {
    ...{ planned, previous, left, maxFailures, concurrency, requests },
    run: { selection },
    records: previous?.records ?? left,
    work: { kind: 'upgrade', judging } as const,
  };
  const result = await writeUpgrade(run, writing, deps);
  await requests.finish(result);
  return result;
}

/**
 * Runs an upgrade through its phases: select, read, judge, look for runs, show, ask, write. Nothing is written on the
 * platform before all of it is judged.
 */
export async function runUpgrade(run: UpgradeOptions): Promise<UpgradeResult> {
  const { request, session, context, target, engine } = run;
  const { clock, signal } = session;
  const { platform, url } = target;
  const planning = { platform, url, engine, clock, signal, emit: context.emit };
  const plan = await planUpgrade(request, planning);
  const deps = executeDeps(run);
  const shown = plannedResult(plan.planned, deps);
  if (request.lookOnly) {
    const { dir: folder, concurrency } = request;
    if (folder !== undefined) await writePreview(plan.planned, { folder, judging: plan.judging, concurrency }, deps);
    return shown;
  }
  await agreeTo(run, shown, request.newer);
  return change(run, plan, deps);
}
