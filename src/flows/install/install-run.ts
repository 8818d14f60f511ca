import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { PackagePlace } from '../../services/catalog/resolve.js';
import type { AgreedPlan } from '../../services/install/plan/agreed-plan.js';
import type { TypedInputs } from '../../services/install/package/inputs.js';
import type { Selection } from '../../services/install/package/select.js';

/** What `install` was asked to do, beside the package. */
export interface InstallRequest {
  /** The package as it was named on the command line. */
  readonly named: string;
  readonly typed: TypedInputs;
  readonly selection: Selection;
  readonly dryRun: 'online' | 'offline' | undefined;
  readonly again: boolean;
  readonly force: boolean;
  readonly forceSet: boolean;
  readonly assumeSystem: boolean;
  readonly yes: boolean;
  readonly namespace: string;
  /** The plan is written to a file. */
  readonly toAgree: boolean;
  /** Only what this plan has may be done. */
  readonly agreed: AgreedPlan | undefined;
  /** What a lock file pins of the package: SHA-256 by file. */
  readonly locked: ReadonlyMap<string, string> | undefined;
  /** The lock file, where it has another name than the default. */
  readonly lockFile: string | undefined;
}

/** The package to install, the request, and the target. */
export interface InstallOptions {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'asker' | 'close' | 'consent' | 'emit' | 'scratch' | 'stateFolder' | 'trust'>;
  readonly request: InstallRequest;
  /** Undefined with `--dry-run=offline`. */
  readonly target: PlatformPlace | undefined;
  readonly place: PackagePlace;
}
