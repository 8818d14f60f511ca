import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { LARGEST_TEXT, readTextFile } from '../../../core/files/read-bounded.js';
import { writeAtomically } from '../../../state/atomic-write.js';
import { refusePackagesFolder } from '../tree/source-tree.js';
import { madeFolder } from '../tree/create-folder.js';

/** What a new source tree begins with. */
export interface NewTree {
  readonly folder: string;
  /** Name of the first package. */
  readonly name: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Text of README.md. */
  readonly guide: string;
}

/** Texts of the first package, which whoever publishes it replaces. */
export const PLACEHOLDERS = {
  description: 'Says what the package is for, in one or two sentences.',
  author: 'Your name',
  org: 'Your organisation',
} as const;

const specification = ({ name, created }: NewTree): string =>
  `${JSON.stringify(
    {
      specVersion: '1.0',
      label: name,
      ...PLACEHOLDERS,
      created,
      categories: ['pipeline'],
      cdapVersion: '[6.0.0,7.0.0-SNAPSHOT)',
      actions: [
        {
          type: 'informational',
          label: 'About this package',
          arguments: [{ name: 'steps', value: ['Replace this action by what the package installs.'] }],
        },
      ],
    },
    undefined,
    2,
  )}\n`;

const IGNORED = '*.key';

/** Whether Git leaves out secret keys of a tree. */
export async function ignoresKeys(folder: string): Promise<boolean> {
  const found = await readTextFile(join(folder, '.gitignore'), LARGEST_TEXT);
  return found.kind === 'text' && found.text.split(/\r?\n/u).some((line) => line.trim() === IGNORED);
}

/**
 * Writes a source tree with one package and its documentation. A checkout may have a README.md and a .gitignore, which
 * stay as they are.
 * @returns the new files, below the folder
 * @throws EXISTS before anything is written
 */
export async function initTree(tree: NewTree): Promise<readonly string[]> {
  const { folder, name, guide } = tree;
  const files = new Map([
    ['.gitignore', `${IGNORED}\n`],
    ['README.md', guide],
    [`packages/${name}/1.0.0/spec.json`, specification(tree)],
  ]);
  refusePackagesFolder(resolve(folder));
  if (statSync(join(folder, 'packages'), { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CliError('EXISTS', `${folder} is already a hub`, { hints: [{ next: 'pack-package', folder }] });
  for (const file of files.keys()) if (isThere(join(folder, file))) files.delete(file);
  for (const [file, text] of files) {
    const path = join(folder, file);
    madeFolder(dirname(path));
    await writeAtomically(path, text, { mode: 0o644 });
  }
  return [...files.keys()];
}
