import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { makeFolders } from '../../../core/files/make-folders.js';
import { readTextFile } from '../../../core/files/read-bounded.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { createStaged, refuseLink, syncFolder, writeAtomically } from '../../../state/atomic-write.js';
import { leftoversIn, removeLeftovers, temporaryName } from '../../../state/temporary.js';
import { readShort } from '../sign/read-unchanged.js';
import { packagesAside } from '../tree/displaced-packages.js';
import type { PackedJar } from './draft.js';
import { jarOf, type PackageFiles } from './package-files.js';
import { digestOf } from './jar-inputs.js';

/** A package to write: its place, its texts, and the JAR that it gets. */
export interface NewPackage extends PackageVersion {
  readonly files: PackageFiles;
  readonly source: PackedJar;
}

const MODE = 0o644;
const folderOf = (root: string, { name, version }: PackageVersion): string => join(root, 'packages', name, version);

/**
 * Rejects packages that are there.
 * @throws EXISTS
 */
export function refuseExisting(root: string, places: readonly PackageVersion[]): void {
  const [first, ...more] = places.map((place) => folderOf(root, place)).filter(isThere);
  if (first === undefined) return;
  if (more.length === 0)
    throw new CliError('EXISTS', `${first} exists`, { hints: [{ next: 'replace-package' }], target: { file: first } });
  throw new CliError('EXISTS', `${more.length + 1} packages exist`, {
    lines: [first, ...more],
    hints: [{ next: 'replace-files' }],
  });
}

/** When a package that is there was made of the same JAR, in seconds; undefined if unknown. */
export async function createdBefore(
  root: string,
  place: PackageVersion,
  sha256: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const folder = folderOf(root, place);
  const jar = join(folder, jarOf(place));
  if (!isThere(jar)) return undefined;
  try {
    const found = await readTextFile(join(folder, 'spec.json'), LIMITS.specification);
    const text = found.kind === 'text' ? found.text : '';
    const created = /"created"\s*:\s*(\d{9,11})\s*[,}]/u.exec(text)?.[1];
    return created !== undefined && (await isSame(jar, sha256, signal)) ? Number(created) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/**
 * Puts back packages that runs which were killed had set aside, and removes what else they left. A package is aside
 * while another one takes its place.
 * @throws LOCAL_IO
 */
export function restorePackages(root: string): void {
  const parent = join(root, 'packages');
  if (!isThere(parent)) return;
  refuseLink(parent);
  try {
    for (const { from, to } of packagesAside(parent, leftoversIn(parent))) {
      makeFolders(dirname(to));
      refuseLink(dirname(to));
      renameSync(from, to);
    }
    removeLeftovers(parent);
  } catch (error) {
    throw localError(error, 'write', parent);
  }
}

/**
 * Writes package folders into a source tree: each appears whole, and none before all are on the disk. What was there
 * is replaced if `clobber`.
 * @throws EXISTS, CHANGED_MEANWHILE when a JAR is no longer the one that was read, SYMLINK, DISK_FULL, LOCAL_IO
 */
export async function writePackages(
  root: string,
  packages: readonly NewPackage[],
  clobber: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (!clobber) refuseExisting(root, packages);
  const parent = join(root, 'packages');
  const staged: string[] = [];
  try {
    makeFolders(parent);
    refuseLink(parent);
    for (const one of packages) {
      const folder = join(parent, temporaryName());
      mkdirSync(folder);
      staged.push(folder);
      await stage(folder, one, signal);
      await keepSignatures(folderOf(root, one), folder, one, signal);
    }
    for (const [at, one] of packages.entries()) await place(staged[at] ?? '', root, one);
  } catch (error) {
    throw localError(error, 'write', parent);
  } finally {
    for (const folder of staged) rmSync(folder, { recursive: true, force: true });
  }
}

async function stage(folder: string, { files, source }: NewPackage, signal: AbortSignal): Promise<void> {
  for (const [name, text] of files.texts) await writeAtomically(join(folder, name), text, { mode: MODE });
  const copy = createStaged(join(folder, files.jar), { mode: MODE });
  try {
    const digest = await digestOf(source.file, signal, (chunk) => {
      copy.write(chunk);
    });
    if (digest !== source.sha256)
      throw new CliError('CHANGED_MEANWHILE', `${source.shown} changed since it was read`, {
        hints: ['run the command again when no other program writes to the JAR'],
        target: { file: source.shown },
      });
    await copy.commit();
  } finally {
    await copy.abort();
  }
}

/** Takes over the signatures of files that have the same content in a new folder. */
async function keepSignatures(
  before: string,
  folder: string,
  { files, source }: NewPackage,
  signal: AbortSignal,
): Promise<void> {
  const digests = [...files.texts].map(
    ([name, text]) => [name, createHash('sha256').update(text).digest('hex')] as const,
  );
  for (const [name, sha256] of [...digests, [files.jar, source.sha256] as const]) {
    const signature = await readShort(join(before, `${name}.asc`), LIMITS.signature);
    if (signature !== undefined && (await isSame(join(before, name), sha256, signal)))
      await writeAtomically(join(folder, `${name}.asc`), signature, { mode: MODE });
  }
}

async function isSame(file: string, sha256: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await digestOf(file, signal, () => undefined)) === sha256;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** Gives a folder its final place; what was there is gone only when the new one is in its place. */
async function place(folder: string, root: string, { name, version }: PackageVersion): Promise<void> {
  const target = folderOf(root, { name, version });
  makeFolders(dirname(target));
  refuseLink(dirname(target));
  const aside = join(root, 'packages', temporaryName());
  // It tells where it belongs, for `restorePackages`.
  const before = join(aside, name, version);
  const isReplaced = isThere(target);
  try {
    if (isReplaced) {
      mkdirSync(dirname(before), { recursive: true });
      renameSync(target, before);
    }
    renameSync(folder, target);
    await syncFolder(dirname(target));
    // What is half removed must not be put back.
    if (isReplaced) renameSync(before, folder);
  } finally {
    if (isThere(before) && !isThere(target)) renameSync(before, target);
    rmSync(aside, { recursive: true, force: true });
  }
}
