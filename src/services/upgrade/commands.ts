import type { Hint } from '../../core/next-step.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';

/** Commands about a run, complete with where and as whom, for its result. */
export interface RunCommands {
  /** Resumes the run of a journal, or retries what failed in it. */
  readonly retry: (isUnfinished: boolean, journal: string) => string;
  /** Rolls back the newest upgrade, or that of a journal. */
  readonly undo: (journal?: string) => string;
  /** A hint of an error, in words. */
  readonly hint: (hint: Hint) => string;
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
