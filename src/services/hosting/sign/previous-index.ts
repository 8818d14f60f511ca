import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { readIndex } from '../../../hub/index-file.js';
import { LIMITS } from '../../../hub/source.js';
import { placeFile, refuseLink, writeAtomically } from '../../../state/atomic-write.js';
import type { KeyringEntry } from '../../../trust/keyring.js';
import { verifyBytes } from '../../../trust/verify.js';
import { verifiedIndex, type ContinuedIndex, type IndexAuthority } from './verified-index.js';

/** The index that a tree has, which a key of the tree has signed unless that was not asked. */
export interface PreviousIndex extends ContinuedIndex {
  /** Of its bytes, in hex. */
  readonly sha256: string;
  /** Whether every key that signs now has a valid signature of it. */
  readonly isSigned: boolean;
  /** Whether it waits beside its place, because the run that wrote it was stopped. */
  readonly isWaiting: boolean;
}

const INDEX = 'index.json';
/** Holds a new index until its signature is in place. Of a killed run, one of the two indexes fits. */
const WAITING = '.index.json.new';
/** Readable by all, before the umask: a hub is public. */
const OPTIONS = { mode: 0o644, overwrite: true };

/**
 * Reads the index of a tree; undefined when it has none.
 * @throws SIG_MISSING, KEY_UNKNOWN, SIG_BAD or another code of a verdict when no key vouches for it
 */
export async function readPreviousIndex(
  root: string,
  entries: readonly KeyringEntry[],
  authority: IndexAuthority,
): Promise<PreviousIndex | undefined> {
  const signature = await bytesOf(join(root, `${INDEX}.asc`), LIMITS.signature);
  const [placed, waiting] = [
    await bytesOf(join(root, INDEX), LIMITS.index),
    await bytesOf(join(root, WAITING), LIMITS.index),
  ];
  const { now } = authority;
  const isSigned = async (bytes: Uint8Array): Promise<boolean> => {
    for (const entry of entries)
      if ((await verifyBytes(bytes, signature ?? new Uint8Array(), only(entry), now)).reason !== 'good') return false;
    return signature !== undefined;
  };
  const factsOf = async (bytes: Uint8Array): Promise<Pick<PreviousIndex, 'isSigned' | 'sha256'>> => ({
    isSigned: await isSigned(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  if (waiting !== undefined && signature !== undefined) {
    const { reason } = await verifyBytes(waiting, signature, { trusted: authority.keys, elsewhere: [] }, now);
    if (reason === 'good') {
      const index = readIndex(waiting, WAITING);
      return { index, problem: undefined, ...(await factsOf(waiting)), isWaiting: true };
    }
  }
  if (placed === undefined) return undefined;
  const continued = await verifiedIndex(placed, signature, join(root, INDEX), { ...authority, isOwn: true });
  return { ...continued, ...(await factsOf(placed)), isWaiting: false };
}

const only = (entry: KeyringEntry): { trusted: KeyringEntry[]; elsewhere: [] } => ({ trusted: [entry], elsewhere: [] });

/** Puts the index of a stopped run in its place, or removes what such a run has left. */
export async function finishIndex(root: string, previous: PreviousIndex | undefined): Promise<void> {
  if (previous?.isWaiting === true) await placeFile(join(root, WAITING), join(root, INDEX));
  else rmSync(join(root, WAITING), { force: true });
}

/** Writes an index and its signature; the file that clients read first comes last. */
export async function writeIndexFiles(root: string, bytes: Uint8Array, signature: Uint8Array): Promise<void> {
  await writeAtomically(join(root, WAITING), bytes, OPTIONS);
  await writeAtomically(join(root, `${INDEX}.asc`), signature, OPTIONS);
  await placeFile(join(root, WAITING), join(root, INDEX));
}

async function bytesOf(path: string, limit: number): Promise<Uint8Array | undefined> {
  refuseLink(path);
  if (!isThere(path)) return undefined;
  const tooLarge = new CliError('TOO_LARGE', `${path} is larger than ${limit} bytes`, { target: { file: path } });
  return readBounded(path, limit, tooLarge);
}
