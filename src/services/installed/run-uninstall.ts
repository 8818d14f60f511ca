import type { CliError } from '../../core/errors.js';
import { InstallEntry } from '../../state/install-journal.js';
import { openJournal } from '../../state/journal.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { InstallTarget } from '../install/plan/plan.js';
import { executeUninstall, type UninstallDeps } from './execute.js';
import type { Decision } from './plan.js';
import { failureOfUninstall, resultOfUninstall, type UninstallResult } from './result.js';

/** The install to remove, and the plan that was agreed to. */
export interface RunUninstallOptions {
  readonly install: LedgerInstall;
  readonly target: InstallTarget;
  readonly decisions: readonly Decision[];
  /** The command that continues a run that stops. */
  readonly retry: string;
}

/** What an uninstall came to, and the error of one that did not remove everything. */
export interface UninstallEnd {
  readonly result: UninstallResult;
  readonly failure: CliError | undefined;
}

/**
 * Carries out a plan, which the journal of the install records.
 * @throws what opening the journal throws
 */
export async function runUninstallPlan(
  { install, target, decisions, retry }: RunUninstallOptions,
  deps: Omit<UninstallDeps, 'journal' | 'signal'>,
): Promise<UninstallEnd> {
  const journal = await openJournal(install.file, InstallEntry);
  try {
    // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
    const { signal } = new AbortController();
    const executed = await executeUninstall(decisions, { ...deps, journal, signal });
    const result = resultOfUninstall(install, target, decisions, executed.outcomes, retry);
    return { result, failure: failureOfUninstall(result, executed, retry, deps.stop.reason) };
  } finally {
    await journal.close();
  }
}
