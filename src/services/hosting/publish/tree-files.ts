import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { wholeFile } from '../../../core/files/read-pieces.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { isGone } from '../../../hub/folder-files.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { isSecretKey, KEY_BEGINNING, SECRET_KEY_PROBLEM } from '../tree/secret-key-file.js';
import { categoriesWithIcon, filesOfVersion, findVersions, type TreeFault } from '../tree/source-tree.js';

/** A file of a hub: its path below the root with slashes, size in bytes, SHA-256 in hex. */
export interface TreeFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** The files of a hub in a folder by path, with its index. Faults are what of the folder is no part of a hub. */
export interface TreeFiles {
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly index: HubIndex | undefined;
  readonly faults: readonly TreeFault[];
}

const AT_ONCE = 4;
/** What the root of a hub may have beside keys (`*.asc`). */
const AT_ROOT = new Set([
  'packages.json',
  'categories.json',
  'index.json',
  'index.json.asc',
  'index.html',
  'metadata.json',
]);

/** Reads every file of a hub, which gives its digest. A folder without packages has none of them. */
export async function readTreeFiles(root: string, signal: AbortSignal): Promise<TreeFiles> {
  const faults: TreeFault[] = [];
  const paths = [
    ...(await packageFiles(root, faults, signal)),
    ...[...(await categoriesWithIcon(root, faults))].map((name) => `categories/${name}/icon.png`),
    ...(await rootFiles(root)),
  ];
  const files = new Map<string, TreeFile>();
  const read = async (path: string, stop: AbortSignal): Promise<TreeFile> => digested(root, path, faults, stop);
  for await (const file of mapConcurrent(paths, AT_ONCE, read, signal)) files.set(file.path, file);
  const place = join(root, 'index.json');
  const index = isThere(place) ? readIndex(await readBounded(place, LIMITS.index), place) : undefined;
  return { files, index, faults };
}

/** The package versions of which there are files, more than once. */
export function* placesIn({ files }: TreeFiles): Generator<PackageVersion> {
  for (const path of files.keys()) {
    const [folder, name = '', version = '', file] = path.split('/');
    if (folder === 'packages' && file !== undefined) yield { name, version };
  }
}

async function packageFiles(root: string, faults: TreeFault[], signal: AbortSignal): Promise<readonly string[]> {
  if (!isThere(join(root, 'packages'))) return [];
  const tree = await findVersions(root, signal);
  faults.push(...tree.faults);
  const paths: string[] = [];
  const list = (place: PackageVersion) => filesOfVersion(root, place);
  let at = 0;
  for await (const inside of mapConcurrent(tree.places, AT_ONCE, list, signal)) {
    const { name, version } = tree.places[at++] ?? { name: '', version: '' };
    faults.push(...inside.faults);
    for (const file of inside.names) paths.push(`packages/${name}/${version}/${file}`);
  }
  return paths;
}

async function rootFiles(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    const isOurs = (name: string): boolean => AT_ROOT.has(name) || (name.endsWith('.asc') && !name.startsWith('.'));
    return entries.filter((entry) => entry.isFile() && isOurs(entry.name)).map(({ name }) => name);
  } catch (error) {
    if (isGone(error)) return [];
    throw localError(error, 'read', root);
  }
}

async function digested(root: string, path: string, faults: TreeFault[], signal: AbortSignal): Promise<TreeFile> {
  const hash = createHash('sha256');
  let size = 0;
  let beginning = new Uint8Array();
  for await (const chunk of bytesOf(join(root, path), signal)) {
    if (size === 0) beginning = Uint8Array.from(chunk.subarray(0, KEY_BEGINNING));
    hash.update(chunk);
    size += chunk.length;
  }
  if (isSecretKey(beginning, size)) faults.push({ file: path, code: 'BAD_SOURCE', message: SECRET_KEY_PROBLEM });
  return { path, size, sha256: hash.digest('hex') };
}

/** The bytes of a plain file in pieces, each good until the next is asked for; a link is refused. */
export async function* bytesOf(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const { handle, size } = await opened(file);
  yield* wholeFile(handle, { path: file, size }, signal);
}

async function opened(file: string): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isFile()) return { handle, size: stat.size };
      throw new CliError('CHANGED_MEANWHILE', `${file} is no longer a regular file`, { target: { file } });
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw localError(error, 'read', file);
  }
}
