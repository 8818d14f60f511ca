import type { ApplicationDetail } from '../../platform/apps.js';
import type { Capabilities } from '../../platform/capabilities.js';
import type { Platform } from '../../platform/client.js';
import type { Thing } from '../../state/ledger.js';
import type { SendDeps } from '../writing/send.js';
import type { ThingState } from './thing-state.js';

/** The kinds of things that actions make. */
export type Kind = 'artifact' | 'application' | 'pipeline' | 'draft' | 'stream';

/** Whether its name and version are those of an artifact, which comes and goes with it. */
export const isArtifact = (kind: string): boolean => kind === 'artifact' || kind === 'application';

/** The namespace of a platform in which things are read. */
export interface LookDeps {
  readonly platform: Platform;
  readonly namespace: string;
  readonly capabilities: Capabilities;
  readonly signal: AbortSignal;
}

/** The same for removals: `platform` also writes. */
export interface RemovalDeps extends LookDeps, SendDeps {}

/** Who uses a thing. */
export interface Users {
  readonly known: readonly Thing[];
  /** Whether an application of the namespace uses it, too. */
  readonly includes: (application: ApplicationDetail) => boolean;
}

/** All that is known of a kind of things, beside how an action makes one (`step.ts` beside it). */
export interface ThingKind {
  /** Its place in an uninstall. */
  readonly order: number;
  /** Looks whether one is there and what it is like; only reads. */
  look(thing: Thing, deps: LookDeps): Promise<ThingState>;
  /** The names of the applications that it is, or that go with it. */
  applications(thing: Thing, deps: LookDeps): Promise<readonly string[]>;
  /** Who uses it; undefined where it is not there. Absent where nothing can. */
  users?(thing: Thing, deps: LookDeps): Promise<Users | undefined>;
  /**
   * Removes it and sees that it is gone. A lost answer is decided by reading back (UNKNOWN_OUTCOME where that is
   * impossible).
   */
  remove(thing: Thing, deps: RemovalDeps): Promise<void>;
}
