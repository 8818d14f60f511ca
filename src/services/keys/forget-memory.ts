import type { Clock } from '../../core/clock.js';
import { readTrust, writeMemory } from '../../state/trust-store.js';
import { emptyMemory, HubMemory } from '../../trust/memory.js';
import type { KeyPlace } from './hub-key.js';
import { underLock } from './pin-key.js';

/** Forgets what was seen of a hub, which was built anew, say; its keys stay. False when nothing was remembered. */
export async function forgetMemory(place: KeyPlace, clock: Pick<Clock, 'now'>): Promise<boolean> {
  return underLock(place, clock, async () => {
    const { folder, base } = place;
    if ((await readTrust(folder, base, HubMemory)).memory === undefined) return false;
    await writeMemory(folder, base, emptyMemory());
    return true;
  });
}
