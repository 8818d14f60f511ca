import { lstatSync } from 'node:fs';
import { localError } from './local-error.js';

/** Whether something stands at a path, a link that leads nowhere too. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw localError(error, 'read', path);
  }
}
