import type { UpgradeSelection } from '../../state/upgrade-journal.js';

/** Commands about a run and its journal, complete with where and as whom. */
export interface RunCommands {
  readonly resume: string;
  /** Tries again what failed in it. */
  readonly retryFailed: string;
  /** Rolls it back. */
  readonly undo: string;
}

/** Commands that continue an earlier upgrade, for hints. */
export interface ResumeCommands {
  readonly resume: (journal: string) => string;
  readonly retryFailed: (journal: string) => string;
  /** Retries what failed in the newest upgrade. */
  readonly retryNewest: string;
  /** Checks a new upgrade. */
  readonly check: string;
  /** What a run was started with, as flags. */
  readonly selection: (selection: UpgradeSelection) => string;
}
