import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mapConcurrent } from '../../../../core/concurrency.js';
import { CliError } from '../../../../core/errors.js';
import { isThere } from '../../../../core/files/exists.js';
import { localError } from '../../../../core/files/local-error.js';
import { makeFolders } from '../../../../core/files/make-folders.js';
import type { PackageVersion } from '../../../../hub/source.js';
import { refuseLink, syncFolder } from '../../../../state/atomic-write.js';
import { refuseLinksOf, versionFolder, type MirrorFolder } from './mirror-folder.js';
import { namesIn } from './folder-names.js';

const AT_ONCE = 16;

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw localError(error, 'write', path);
  }
}

/** Files that others tell of come last: a file after its signature, the specification after all. */
function rank(name: string): number {
  if (name === 'spec.json') return 3;
  if (name === 'spec.json.asc') return 2;
  return name.endsWith('.asc') ? 0 : 1;
}

/** Moves a version to another root: as one folder, or file by file with the specification last. */
function moveVersion(from: string, to: string, touched: Set<string>): void {
  refuseLinksOf(to);
  if (!isThere(from)) throw new CliError('CHANGED_MEANWHILE', `${from} was removed by another program`);
  guarded(to, () => {
    if (!isThere(to)) {
      makeFolders(dirname(to));
      renameSync(from, to);
    } else {
      const names = [...namesIn(from)].sort((one, other) => rank(one) - rank(other));
      for (const name of names) {
        refuseLink(join(to, name));
        renameSync(join(from, name), join(to, name));
      }
      rmSync(from, { recursive: true, force: true });
      touched.add(to);
    }
  });
  for (const path of [dirname(to), dirname(dirname(to))]) touched.add(path);
}

/** Takes back what a run that was killed had put together for a first publication. */
export function resumeFirst({ first, stage }: MirrorFolder): void {
  const packages = join(first, 'packages');
  for (const name of namesIn(packages))
    for (const version of namesIn(join(packages, name)))
      moveVersion(versionFolder(first, { name, version }), versionFolder(stage, { name, version }), new Set());
}

/**
 * Moves versions into the hub that its clients do not know yet. Where there is no hub yet, all of them appear at once.
 */
export async function placeNew(
  { root, stage, first }: MirrorFolder,
  versions: readonly PackageVersion[],
  signal: AbortSignal,
): Promise<void> {
  if (versions.length === 0) return;
  const packages = join(root, 'packages');
  const isFirst = !isThere(packages);
  const touched = new Set<string>();
  for (const place of versions) {
    signal.throwIfAborted();
    moveVersion(versionFolder(stage, place), versionFolder(isFirst ? first : root, place), touched);
  }
  // After a power failure there must be no catalog without the packages that it came with.
  await syncAll(touched, signal);
  if (!isFirst) return;
  guarded(packages, () => {
    renameSync(join(first, 'packages'), packages);
  });
  await syncFolder(root);
}

/** Moves versions whose files replace others; gives the folders that are to be flushed. */
export function placeReplaced({ root, stage }: MirrorFolder, versions: readonly PackageVersion[]): ReadonlySet<string> {
  const touched = new Set<string>();
  for (const place of versions) moveVersion(versionFolder(stage, place), versionFolder(root, place), touched);
  return touched;
}

/** Makes the names in folders durable. */
export async function syncAll(folders: Iterable<string>, signal: AbortSignal): Promise<void> {
  for await (const _ of mapConcurrent(folders, AT_ONCE, syncFolder, signal));
}

/** Removes a version from the hub, which never has a part of it. */
export function removeVersion(folder: MirrorFolder, place: PackageVersion): void {
  const path = versionFolder(folder.root, place);
  const away = join(folder.trash, place.name, place.version);
  refuseLinksOf(path);
  guarded(path, () => {
    rmSync(away, { recursive: true, force: true });
    makeFolders(dirname(away));
    if (isThere(path)) renameSync(path, away);
    rmSync(away, { recursive: true, force: true });
    rmSync(folder.record(place), { force: true });
    if (namesIn(dirname(path)).length === 0) rmSync(dirname(path), { recursive: true, force: true });
  });
}

/** Removes what a killed run had on its way out. */
export function emptyTrash({ trash }: MirrorFolder): void {
  guarded(trash, () => {
    rmSync(trash, { recursive: true, force: true });
  });
}

/** Removes files of a version that do not belong to it any more. */
export function removeSurplus({ root }: MirrorFolder, place: PackageVersion, names: readonly string[]): void {
  const folder = versionFolder(root, place);
  if (names.length > 0) refuseLinksOf(folder);
  for (const name of names) {
    const path = join(folder, name);
    guarded(path, () => {
      rmSync(path, { recursive: true, force: true });
    });
  }
}
