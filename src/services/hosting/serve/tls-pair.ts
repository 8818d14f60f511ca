import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { CliError } from '../../../core/errors.js';
import { LARGEST_TEXT, readBounded } from '../../../core/files/read-bounded.js';
import { localError } from '../../../core/files/local-error.js';
import { shellWord } from '../../../core/shell-word.js';
import { ownUser } from '../../../state/process-identity.js';

/** Group members may read a key: so systems share one between servers. */
const OTHERS = 0o007;

/** Told by its text: where an empty passphrase seems to fit, OpenSSL has the error of a bad key. */
const LOCKED = /^(?:-{5}BEGIN ENCRYPTED PRIVATE KEY-{5}|Proc-Type: 4,ENCRYPTED)\s*$/mu;

/** Where a certificate and its secret key lie. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate with its chain, and its secret key: both PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads a certificate and its key.
 * @throws KEY_PERMS when others can read the key, LOCAL_IO, and CONFIG when the two cannot be used together
 */
export async function readTlsPair(files: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([readBounded(files.cert, LARGEST_TEXT), readBounded(files.key, LARGEST_TEXT)]);
  if (!key.includes('PRIVATE KEY'))
    throw new CliError('CONFIG', `${files.key} is not a secret key in PEM format`, {
      hints: cert.includes('PRIVATE KEY') ? [`${files.cert} is one: swap the two files`] : [],
      target: { file: files.key },
    });
  await refuseOpenKey(files.key);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw unusable(files, LOCKED.test(key.toString('latin1')), cause);
  }
  return { cert, key };
}

/** When a certificate expires; milliseconds since the epoch. */
export const expiryOf = ({ cert }: TlsPair): number => Date.parse(new X509Certificate(cert).validTo);

async function refuseOpenKey(file: string): Promise<void> {
  let mode: number;
  try {
    ({ mode } = await stat(file));
  } catch (error) {
    throw localError(error, 'read', file);
  }
  if (ownUser() !== undefined && (mode & OTHERS) !== 0)
    throw new CliError('KEY_PERMS', `other users can read the secret key ${file}`, {
      hints: [`chmod o-rwx ${shellWord(file)}`],
      target: { file },
    });
}

function unusable({ cert, key }: TlsFiles, isLocked: boolean, cause: unknown): CliError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [file, why, ...hints] = code.includes('KEY_VALUES_MISMATCH')
    ? [key, 'is not the key of the certificate']
    : isLocked
      ? [key, 'is locked with a passphrase', `openssl pkey -in ${shellWord(key)} -out server.key`]
      : [cert, `and ${key} are not a certificate and its key in PEM format`];
  return new CliError('CONFIG', `${file} ${why}`, { hints, target: { file } });
}
