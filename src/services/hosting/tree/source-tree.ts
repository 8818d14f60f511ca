import { constants, readdirSync, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { collectEarly } from '../../../core/collecting.js';
import { CliError, type ErrorCode } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { isGone } from '../../../hub/folder-files.js';
import type { PackageVersion } from '../../../hub/source.js';
import { isTemporaryName } from '../../../state/temporary.js';
import { refuseAside } from './displaced-packages.js';

/** What is wrong in a source tree, and with which package version, if with one. */
export interface TreeFault {
  /** Below the root, with slashes. */
  readonly file: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** The package versions of a source tree, and what does not belong beside them. */
export interface SourceTree {
  /** The real path of the tree. */
  readonly root: string;
  readonly places: readonly PackageVersion[];
  readonly faults: readonly TreeFault[];
  /** Plain files beside the folders of packages and versions, which belong to none. */
  readonly beside: readonly string[];
}

/** As many as a catalog may have (`docs/limits.md`). */
const MOST_VERSIONS = 120_000;
/** From so many on memory matters more than time: before the heap has grown. */
const MANY = 20_000;

/**
 * Refuses the folder of the packages of a hub where the hub itself is meant.
 * @throws USAGE
 */
export function refusePackagesFolder(root: string): void {
  const isMeant = basename(root) !== 'packages' || isThere(join(root, 'packages')) || !hasSpecification(root);
  if (!isMeant) throw new CliError('USAGE', `${root} has the packages of a hub: use the folder that it is in`);
}

function hasSpecification(packages: string): boolean {
  const below = (folder: string): readonly string[] => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      // What is wrong with it is told by the first thing that needs it.
      return [];
    }
  };
  return below(packages).some((name) => below(name).some((version) => isThere(join(version, 'spec.json'))));
}

/** Real path of the folder of a tree; HUB_NOT_FOUND when there is none. */
export async function treeRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if ((await stat(root)).isDirectory()) return root;
  } catch (error) {
    if (isGone(error))
      throw new CliError('HUB_NOT_FOUND', `no folder at ${folder}`, {
        hints: folder.includes('://') ? [] : [{ next: 'init-hub', folder }],
      });
    throw localError(error, 'read', folder);
  }
  throw new CliError('HUB_NOT_FOUND', `${folder} is a file, not a folder`);
}

/**
 * Finds the package versions of a tree that is whole, as `listVersions` does.
 * @throws BAD_SOURCE for a package that is set aside, and the errors of `listVersions`
 */
export async function findVersions(root: string, signal: AbortSignal): Promise<SourceTree> {
  const tree = await listVersions(root, signal);
  refuseAside(root);
  return tree;
}

/**
 * Lists the package versions of a tree (`packages/NAME/VERSION`). Plain files beside folders are passed over; links,
 * hidden files and what is neither file nor folder are faults (docs/faults.md V04).
 * @throws HUB_NOT_FOUND without packages, BAD_SOURCE when that is no folder, TOO_LARGE
 */
export async function listVersions(root: string, signal: AbortSignal): Promise<SourceTree> {
  const faults: TreeFault[] = [];
  const places: PackageVersion[] = [];
  const beside: string[] = [];
  const among = (entries: readonly Dirent[], folder: string): readonly string[] => {
    for (const name of plainFiles(entries)) beside.push(`${folder}/${name}`);
    return foldersAmong(entries, folder, faults);
  };
  for (const name of among(await packagesIn(root), 'packages')) {
    signal.throwIfAborted();
    const folder = `packages/${name}`;
    for (const version of among(await entriesOf(root, folder, faults), folder)) {
      if (places.length === MOST_VERSIONS)
        throw new CliError('TOO_LARGE', `${root} has more than ${MOST_VERSIONS} package versions`);
      places.push({ name, version });
      if (places.length === MANY) collectEarly('catalog');
    }
  }
  return { root, places, faults, beside };
}

/** The entries of the folder of a package; none, and a fault, where it cannot be read. */
async function entriesOf(root: string, folder: string, faults: TreeFault[]): Promise<readonly Dirent[]> {
  try {
    return await entriesIn(join(root, folder));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    faults.push({ file: folder, code: error.code, message: error.message });
    return [];
  }
}

/** What is in the folder of a package version. */
export interface VersionFiles {
  /** Plain files. */
  readonly names: readonly string[];
  readonly folders: readonly string[];
  /** Whether there are temporary files of this tool, which are no fault. */
  readonly hasLeftovers: boolean;
  /** What must not be beside them. */
  readonly faults: readonly TreeFault[];
}

/** Lists the folder of a package version. */
export async function filesOfVersion(root: string, { name, version }: PackageVersion): Promise<VersionFiles> {
  const faults: TreeFault[] = [];
  const folder = `packages/${name}/${version}`;
  const entries = await entriesIn(join(root, folder));
  const folders = foldersAmong(entries, folder, faults);
  const hasLeftovers = entries.some((entry) => isTemporaryName(entry.name));
  return {
    names: plainFiles(entries),
    folders,
    hasLeftovers,
    faults: faults.map((fault) => ({ ...fault, name, version })),
  };
}

/** The names of the plain files at the root of a tree, sorted as text. Links and hidden files are left out. */
export async function filesAt(root: string): Promise<readonly string[]> {
  return [...plainFiles(await entriesIn(root))].sort();
}

const plainFiles = (entries: readonly Dirent[]): readonly string[] =>
  entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);

/** The categories with an icon (`categories/NAME/icon.png`). */
export async function categoriesWithIcon(root: string, faults: TreeFault[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const folder = join(root, 'categories');
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw localError(error, 'read', folder);
  });
  for (const name of foldersAmong(entries, 'categories', faults)) {
    const inside = await entriesIn(join(folder, name));
    foldersAmong(inside, `categories/${name}`, faults);
    if (inside.some((entry) => entry.name === 'icon.png' && entry.isFile())) found.add(name);
  }
  return found;
}

async function packagesIn(root: string): Promise<readonly Dirent[]> {
  const path = join(root, 'packages');
  try {
    // A link in its place would lead out of the tree.
    await (await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY)).close();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isGone(error)) throw localError(error, 'read', path);
    if (!isMissing) throw new CliError('BAD_SOURCE', `${path} is not a folder`, { target: { file: path } });
    const above = dirname(root);
    const isInside = basename(root) === 'packages' || basename(above) === 'packages';
    throw new CliError('HUB_NOT_FOUND', `${root} has no folder packages`, {
      hints: [
        isInside ? 'specify the folder that contains packages' : 'a source tree has packages/NAME/VERSION/spec.json',
      ],
    });
  }
  return entriesIn(path);
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw localError(error, 'read', folder);
  }
}

/** The names of folders, sorted as text. */
function foldersAmong(entries: readonly Dirent[], folder: string, faults: TreeFault[]): readonly string[] {
  const names: string[] = [];
  for (const entry of entries) {
    if (isTemporaryName(entry.name)) continue;
    const problem = problemOf(entry);
    if (problem !== undefined) faults.push({ file: `${folder}/${entry.name}`, code: 'BAD_SOURCE', message: problem });
    else if (entry.isDirectory()) names.push(entry.name);
  }
  return names.sort();
}

function problemOf(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return 'it is hidden: remove or rename it';
  if (entry.isSymbolicLink()) return 'it is a symbolic link: put the file itself there';
  return entry.isFile() || entry.isDirectory() ? undefined : 'it is neither a file nor a folder: remove it';
}
