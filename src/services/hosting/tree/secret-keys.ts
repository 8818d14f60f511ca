import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { localError } from '../../../core/files/local-error.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import { hasSecretKey, SECRET_KEY_PROBLEM } from './secret-key-file.js';
import type { SourceTree, TreeFault } from './source-tree.js';

/** Most files that are looked into. A tree has few beside its packages; those nearest to the root come first. */
const MOST = 10_000;

/**
 * A fault for each secret key that is in a tree, but in no package version. A web server on the tree, or whoever clones
 * its repository, would hand it out. Hidden folders, of git for example, are passed over.
 */
export async function secretKeysBeside({ root, beside }: SourceTree, signal: AbortSignal): Promise<TreeFault[]> {
  const faults: TreeFault[] = [];
  for (const file of beside) faults.push(...(await keyAt(root, file, signal)));
  return [...faults, ...(await secretKeysUnder(root, [''], signal))];
}

/** A fault for each secret key in folders below the root of a tree, and in theirs. */
export async function secretKeysUnder(
  root: string,
  places: readonly string[],
  signal: AbortSignal,
): Promise<TreeFault[]> {
  const faults: TreeFault[] = [];
  let left = MOST;
  const folders = [...places];
  for (const folder of folders) {
    if (left <= 0) break;
    for (const entry of await unlessAborted(entriesOf(join(root, folder)), signal)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && left-- > 0) faults.push(...(await keyAt(root, path, signal)));
      else if (entry.isDirectory() && !entry.name.startsWith('.') && path !== 'packages') folders.push(path);
    }
  }
  return faults;
}

async function keyAt(root: string, file: string, signal: AbortSignal): Promise<readonly TreeFault[]> {
  signal.throwIfAborted();
  // A disk may stall, and Ctrl-C is heard nevertheless.
  const has = await unlessAborted(hasSecretKey(join(root, file)), signal);
  return has ? [{ file, code: 'BAD_SOURCE', message: SECRET_KEY_PROBLEM }] : [];
}

async function entriesOf(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    throw localError(error, 'read', path);
  }
}
