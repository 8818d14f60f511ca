import type { Clock } from '../../../core/clock.js';
import {
  identifyJournal,
  InstallEntry,
  openInstallJournal,
  type InstallIdentity,
} from '../../../state/install-journal.js';
import type { Journal } from '../../../state/journal.js';
import type { HubTrust } from '../../catalog/trust-setup.js';
import type { OpenedPackage } from '../package/open-package.js';
import { stageJars } from '../package/stage.js';
import type { InstallTrust } from '../plan/install-result.js';
import { trustOf } from '../plan/planned-result.js';
import type { InstallPlan } from '../plan/plan.js';

/** A plan, its package, and where its journal is. */
export interface StageOptions {
  readonly plan: InstallPlan;
  readonly opened: OpenedPackage;
  readonly trust: HubTrust;
  readonly stateFolder: string;
  readonly identity: InstallIdentity & { readonly hubName: string };
  readonly clock: Pick<Clock, 'now'>;
}

/** A run of which nothing is missing: all its files are verified, and its journal is open. */
export interface StagedRun {
  readonly journal: Journal<InstallEntry>;
  readonly trust: InstallTrust;
  /** About files that the policy accepts though they are not verified. */
  readonly warnings: readonly string[];
}

/**
 * Fetches and verifies everything before the first write. The memory of the hub learns only what passed. The journal is
 * read again: while questions were answered another run may have been at work. What it did on the platform is seen by
 * every step, which looks before it writes.
 */
export async function stageRun(options: StageOptions): Promise<StagedRun> {
  const { plan, opened, trust, stateFolder, identity, clock } = options;
  const journal = await openInstallJournal(stateFolder, identity);
  try {
    const warnings = await stageJars(plan.prepared, opened);
    await trust.remember(opened.trusted.remembered());
    await identifyJournal(journal, identity, clock.now());
    const { reports, index } = opened.trusted;
    return { journal, trust: trustOf(trust.setup.policy, reports, index?.sequence), warnings };
  } catch (error) {
    await journal.close();
    throw error;
  }
}
