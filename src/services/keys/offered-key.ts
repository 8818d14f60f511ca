import { readPublicKeys } from '../../trust/keyring.js';
import { chooseKey } from './choose-key.js';
import { hubKeyOf, type HubKey, type KeyPlace } from './hub-key.js';

/** What was given of a key that is to be trusted. */
export interface KeyOffer {
  /** Content of the key file. */
  readonly bytes: Uint8Array;
  /** What the file is called, for messages. */
  readonly file: string;
  /** Upper-case hex. */
  readonly fingerprint: string | undefined;
  /** Which packages the key may sign, with `*` and `?`. */
  readonly packages: string | undefined;
}

/**
 * Reads the key that is to be trusted for a hub; nothing is stored. The errors of `chooseKey`.
 * @throws TRUST_PRIVATE, SIG_WEAK, KEY_UNUSABLE
 */
export async function offeredKey(place: KeyPlace, offer: KeyOffer, now: number): Promise<HubKey> {
  const { bytes, file, fingerprint, packages } = offer;
  return hubKeyOf(place, chooseKey(await readPublicKeys(bytes), fingerprint, file), { packages }, now);
}
