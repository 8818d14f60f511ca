import { localError } from '../../../core/files/local-error.js';
import { makeFolders } from '../../../core/files/make-folders.js';

/**
 * Makes a folder of a hub, and those above it, unless they are there; gives it back.
 * @throws DISK_FULL, LOCAL_IO
 */
export function madeFolder(path: string): string {
  try {
    makeFolders(path);
    return path;
  } catch (error) {
    throw localError(error, 'write', path);
  }
}
