import { CliError } from '../../core/errors.js';
import { readPublicKeys, type TrustedKey } from '../../trust/keyring.js';
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
  return hubKeyOf(
    place,
    chooseKey(await readPublicKeys(bytes, file === '-' ? 'the key in stdin' : file), fingerprint, file),
    { packages },
    now,
  );
}

/**
 * The key with the given fingerprint, or the only key of the file.
 * @throws KEY_UNKNOWN when the file holds another key; INPUT_MISSING when it holds several and none is named
 */
export function chooseKey(keys: readonly TrustedKey[], fingerprint: string | undefined, file: string): TrustedKey {
  const lines = keys.map((key) => `${key.fingerprint}  ${key.userIds.join(', ')}`);
  if (fingerprint === undefined) {
    const [key, ...others] = keys;
    if (key !== undefined && others.length === 0) return key;
    throw new CliError('INPUT_MISSING', `${file} contains ${keys.length} keys; specify the one to trust`, {
      lines,
      hints: [{ next: 'choose-key' }],
      target: { file },
    });
  }
  const wanted = keys.find((key) => key.fingerprint === fingerprint);
  if (wanted !== undefined) return wanted;
  throw new CliError('KEY_UNKNOWN', `${file} does not contain the key ${fingerprint}`, {
    lines: lines.map((line) => `it holds ${line}`),
    hints: ['get the fingerprint from the publisher through another channel, not from where you got the file'],
    target: { file, signer: fingerprint },
  });
}
