import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isInside } from '../../../core/files/inside.js';
import { errnoOf, localError } from '../../../core/files/local-error.js';
import { shellWord } from '../../../core/shell-word.js';
import { ownUser } from '../../../state/process-identity.js';
import { Refusal } from '../../../trust/refusal.js';
import { readSecretKey, type SecretKey, type SigningTime } from '../../../trust/signing/secret-key.js';
import { readKeyFile } from '../../catalog/key-files.js';

const OTHERS = 0o077;
const SECOND = 1000;

/**
 * Reads the file of a secret key that only its owner may read, outside of the tree.
 * @throws KEY_PERMS, LOCAL_IO, USAGE for one in the tree or a date before it, and the errors of `readSecretKey`
 */
export async function secretKeyOf(file: string, root: string, time: SigningTime): Promise<SecretKey> {
  let mode: number;
  try {
    ({ mode } = await stat(file));
    if (isInside(root, await realpath(file)))
      throw new CliError('USAGE', `the secret key ${file} is inside the hub, where others can read it`, {
        hints: ['move it to another folder'],
        target: { file },
      });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw localError(error, 'read', file);
    throw new CliError('LOCAL_IO', `${file} does not exist`, {
      hints: isInside(root, resolve(file)) ? [] : [{ next: 'generate-key', file }],
      target: { file },
    });
  }
  const bytes = await readKeyFile(file);
  try {
    // First what it is: a public key may be readable by all.
    const key = await readSecretKey(bytes, file, time);
    refuseOpen(file, mode);
    return key;
  } catch (error) {
    const isTooEarly =
      error instanceof CliError &&
      error.cause instanceof Refusal &&
      error.cause.reason === 'key-newer-than-signature' &&
      time.now.getTime() - time.created.getTime() >= SECOND;
    if (!isTooEarly) throw error;
    throw new CliError('USAGE', `SOURCE_DATE_EPOCH is before the key in ${file} was created`, { target: { file } });
  }
}

function refuseOpen(file: string, mode: number): void {
  if (ownUser() === undefined || (mode & OTHERS) === 0) return;
  throw new CliError('KEY_PERMS', `other users can read the secret key ${file}`, {
    hints: [`chmod go-rwx ${shellWord(file)}`],
    target: { file },
  });
}
