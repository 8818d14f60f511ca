import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { createStaged } from '../../../state/atomic-write.js';
import { generateKey, type KeyWishes, type NewKey } from '../../../trust/signing/generate-key.js';

/** A new key and the files that it was written to. */
export interface KeyFiles {
  readonly fingerprint: string;
  readonly keyId: string;
  readonly userId: string;
  readonly algorithm: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; absent when it never expires. */
  readonly expiresAt?: string | undefined;
  /** Whether the secret key needs a passphrase. */
  readonly locked: boolean;
  readonly file: string;
  readonly publicFile: string;
}

const PUBLIC = 0o644;
const EMAIL = /^[^\p{C}\p{Z}@<>\\]+@[^\p{C}\p{Z}@<>\\]+[^\p{C}\p{Z}\p{P}]$/u;

/** Why a key cannot have a name, or undefined. */
export const userNameProblem = (name: string): string | undefined =>
  /[\p{Cc}\p{Cs}<>]/u.test(name) ? 'has "<", ">" or a control character' : undefined;

/** Why a key cannot have an email address, or undefined. */
export const emailProblem = (email: string): string | undefined =>
  EMAIL.test(email) ? undefined : 'is not an email address';

/**
 * Refuses files of a key that could not be written.
 * @throws USAGE for one file in place of two, EXISTS, SYMLINK, DISK_FULL, LOCAL_IO
 */
export async function checkNewKey(file: string, publicFile: string): Promise<void> {
  if (resolve(file) === resolve(publicFile))
    throw new CliError('USAGE', 'the secret and the public key need two different files');
  for (const path of [file, publicFile]) await createStaged(path).abort();
}

/**
 * Makes a key and writes its secret and its public part, for the owner alone and for all. Neither replaces a file.
 * @throws EXISTS before anything is made, SYMLINK, DISK_FULL, LOCAL_IO
 */
export async function writeNewKey(wishes: KeyWishes, file: string, publicFile: string): Promise<KeyFiles> {
  const secret = createStaged(file);
  try {
    const open = createStaged(publicFile, { mode: PUBLIC });
    try {
      const key = await generateKey(wishes);
      secret.write(key.secret);
      open.write(key.public);
      await secret.commit();
      // A secret key without its public part could not be generated again.
      await open.commit().catch((error: unknown) => {
        rmSync(file, { force: true });
        throw error;
      });
      return { ...described(key, wishes), file, publicFile };
    } finally {
      await open.abort();
    }
  } finally {
    await secret.abort();
  }
}

function described(
  { fingerprint, keyId, userId, algorithm }: NewKey,
  { created, lifetime, passphrase }: KeyWishes,
): Omit<KeyFiles, 'file' | 'publicFile'> {
  const end = new Date(created.getTime() + lifetime * 1000);
  return {
    fingerprint,
    keyId,
    userId,
    algorithm,
    createdAt: created.toISOString(),
    ...(lifetime > 0 && { expiresAt: end.toISOString() }),
    locked: passphrase !== undefined,
  };
}
