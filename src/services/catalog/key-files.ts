import { CliError } from '../../core/errors.js';
import { readBounded } from '../../core/files/read-bounded.js';
import { openKeyring, readPublicKeys, type Keyring } from '../../trust/keyring.js';
import { MAX_KEY_FILE_BYTES } from '../../trust/policy.js';

/** Keys that were given for one run, and how many they are. */
export interface GivenKeys {
  readonly keyring: Keyring;
  readonly pinned: number;
}

/**
 * The bytes of a key file.
 * @throws LOCAL_IO, or KEY_UNUSABLE when it is too large for one
 */
export function readKeyFile(file: string): Promise<Uint8Array> {
  const tooLarge = new CliError('KEY_UNUSABLE', `${file} is too large for a key file`, { target: { file } });
  return readBounded(file, MAX_KEY_FILE_BYTES, tooLarge);
}

/**
 * Opens the keys of files, which may hold several each; `allowExpired` names full fingerprints.
 * @throws TRUST_PRIVATE, SIG_WEAK, KEY_UNUSABLE
 */
export async function keysOfFiles(files: readonly string[], allowExpired: readonly string[]): Promise<GivenKeys> {
  const accepted = new Set(allowExpired);
  const keys = [];
  for (const file of files) {
    for (const { armored, fingerprint } of await readPublicKeys(await readKeyFile(file), file))
      keys.push({ armored, allowExpired: accepted.has(fingerprint) });
  }
  return { keyring: await openKeyring(keys), pinned: keys.length };
}
