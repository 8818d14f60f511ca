import type { Clock } from '../../core/clock.js';
import { acquireLock } from '../../state/lock.js';
import { ownProcess } from '../../state/own-process.js';
import { addKey, readTrust, removeKey, trustLockFile } from '../../state/trust-store.js';
import { HubMemory } from '../../trust/memory.js';
import type { HubKey, KeyPlace } from './hub-key.js';

type Now = Pick<Clock, 'now'>;

async function underLock<T>({ folder, base }: KeyPlace, clock: Now, work: () => Promise<T>): Promise<T> {
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
  /** It was trusted before, and its record and text were renewed. */
  readonly replaced: boolean;
}

/** Pins a key for a hub, under the lock of the hub's trust store. */
export async function pinKey(place: KeyPlace, key: HubKey, clock: Now): Promise<PinResult> {
  const { fingerprint, armored, packages } = key;
  const addedAt = new Date(clock.now()).toISOString();
  return underLock(place, clock, async () => {
    const { keys } = await readTrust(place.folder, place.base, HubMemory);
    const replaced = keys.some((pinned) => pinned.fingerprint === fingerprint);
    await addKey(place.folder, place.base, {
      fingerprint,
      armored,
      addedAt,
      ...(packages !== undefined && { packages }),
    });
    return { key: { ...key, addedAt }, replaced };
  });
}

/** Takes a key away from a hub; false when it was not pinned any more. */
export async function unpinKey(place: KeyPlace, fingerprint: string, clock: Now): Promise<boolean> {
  return underLock(place, clock, () => removeKey(place.folder, place.base, fingerprint));
}
