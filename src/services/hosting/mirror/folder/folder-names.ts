import { readdirSync } from 'node:fs';
import { localError } from '../../../../core/files/local-error.js';
import { isGone } from '../../../../hub/folder-files.js';

/**
 * The names in a folder, sorted; none where it is gone.
 * @throws LOCAL_IO
 */
export function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isGone(error)) return [];
    throw localError(error, 'read', path);
  }
}
