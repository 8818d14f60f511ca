import type { ErrorCode } from '../../core/errors.js';
import type { Note, PluginChange, StageFinding } from './pipeline.js';

/** Where an upgrade works. */
export interface UpgradeTarget {
  readonly url: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  readonly namespaceFrom: string;
  readonly platformVersion: string;
  readonly context?: string;
}

/** One pipeline of the result. */
export interface UpgradedPipeline {
  readonly namespace: string;
  readonly name: string;
  /** The kind of its artifact. */
  readonly artifact: string;
  readonly from: string;
  readonly to?: string;
  /** `planned`: would be sent; `rolled-back`: is as it was before the upgrade. */
  readonly state:
    'planned' | 'upgraded' | 'rolled-back' | 'failed' | 'blocked' | 'unknown' | 'current' | 'skipped' | 'not-run';
  /** The worst that the pre-check found; `unjudged` where the platform chooses. */
  readonly verdict?: 'safe' | 'risky' | 'blocked' | 'unjudged';
  /** One line that says why it is in this state, or what to know about it. */
  readonly detail?: string;
  readonly running?: true;
  /** It needs an upgrade and was skipped all the same; `detail` says why. */
  readonly leftOut?: true;
  /** Versions of it that somebody named and that stay on older artifacts. */
  readonly staysBehind?: readonly { readonly version: string; readonly artifact: string; readonly from: string }[];
  /** SHA-256 over what it is made from now; of a plan. */
  readonly digest?: string;
  readonly changes: readonly PluginChange[];
  readonly findings: readonly StageFinding[];
  readonly notes: readonly Note[];
  readonly error?: { readonly code: ErrorCode; readonly status?: number; readonly message: string };
  /** The file with what was, or would have been, sent. */
  readonly errorFile?: string;
  readonly durationMs: number;
}

/** How many pipelines are in which state. `failed` counts blocked ones and those of unknown outcome, too. */
export interface UpgradeSummary {
  readonly total: number;
  readonly planned: number;
  readonly upgraded: number;
  readonly failed: number;
  readonly current: number;
  readonly skipped: number;
  readonly notRun: number;
}

/** The whole result of an upgrade, of its plan or of its rollback: the `item` of `UpgradeResult`. */
export interface UpgradeResult {
  readonly command: 'upgrade' | 'rollback';
  readonly target: UpgradeTarget;
  readonly engine: 'client' | 'server';
  readonly state: 'planned' | 'done' | 'partial' | 'cancelled';
  readonly summary: UpgradeSummary;
  readonly pipelines: readonly UpgradedPipeline[];
  /** The journal, once something was written to it. */
  readonly journal?: string;
  /** The command that goes on or tries again what failed. */
  readonly retry?: string;
  /** The command that takes it back. */
  readonly undo?: string;
  /** Runs that were cut off and that this rollback does not take back, with what they changed. */
  readonly elsewhere?: readonly {
    readonly journal: string;
    readonly pipelines: readonly { readonly namespace: string; readonly name: string }[];
  }[];
}
