import type { Clock } from '../../core/clock.js';
import { patienceOf } from '../../hub/while-published.js';
import { awaitLock, type LockTaker } from '../../state/lock.js';
import { readTrust, trustLockFile, writeMemory } from '../../state/trust-store.js';
import { openKeyring } from '../../trust/keyring.js';
import { clockWarning, emptyMemory, HubMemory, mergeMemories, withoutIndex } from '../../trust/memory.js';
import { defaultPolicy, type Policy } from '../../trust/policy-decision.js';
import type { HubOfFolder, HubTrust, Lender } from '../catalog/trust-setup.js';

/** Which keys count for a hub, and how strictly. */
export interface OpenTrustOptions {
  /** The folder of the trust store. */
  readonly folder: string;
  /** The address that keys and memory are kept under. */
  readonly base: string;
  /** The hub that the files were downloaded from, where the keys are those of it. */
  readonly origin: Omit<HubOfFolder, 'memory'> | undefined;
  readonly isFolder: boolean;
  /** Undefined: that of a hub with so many keys. */
  readonly policy: Policy | undefined;
  /** Fingerprints of keys that count though they have expired. */
  readonly allowExpired: ReadonlySet<string>;
  readonly allowStale: boolean;
  /** Hubs with names, which a folder without keys may have come from. */
  readonly others: readonly (Omit<Lender, 'keyring'> & { readonly url: string })[];
  readonly taker: LockTaker & { readonly clock: Clock };
  readonly signal: AbortSignal;
}

/** What is trusted of a hub, and a warning about the clock of this machine. */
export interface OpenedTrust {
  readonly trust: HubTrust;
  readonly warning: string | undefined;
}

/** The hubs by name that have keys, which a folder without any may have come from. */
async function lendersOf({ folder, others }: OpenTrustOptions): Promise<readonly Lender[]> {
  const lenders: Lender[] = [];
  for (const { url, ...other } of others) {
    const { keys } = await readTrust(folder, url, HubMemory);
    if (keys.length > 0) lenders.push({ ...other, keyring: await openKeyring(keys) });
  }
  return lenders;
}

/** Reads the pinned keys and the memory of a hub. */
export async function openTrust(options: OpenTrustOptions): Promise<OpenedTrust> {
  const { folder, base, origin, isFolder, allowExpired, allowStale, taker, signal } = options;
  const { clock } = taker;
  const { keys, memory: stored = emptyMemory() } = await readTrust(folder, base, HubMemory);
  // A folder of one package has no index beside it, even if its hub has one.
  const isLent = origin !== undefined;
  const memory = isLent ? withoutIndex(stored) : stored;
  const pinnedKeys = keys.map(({ armored, packages, fingerprint }) => {
    return { armored, allowExpired: allowExpired.has(fingerprint), ...(packages !== undefined && { packages }) };
  });
  const now = new Date(clock.now());
  const setup = {
    policy: options.policy ?? defaultPolicy(keys.length),
    keyring: await openKeyring(pinnedKeys),
    pinned: keys.length,
    memory,
    now,
    allowStale,
    patience: patienceOf(clock),
    ...(origin && { origin: { ...origin, memory: stored } }),
    ...(isFolder && !isLent && keys.length === 0 && { lenders: await lendersOf(options) }),
  };
  const trust: HubTrust = {
    setup,
    async remember(seen) {
      // The same memory means that nothing was verified.
      if (isLent || seen === memory) return;
      const lock = await awaitLock(trustLockFile(folder, base), taker, signal);
      try {
        const { memory: latest = emptyMemory() } = await readTrust(folder, base, HubMemory);
        await writeMemory(folder, base, mergeMemories(latest, seen));
      } finally {
        await lock.release();
      }
    },
  };
  return { trust, warning: clockWarning(memory, now) };
}
