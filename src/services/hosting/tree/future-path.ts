import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, localError } from '../../../core/files/local-error.js';

/** The real path that a folder has, or will have when it is made. */
export async function futurePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw localError(error, 'write', path);
    return join(await futurePath(dirname(path)), basename(path));
  }
}
