import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../../../core/counted.js';
import { CliError } from '../../../../core/errors.js';
import { isThere } from '../../../../core/files/exists.js';
import { localError } from '../../../../core/files/local-error.js';
import { readBounded } from '../../../../core/files/read-bounded.js';
import { LIMITS, type HubFile } from '../../../../hub/source.js';
import { openInside } from '../../../../hub/folder-files.js';
import { writeAtomically } from '../../../../state/atomic-write.js';
import { removeLeftovers } from '../../../../state/temporary.js';
import { madeFolder } from '../../tree/create-folder.js';
import { firstLines } from '../failure-lines.js';
import { localFile } from '../folder/local-file.js';
import type { MirrorFolder } from '../folder/mirror-folder.js';
import { namesIn } from '../folder/folder-names.js';
import {
  LARGEST_MANIFEST,
  MANIFEST,
  readManifest,
  writeManifest,
  type BundleFile,
  type BundleManifest,
} from './manifest.js';
import type { Bundle } from './read-bundle.js';

/** Those of a killed run are removed once, not before each of many files. */
const OPTIONS = { overwrite: true, keepLeftovers: true };

/** The state of a hub that waits in its mirror until other bundles bring all of its files. */
export async function pendingManifest({ pending }: MirrorFolder): Promise<BundleManifest | undefined> {
  const path = join(pending, MANIFEST);
  return isThere(path) ? readManifest(await readBounded(path, LARGEST_MANIFEST), path) : undefined;
}

/** Whether a content waits, with its size in bytes. */
export const isPending = ({ pending }: MirrorFolder, sha256: string, size: number): boolean =>
  localFile(contentPath(pending, sha256))?.size === size;

/** Opens a content that waits. */
export const openPending = (
  { pending }: MirrorFolder,
  sha256: string,
  signal: AbortSignal,
): Promise<HubFile | undefined> => openInside(pending, ['files', sha256], LIMITS.resource, signal);

const contentPath = (pending: string, sha256: string): string => join(pending, 'files', sha256);

/** Keeps what a bundle has of a state of its hub, and forgets what that does not need. */
export async function keepPending(
  folder: MirrorFolder,
  bundle: Bundle,
  wanted: BundleManifest,
  isInTree: (path: string) => boolean,
): Promise<void> {
  const { pending } = folder;
  const contents = madeFolder(join(pending, 'files'));
  const needed = new Set(wanted.files.map(({ sha256 }) => sha256));
  for (const name of namesIn(contents)) if (!needed.has(name)) remove(join(contents, name));
  removeLeftovers(contents);
  for (const { path, sha256, size } of wanted.files) {
    if (isPending(folder, sha256, size) || isInTree(path)) continue;
    const content = bundle.content(sha256, path);
    if (content !== undefined) await writeAtomically(contentPath(pending, sha256), content.body, OPTIONS);
  }
  await writeAtomically(join(pending, MANIFEST), writeManifest(wanted), { overwrite: true });
}

const OUTCOMES = {
  kept: 'nothing is published until they are imported',
  dropped: 'nothing was published: import this bundle again after them',
  foreseen: 'nothing would be published',
};

/** How many files of a state are in none of the bundles so far. */
export function missingText(missing: readonly BundleFile[], { files }: BundleManifest): string {
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  return `${missing.length} of ${counted(files.length, 'file')} (${bytes} bytes) are missing and must come from other bundles`;
}

/** PARTIAL: files of a state are in none of the bundles so far. */
export function waiting(
  missing: readonly BundleFile[],
  manifest: BundleManifest,
  outcome: keyof typeof OUTCOMES,
): CliError {
  const paths = missing.map(({ path }) => path);
  return new CliError('PARTIAL', `${missingText(missing, manifest)}; ${OUTCOMES[outcome]}`, {
    lines: firstLines(paths),
    hints: ['import the bundles that were written before this one, in any order'],
    item: { missing: paths },
  });
}

/** Forgets what waits. */
export function forgetPending({ pending }: MirrorFolder): void {
  remove(pending);
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw localError(error, 'write', path);
  }
}
