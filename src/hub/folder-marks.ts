import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MOST = 65_536;
/** What a mirror keeps in its folder; hidden, so that nobody takes it for a part of the hub. */
export const MIRROR_FOLDER = '.cdapctl-mirror';

/** Where a mirror is put together that is signed with keys of one's own. */
export const SIGNED_MIRROR = join(MIRROR_FOLDER, 'signed');

/** Whether a folder is the mirror of a whole hub, whose index is that of the hub. */
export function isWholeMirror(folder: string): boolean {
  const state = join(folder, MIRROR_FOLDER, 'state.json');
  try {
    const stat = lstatSync(state);
    return stat.isFile() && stat.size <= MOST && /"whole":\s*true/u.test(readFileSync(state, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Marks a folder in which there was no hub before the first publication. Only there may a later one remove files, as a
 * source tree looks like a published hub.
 */
export const PUBLISHED_MARK = '.cdapctl-published';
