import { join } from 'node:path';
import { isThere } from '../core/files/exists.js';
import type { Hint } from '../core/next-step.js';
import { isWholeMirror, PUBLISHED_MARK, SIGNED_MIRROR } from './folder-marks.js';

/**
 * How an index is renewed: where it is, but for what another command writes there. A part mirror without keys of its
 * own has the index that its owner makes. `shown` is the folder as it may be typed.
 */
export function renewalOf(folder: string | undefined, shown: string | undefined, isLate: boolean): Hint {
  const has = (name: string): boolean => folder !== undefined && isThere(join(folder, name));
  const typed = shown ?? folder;
  if (typed !== undefined && has(SIGNED_MIRROR)) return { next: 'mirror-again', folder: typed, of: 'key' };
  if (folder !== undefined && typed !== undefined && isWholeMirror(folder))
    return { next: 'mirror-again', folder: typed, of: 'hub' };
  if (has(PUBLISHED_MARK)) return { next: 'publish-refreshed', folder: typed };
  return { next: 'refresh-index', folder: typed, isLate };
}
