import type { Meant } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { readTrust } from '../../state/trust-store.js';
import { HubMemory } from '../../trust/memory.js';
import { parsePartOfFingerprint } from './fingerprint.js';
import { describePinned, type HubKey, type KeyPlace } from './hub-key.js';

/**
 * The keys that are pinned for some hubs, in the order of hubs and of adding. `now` in milliseconds decides what has
 * expired.
 */
export async function pinnedKeys(places: readonly KeyPlace[], now: number): Promise<readonly HubKey[]> {
  const found: HubKey[] = [];
  for (const place of places) {
    const { keys } = await readTrust(place.folder, place.base, HubMemory);
    for (const key of keys) found.push(...(await describePinned(place, key, now)));
  }
  return found;
}

/** The fingerprints of the keys that are pinned for an address. */
export async function pinnedFingerprints({
  folder,
  base,
}: Pick<KeyPlace, 'folder' | 'base'>): Promise<readonly string[]> {
  const { keys } = await readTrust(folder, base, HubMemory);
  return keys.map(({ fingerprint }) => fingerprint);
}

/**
 * The pinned key of a fingerprint, of which the beginning or end will do. Several may be meant, or several hubs trust
 * it.
 * @throws NOT_FOUND
 */
export async function findPinned(places: readonly KeyPlace[], text: string, now: number): Promise<Meant<HubKey>> {
  const part = parsePartOfFingerprint(text);
  const keys = (await pinnedKeys(places, now)).filter(
    ({ fingerprint }) => fingerprint.startsWith(part) || fingerprint.endsWith(part),
  );
  const meant = new Set(keys.map(({ fingerprint }) => fingerprint));
  const fingerprint = keys[0]?.fingerprint ?? part;
  const [key, ...others] = keys;
  const hubs = places.map(({ name }) => name);
  if (key === undefined) {
    throw new CliError(
      'NOT_FOUND',
      `the key ${fingerprint} is not trusted for ${hubs.length === 0 ? 'any hub' : hubs.join(', ')}`,
      {
        hints: [{ next: 'list-keys' }],
        target: { signer: fingerprint },
      },
    );
  }
  const problem = meant.size > 1 ? `${part} matches several keys` : `several hubs trust the key ${fingerprint}`;
  return { all: [key, ...others], problem };
}

/**
 * Writes an armored public key to a file that others may read.
 * @throws EXISTS unless it may be replaced
 */
export async function writeKeyFile(file: string, armored: string, overwrite: boolean): Promise<void> {
  await writeAtomically(file, armored, { overwrite, mode: 0o644 });
}
