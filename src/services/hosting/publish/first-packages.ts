import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { refuseLink, syncFolder } from '../../../state/atomic-write.js';
import type { PublishStep } from './plan.js';
import { bytesOf } from './tree-files.js';

/** Hidden, so that nobody takes it for a part of the hub. */
const WAITING = '.cdapctl-first';

/** Where the files of a publication are put. */
export interface Places {
  /** Whether there is no hub yet. */
  readonly isFirst: boolean;
  readonly of: (path: string) => string;
  /** Whether a run that was killed has put this file there, of which no reader knows yet. */
  readonly has: (step: PublishStep, signal: AbortSignal) => Promise<boolean>;
  /** Shows the packages that wait. */
  readonly appear: () => Promise<void>;
}

/**
 * The places of files below a folder. Without a catalog its packages are read as a source tree, so those of a first
 * publication wait until all of them are there.
 * @throws SYMLINK
 */
export function placesBelow(tree: string, folder: string): Places {
  const waiting = join(folder, WAITING);
  const packages = join(waiting, 'packages');
  const isFirst = !['packages', 'packages.json'].some((name) => isThere(join(folder, name)));
  if (isFirst) for (const path of [waiting, packages]) refuseLink(path);
  const waits = (path: string): boolean => isFirst && path.startsWith('packages/');
  const of = (path: string): string => join(waits(path) ? waiting : folder, path);
  return {
    isFirst,
    of,
    has: async (step, signal) => waits(step.path) && isSame(of(step.path), step, signal),
    async appear() {
      if (!isFirst || !isThere(packages)) return;
      try {
        removeOthers(packages, join(tree, 'packages'));
        renameSync(packages, join(folder, 'packages'));
        rmSync(waiting, { recursive: true, force: true });
        await syncFolder(folder);
      } catch (error) {
        throw localError(error, 'write', packages);
      }
    },
  };
}

async function isSame(place: string, { size, sha256 }: PublishStep, signal: AbortSignal): Promise<boolean> {
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (there?.isFile() !== true || there.size !== size) return false;
  const hash = createHash('sha256');
  for await (const chunk of bytesOf(place, signal)) {
    hash.update(chunk);
  }
  return hash.digest('hex') === sha256;
}

/** Removes what a killed run has left and the tree does not have. */
function removeOthers(folder: string, tree: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [place, origin] = [join(folder, entry.name), join(tree, entry.name)];
    if (!isThere(origin)) rmSync(place, { recursive: true });
    else if (entry.isDirectory()) removeOthers(place, origin);
  }
}
