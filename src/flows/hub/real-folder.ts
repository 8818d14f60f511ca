import { rmdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isThere } from '../../core/files/exists.js';
import { madeFolder } from '../../services/hosting/tree/create-folder.js';
import { treeRoot } from '../../services/hosting/tree/source-tree.js';

/** The real path of a folder that may not be there yet; what it will be in is. */
export const realOr = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const outer = dirname(resolve(path));
    return outer === resolve(path) ? outer : join(await realOr(outer), basename(path));
  });

/** Makes a folder with those above it, and gives its real path. */
export const realMade = (path: string): Promise<string> => treeRoot(madeFolder(path));

/** Does work in a folder that it makes. If it fails, folders that were not there before and are empty are removed. */
export async function inMade<T>(path: string, work: () => Promise<T>): Promise<T> {
  const made: string[] = [];
  for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) made.push(folder);
  try {
    return await work();
  } catch (error) {
    try {
      for (const folder of made) rmdirSync(folder);
    } catch {
      // It has files, or was never made.
    }
    throw error;
  }
}
