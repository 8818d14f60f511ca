import type { HubSource } from '../../hub/source.js';
import type { Patience } from '../../hub/while-published.js';
import type { Keyring } from '../../trust/keyring.js';
import type { HubMemory } from '../../trust/memory.js';
import type { Policy } from '../../trust/policy-decision.js';

/** What trust decisions are based on: the policy, the keys pinned for the hub, and its past state. */
export interface TrustSetup {
  readonly policy: Policy;
  readonly keyring: Keyring;
  /** How many keys are pinned for the hub. */
  readonly pinned: number;
  readonly memory: HubMemory;
  readonly now: Date;
  readonly allowStale: boolean;
  /** What a lock file pins of the package: SHA-256 by file. Nothing else of it is taken, whatever the policy. */
  readonly locked?: ReadonlyMap<string, string> | undefined;
  /** The lock file, where it has another name than the default. */
  readonly lockFile?: string | undefined;
  /** Absent where nothing is waited for. */
  readonly patience?: Patience | undefined;
  /** For a folder that no key counts for: the hubs that have keys. */
  readonly lenders?: readonly Lender[] | undefined;
  /** For a folder that was downloaded from a hub whose keys count for it: that hub. */
  readonly origin?: HubOfFolder | undefined;
}

/** The hub that a folder was downloaded from, with its own history. */
export interface HubOfFolder {
  readonly hub: string;
  readonly source: () => Promise<HubSource>;
  readonly memory: HubMemory;
}

/** What is trusted of a hub, and where its memory goes. */
export interface HubTrust {
  readonly setup: TrustSetup;
  /**
   * Adds what this run has seen to what is stored, after every check passed. The memory of `setup` itself adds nothing.
   * @throws LOCKED after ten seconds
   */
  remember(memory: HubMemory): Promise<void>;
}

/** A hub by its name, with the keys that are trusted for it. */
export interface Lender {
  readonly hub: string;
  /** What chooses it on a command line. */
  readonly option: string;
  readonly keyring: Keyring;
}

export type { PackageAddress } from './specification.js';
