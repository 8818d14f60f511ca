import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type BigIntStats } from 'node:fs';
import { CliError } from '../../../core/errors.js';
import { localError } from '../../../core/files/local-error.js';
import { fill, piecesOf, SMALL } from '../../../core/files/read-pieces.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import { isGone } from '../../../hub/folder-files.js';
import { isSecretKey, SECRET_KEY_PROBLEM } from '../tree/secret-key-file.js';

/**
 * Reads a regular file piece by piece by its real path; gives its size. A disk that stalls in a large file does not
 * hold up the end of the run.
 * @throws CHANGED_MEANWHILE when it changes, or a link or another file takes its place (docs/faults.md V05), BAD_SOURCE
 *   when it holds a secret key, before any of it is given out
 */
export async function readUnchanged(
  path: string,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<number> {
  try {
    return await unlessAborted(readWhole(path, signal, take), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw isGone(error) ? changed(path) : localError(error, 'read', path);
  }
}

async function readWhole(
  path: string,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<number> {
  // Only the reading is waited for: of a small file it takes less time than five promises.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const before = fstatSync(file, { bigint: true });
    if (!before.isFile()) throw new CliError('BAD_SOURCE', `${path} is not a regular file`, { target: { file: path } });
    const wanted = Number(before.size);
    let size = 0;
    for await (const chunk of wanted > SMALL ? piecesOf(file, wanted) : small(file, wanted)) {
      signal.throwIfAborted();
      if (size === 0 && isSecretKey(chunk, wanted)) throw secretKeyIn(path);
      size += chunk.length;
      // Only a program has to be waited for.
      const taken = take(chunk);
      if (taken !== undefined) await taken;
    }
    // What it has more than before, or other bytes, shows now.
    const isReal = realpathSync.native(path) === path;
    if (size !== wanted || !isReal || !isSame(before, lstatSync(path, { bigint: true }))) throw changed(path);
    return size;
  } finally {
    closeSync(file);
  }
}

async function* small(file: number, size: number): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.allocUnsafe(size);
  const length = await fill(file, buffer);
  if (length > 0) yield buffer.subarray(0, length);
}

/** The bytes of a regular file with at most `most` of them; undefined for anything else. */
export async function readShort(path: string, most: number): Promise<Uint8Array | undefined> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size > most) return undefined;
      const buffer = Buffer.allocUnsafe(stat.size);
      return (await fill(file, buffer)) === stat.size ? buffer : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

const secretKeyIn = (path: string): CliError =>
  new CliError('BAD_SOURCE', `${path}: ${SECRET_KEY_PROBLEM}`, {
    hints: ['remove it, and generate a new key if others may have read it'],
    target: { file: path },
  });

const changed = (path: string): CliError =>
  new CliError('CHANGED_MEANWHILE', `${path} changed while it was read`, {
    hints: ['run the command again when no other program writes to the folder'],
    target: { file: path },
  });
