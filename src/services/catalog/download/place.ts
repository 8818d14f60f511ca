import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { makeFolders } from '../../../core/files/make-folders.js';
import { fileNameFor } from '../../../core/names.js';
import { createStaged } from '../../../state/atomic-write.js';
import { errnoOf, linkError, localError } from '../../../core/files/local-error.js';

/** The folder of a package version below the folder of a download. */
export function packageFolder(folder: string, name: string, version: string): string {
  return join(folder, fileNameFor(name), fileNameFor(version));
}

/** Throws EXISTS for the first of some files that is already there (docs/faults.md L09). */
export function refuseExisting(paths: readonly string[]): void {
  const found = paths.find(isThere);
  if (found === undefined) return;
  throw new CliError('EXISTS', `${found} exists`, {
    hints: [{ next: 'keep-files' }, { next: 'replace-files' }],
    target: { file: found },
  });
}

/**
 * Makes a folder with its parents and proves that files can be created in it. Done before any network request
 * (docs/faults.md L04, L05).
 */
export async function writableFolder(folder: string): Promise<void> {
  makeFolder(folder);
  await createStaged(join(folder, '.cdapctl-probe')).abort();
}

/**
 * Makes the folder of a package version. A link in the place of one of its two folders is SYMLINK (docs/faults.md L10).
 */
export function makePackageFolder(path: string): void {
  for (const folder of [dirname(path), path]) {
    makeFolder(folder);
    if (lstatSync(folder).isSymbolicLink()) throw linkError(folder);
  }
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw localError(error, 'write', folder);
    throw new CliError('LOCAL_IO', `cannot write into ${folder}: it is not a folder`, { target: { file: folder } });
  }
}
