import { createHash } from 'node:crypto';
import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { errnoOf, localError } from '../../../core/files/local-error.js';
import { PUBLISHED_MARK } from '../../../hub/folder-marks.js';
import {
  createStaged,
  refuseLink,
  syncFolder,
  writeAtomically,
  type StagedFile,
  type WriteOptions,
} from '../../../state/atomic-write.js';
import { placeTogether, type WaitingFile } from '../../../state/place-together.js';
import { madeFolder } from '../tree/create-folder.js';
import { placesBelow, type Places } from './first-packages.js';
import type { PublishStep } from './plan.js';
import type { Placed, PublishTarget } from './publish.js';
import { bytesOf, readTreeFiles } from './tree-files.js';

const NOT_EMPTY: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST']);
const OPTIONS = { mode: 0o644, overwrite: true };
/** How an index fails that was cut off, or written by something else. */
const UNREADABLE: ReadonlySet<string> = new Set(['BAD_JSON', 'BAD_UTF8', 'TOO_DEEP', 'DUP_KEY', 'BAD_CATALOG']);
const MARK_TEXT = 'A hub is published in this folder. Packages that its source tree no longer has may be removed.\n';
/** Files that appear together at most; each is open until then. */
const TOGETHER = 256;

/**
 * Rejects links on the way from the target to files. What is behind one is no part of the hub.
 * @throws SYMLINK
 */
function refuseLinksTo(places: Iterable<string>, folder: string): void {
  const known = new Set([folder]);
  for (const place of places)
    for (let path = dirname(place); !known.has(path); path = dirname(path)) {
      refuseLink(path);
      known.add(path);
    }
}

/** A copy of a file beside its place, which is the planned one. */
async function staged(
  tree: string,
  place: string,
  { path, sha256 }: PublishStep,
  signal: AbortSignal,
  options: WriteOptions,
): Promise<StagedFile> {
  madeFolder(dirname(place));
  const file = createStaged(place, { ...OPTIONS, ...options });
  const hash = createHash('sha256');
  try {
    for await (const chunk of bytesOf(join(tree, path), signal)) {
      hash.update(chunk);
      file.write(chunk);
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError('CHANGED_MEANWHILE', `${join(tree, path)} was changed while it was published`);
  } catch (error) {
    await file.abort();
    throw error;
  }
  return file;
}

/** Removes the folder of a package and those above it as long as they are empty. */
function removeEmpty(root: string, path: string): void {
  if (!path.includes('/')) return;
  try {
    rmdirSync(join(root, path));
  } catch (error) {
    if (NOT_EMPTY.has(errnoOf(error) ?? '')) return;
    throw error;
  }
  removeEmpty(root, dirname(path));
}

async function removeFrom(folder: string, path: string): Promise<void> {
  const place = join(folder, path);
  refuseLinksTo([place], folder);
  try {
    rmSync(place, { force: true });
    await syncFolder(dirname(place));
    removeEmpty(folder, dirname(path));
  } catch (error) {
    throw localError(error, 'write', place);
  }
}

async function uploadTogether(
  tree: string,
  places: Places,
  steps: readonly PublishStep[],
  placed: Placed,
  signal: AbortSignal,
): Promise<void> {
  const files: WaitingFile[] = [];
  const cleared = new Set<string>();
  try {
    for (const step of steps) {
      const place = places.of(step.path);
      // To look for leftovers at each file would take time with the square of the files in a folder.
      const options = { passing: steps.length > 1, keepLeftovers: cleared.has(dirname(place)) };
      cleared.add(dirname(place));
      files.push({
        file: await staged(tree, place, step, signal, options),
        place,
        placed: () => {
          placed(step.path);
        },
      });
    }
    if (steps.some(({ path }) => path === 'packages.json')) await places.appear();
    await placeTogether(files, signal);
  } finally {
    for (const { file } of files) await file.abort();
  }
}

/** An index that cannot be read, and what repairs it: nobody else knows what was published. */
const damaged = ({ code, message, details }: CliError, folder: string): CliError =>
  new CliError(code, message, {
    ...details,
    hints: ['restore it from a copy, or remove it to publish the whole tree again'],
    target: { file: join(folder, 'index.json') },
  });

/** Whether hub publish has put all files of a hub into a folder. */
export const isMarked = (folder: string): boolean => isThere(join(folder, PUBLISHED_MARK));

async function mark(folder: string): Promise<void> {
  if (isMarked(folder)) return;
  madeFolder(folder);
  await writeAtomically(join(folder, PUBLISHED_MARK), MARK_TEXT, OPTIONS);
}

/** A folder that a web server publishes, or that is copied by other means. */
export function folderTarget(tree: string, folder: string): PublishTarget {
  let found: Places | undefined;
  return {
    label: folder,
    isFolder: true,
    async published(signal) {
      try {
        return await readTreeFiles(folder, signal);
      } catch (error) {
        throw error instanceof CliError && UNREADABLE.has(error.code) ? damaged(error, folder) : error;
      }
    },
    isOwn: () => isMarked(folder),
    async upload(steps, placed, signal) {
      if (found === undefined) {
        found = placesBelow(tree, folder);
        if (found.isFirst) await mark(folder);
      }
      const places = found;
      refuseLinksTo(
        steps.map(({ path }) => places.of(path)),
        folder,
      );
      const [step] = steps;
      if (step !== undefined && steps.length === 1 && (await places.has(step, signal))) {
        placed(step.path);
        return;
      }
      // The last of them, which clients read first, are never apart.
      for (let from = 0, to = steps.length % TOGETHER; from < steps.length; from = to, to += TOGETHER)
        if (to > from) await uploadTogether(tree, places, steps.slice(from, to), placed, signal);
    },
    remove: ({ path }) => removeFrom(folder, path),
  };
}
