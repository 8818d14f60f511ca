import type { CliError } from '../../../core/errors.js';
import type { OpenedPackage } from '../package/open-package.js';
import { leftOut } from '../package/select.js';
import type { InstallResult } from '../plan/install-result.js';
import type { InstallPlan } from '../plan/plan.js';
import { executePlan, type ExecuteDeps } from './execute.js';
import { failureOfInstall, resultOf } from './result.js';
import type { StagedRun } from './stage-run.js';

type GivenDeps = 'platform' | 'namespace' | 'capabilities' | 'again' | 'force' | 'commands' | 'clock' | 'emit' | 'stop';

/** A plan that was agreed to, and where it is carried out. */
export interface RunPlanOptions extends Pick<ExecuteDeps, GivenDeps> {
  readonly plan: InstallPlan;
  readonly opened: OpenedPackage;
  /** The result that the plan was shown as. */
  readonly planned: InstallResult;
  /** The command that continues a run that stops. */
  readonly retry: string;
}

/** What an install came to, and the error of one that did not end well. */
export interface InstallEnd {
  readonly result: InstallResult;
  readonly failure: CliError | undefined;
}

/** Carries out a plan that is staged, and closes its journal. */
export async function runPlan(
  { journal, trust }: Pick<StagedRun, 'journal' | 'trust'>,
  { plan, opened, planned, retry, ...given }: RunPlanOptions,
): Promise<InstallEnd> {
  try {
    const executed = await executePlan(plan.prepared, {
      ...given,
      journal,
      staging: opened.staging,
      leftOut: leftOut(opened.specification.actions, plan.prepared),
      verified: trust.verified,
      agreed: plan.overwriting,
      // Never aborts: the first Ctrl-C lets the request in flight end, for which it has 30 seconds (docs/faults.md L26).
      signal: new AbortController().signal,
    });
    const result = resultOf({ ...planned, trust }, executed.outcomes, retry);
    return { result, failure: failureOfInstall(result, executed, retry, given.stop.reason) };
  } finally {
    await journal.close();
  }
}
