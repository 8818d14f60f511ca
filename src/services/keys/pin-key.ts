import { timestamp, type Clock } from '../../core/clock.js';
import { acquireLock } from '../../state/lock.js';
import { ownProcess } from '../../state/process-identity.js';
import { addKey, readTrust, removeKey, trustLockFile, type PinnedKey } from '../../state/trust-store.js';
import { HubMemory } from '../../trust/memory.js';
import type { HubKey, KeyPlace } from './hub-key.js';

type Now = Pick<Clock, 'now'>;

/**
 * Works on the trust store of a hub while nobody else does.
 * @throws LOCKED
 */
export async function underLock<T>({ folder, base }: KeyPlace, clock: Now, work: () => Promise<T>): Promise<T> {
  const { pid, host } = ownProcess();
  const lock = await acquireLock(trustLockFile(folder, base), { pid, host, clock });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** A key after it was pinned. */
export interface PinResult {
  readonly key: HubKey;
  readonly change: 'added' | 'replaced' | 'unchanged';
  /** How it was trusted before; absent when it was not. */
  readonly before?: EarlierPin | undefined;
}

/** How a key was trusted before it was pinned again. */
export interface EarlierPin {
  /** Which packages it could sign; all when absent. */
  readonly packages?: string | undefined;
  /** Whether its text was another one, such as one with an earlier expiry. */
  readonly otherText: boolean;
}

/** How a key is pinned for a hub already; `same` when pinning it would change nothing. */
export async function pinnedAs(
  { folder, base }: KeyPlace,
  { fingerprint, armored, packages }: HubKey,
): Promise<{ readonly known: PinnedKey | undefined; readonly before: EarlierPin | undefined; readonly same: boolean }> {
  const { keys } = await readTrust(folder, base, HubMemory);
  const known = keys.find((pinned) => pinned.fingerprint === fingerprint);
  const before = known && { packages: known.packages, otherText: known.armored !== armored };
  return { known, before, same: known?.packages === packages && before?.otherText === false };
}

/** Pins a key for a hub, under the lock of the hub's trust store. The very same key is left as it stands. */
export async function pinKey(place: KeyPlace, key: HubKey, clock: Now): Promise<PinResult> {
  const { fingerprint, armored, packages } = key;
  const addedAt = timestamp(clock);
  return underLock<PinResult>(place, clock, async () => {
    const { known, before, same } = await pinnedAs(place, key);
    if (same) return { key: { ...key, addedAt: known?.addedAt }, change: 'unchanged', before };
    await addKey(place.folder, place.base, {
      fingerprint,
      armored,
      addedAt,
      ...(packages !== undefined && { packages }),
    });
    return { key: { ...key, addedAt }, change: before === undefined ? 'added' : 'replaced', before };
  });
}

/** Takes a key away from a hub; false when it was not pinned any more. */
export async function unpinKey(place: KeyPlace, fingerprint: string, clock: Now): Promise<boolean> {
  return underLock(place, clock, () => removeKey(place.folder, place.base, fingerprint));
}
