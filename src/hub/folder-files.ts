import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../core/errors.js';
import { isInside } from '../core/files/inside.js';
import { errnoOf, localError } from '../core/files/local-error.js';
import { wholeFile } from '../core/files/read-pieces.js';
import { unlessAborted } from '../core/unless-aborted.js';
import { tooLarge, type HubFile } from './source.js';

const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

const nothing = (): void => undefined;

/** Whether an error of the file system says that something is not there. */
export function isGone(error: unknown): boolean {
  return GONE.includes(errnoOf(error) ?? '');
}

/**
 * The real path of something inside a real folder; undefined when it does not exist.
 * @throws BAD_NAME when a link leads out of the folder
 */
export async function realInside(root: string, path: string): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw localError(error, 'read', path);
  }
  if (!isInside(root, real)) {
    throw new CliError('BAD_NAME', `${path} is a link to a place outside the folder of the hub`);
  }
  return real;
}

/** Opens a regular file below a real folder; undefined when there is none. Never follows a link out of the folder. */
export async function openInside(
  root: string,
  segments: readonly string[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<HubFile | undefined> {
  const path = join(root, ...segments);
  const opening = openFile(root, path, maxBytes, signal);
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    opening.then((file) => file?.discard()).catch(nothing);
    if (isGone(error)) return undefined;
    throw localError(error, 'read', path);
  }
}

async function openFile(
  root: string,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HubFile | undefined> {
  const real = await realInside(root, path);
  if (real === undefined || !(await lstat(real)).isFile()) return undefined;
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size, mtimeMs } = await handle.stat();
  if (size > maxBytes) {
    await handle.close();
    throw tooLarge(path, maxBytes);
  }
  return {
    what: path,
    bytes: size,
    changed: { at: mtimeMs },
    body: wholeFile(handle, { path, size }, signal),
    discard: () => handle.close(),
  };
}

/**
 * The names of the folders in a folder, hidden ones left out, sorted as text. Links count when they stay inside the
 * root, others go to `refuse`.
 */
export async function foldersIn(
  root: string,
  folder: string,
  refuse: (error: CliError) => void,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const entry of await entriesIn(folder)) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) names.push(entry.name);
    if (!entry.isSymbolicLink()) continue;
    try {
      const real = await realInside(root, join(folder, entry.name));
      if (real !== undefined && (await stat(real)).isDirectory()) names.push(entry.name);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refuse(error);
    }
  }
  return names.sort();
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw localError(error, 'read', folder);
  }
}

/** The regular files in a folder with their sizes, sorted by name; hidden files and links are left out. */
export async function filesIn(folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const files: { name: string; bytes: number }[] = [];
  for (const entry of await entriesIn(folder)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    files.push({ name: entry.name, bytes: (await stat(join(folder, entry.name))).size });
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
