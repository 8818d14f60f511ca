import { constants, type BigIntStats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone } from '../../../hub/folder-files.js';
import type { FileFacts } from './file-answer.js';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** How often a file is opened again that was replaced just then. */
const ATTEMPTS = 20;
const DELETED = ' (deleted)';

/** An open file of a hub; what is sent comes from it, whatever happens to its name meanwhile. */
export interface OpenFile {
  readonly facts: FileFacts;
  readonly handle: FileHandle;
}

/**
 * Opens a plain file below the real path of a hub. No link on the way is followed, nor one that is put there meanwhile
 * (docs/faults.md V21).
 * @returns undefined when there is none
 */
export async function openFile(root: string, names: readonly string[]): Promise<OpenFile | undefined> {
  const path = join(root, ...names);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, FLAGS);
      const [place, facts] = await Promise.all([placeOf(handle, path), handle.stat({ bigint: true })]);
      if (place === path && facts.isFile()) return { facts: factsOf(names.at(-1) ?? '', facts), handle };
      await handle.close();
      if (place !== undefined) return undefined;
    } catch (error) {
      await handle?.close();
      if (isGone(error)) return undefined;
      throw error;
    }
  }
  return undefined;
}

/**
 * Where an open file is, or was when it was replaced, as the system knows it. Its name may lead elsewhere by now.
 * @returns undefined when another file has its name by now and the system does not say where this one was
 */
async function placeOf(handle: FileHandle, path: string): Promise<string | undefined> {
  try {
    const place = await readlink(`/proc/self/fd/${handle.fd}`);
    return place === path + DELETED ? path : place;
  } catch {
    const [real, named, opened] = await Promise.all([
      realpath(path),
      stat(path, { bigint: true }),
      handle.stat({ bigint: true }),
    ]);
    return named.ino === opened.ino && named.dev === opened.dev ? real : undefined;
  }
}

const factsOf = (name: string, { size, ino, mtime, mtimeNs }: BigIntStats): FileFacts => ({
  name,
  size: Number(size),
  inode: ino,
  modified: mtime,
  changed: mtimeNs,
});
