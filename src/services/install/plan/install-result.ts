import type { Policy } from '../../../trust/policy-decision.js';
import type { RequestRecord } from '../../writing/record-writes.js';
import type { Target } from '../action.js';
import type { InstallPackage, InstallTarget } from './plan.js';

/** What was verified, for the result. */
export interface InstallTrust {
  readonly policy: Policy;
  readonly verified: boolean;
  readonly fingerprints: readonly string[];
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly state: string;
  }[];
  readonly indexSequence?: number;
}

/** One action of the result. */
export interface InstalledAction {
  readonly n: number;
  readonly type: string;
  readonly label: string;
  readonly state: 'planned' | 'done' | 'already-present' | 'skipped' | 'failed' | 'not-run';
  readonly target: Target;
  readonly effect: string;
  /** Whether the plan had it write on the platform. */
  readonly writes: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly requests: readonly RequestRecord[];
  readonly durationMs: number;
  readonly message?: string;
  readonly texts?: readonly string[];
}

/** The whole result of an install, the `item` of `InstallResult`. */
export interface InstallResult {
  readonly package: InstallPackage;
  readonly target: InstallTarget;
  readonly trust: InstallTrust;
  /** `skipped`: every action was left out, nothing was done. */
  readonly state: 'planned' | 'installed' | 'already-present' | 'skipped' | 'partial' | 'failed' | 'cancelled';
  readonly actions: readonly InstalledAction[];
  /** The flags that a preview did not have, and an install needs. */
  readonly missing?: readonly string[];
  readonly retry?: string;
}
