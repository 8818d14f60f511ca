import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../core/json/json.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { isRawObject, type RawObject } from '../../../hub/fields.js';
import { isGone } from '../../../hub/folder-files.js';
import { packagerElement, packagerList } from '../../../hub/packager-json.js';
import { LIMITS } from '../../../hub/source.js';
import { createStaged } from '../../../state/atomic-write.js';
import { placeTogether, type WaitingFile } from '../../../state/place-together.js';
import type { MadeCatalog } from './make-catalog.js';
import { bytesOf, TextStore, type StoredText } from './text-store.js';

/** A file of a catalog; `outdated` is one that would change. */
export interface CatalogFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** How many packages or categories it lists. */
  readonly entries: number;
  readonly state: 'written' | 'unchanged' | 'outdated';
}

/** The page that a browser gets at the address of a hub. */
export const START_PAGE = 'index.html';
/** Readable by all, before the umask: a hub is public. */
const MODE = 0o644;

/** What a file of a catalog holds. */
export interface CatalogContent {
  readonly name: string;
  readonly entries: number;
  /** They can be had again. */
  readonly pieces: () => Iterable<string | Uint8Array>;
}

/** Makes the start page of a hub from the entries of its catalog. */
export type MakePage = (entries: Iterable<RawObject>) => Iterable<string>;

/** What is to be written, with a start page if one is made. The file that is read first comes last. */
export function contentsOf({ entries, categories }: MadeCatalog, makePage?: MakePage): readonly CatalogContent[] {
  const store = new TextStore();
  const elements = categories.map((category) => store.add(packagerElement(category)));
  const page = makePage && { name: START_PAGE, entries: entries.length, pieces: () => makePage(parsed(entries)) };
  return [
    { name: 'categories.json', entries: elements.length, pieces: () => piecesOf(elements) },
    ...(page === undefined ? [] : [page]),
    { name: 'packages.json', entries: entries.length, pieces: () => piecesOf(entries) },
  ];
}

/** The files of a catalog in a folder, and whether they are what stands there already. */
export async function compareCatalog(
  folder: string,
  contents: readonly CatalogContent[],
): Promise<readonly CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const { name, entries, pieces } of contents) {
    const path = join(folder, name);
    const { bytes, digest } = digestOf(pieces());
    const isSame = await hasDigest(path, bytes, digest);
    files.push({ name, path, bytes, entries, state: isSame ? 'unchanged' : 'outdated' });
  }
  return files;
}

/** Whether the index of a tree lists its catalog as it is. It is searched and not parsed, which takes 80 MB. */
export async function isListed(folder: string, files: readonly CatalogFile[]): Promise<boolean> {
  const path = join(folder, 'index.json');
  const index = isThere(path) ? Buffer.from(await readBounded(path, LIMITS.index)) : undefined;
  for (const { name } of files) {
    if (name === START_PAGE) continue;
    if (index?.includes(`"sha256":"${await digestOfFile(join(folder, name))}"`) !== true) return false;
  }
  return true;
}

/** Writes the files that would change, each whole or not at all. None is put in place before all are written. */
export async function writeCatalog(
  files: readonly CatalogFile[],
  contents: readonly CatalogContent[],
  signal: AbortSignal,
): Promise<readonly CatalogFile[]> {
  const outdated = files.filter(({ state }) => state === 'outdated');
  const waiting: WaitingFile[] = [];
  try {
    for (const { name, path: place } of outdated) {
      signal.throwIfAborted();
      const file = createStaged(place, { mode: MODE, overwrite: true, passing: outdated.length > 1 });
      waiting.push({ file, place });
      for (const piece of inLargerPieces(contents.find((one) => one.name === name)?.pieces() ?? [])) file.write(piece);
    }
    await placeTogether(waiting, signal);
  } finally {
    for (const { file } of waiting) await file.abort();
  }
  return files.map((file) => (file.state === 'outdated' ? { ...file, state: 'written' } : file));
}

function* piecesOf(elements: readonly StoredText[]): Generator<string | Uint8Array, void, void> {
  for (const piece of packagerList(elements)) yield typeof piece === 'string' ? piece : bytesOf(piece);
}

function* parsed(elements: readonly StoredText[]): Generator<RawObject, void, void> {
  for (const element of elements) {
    const value = parseJson(bytesOf(element), 'an entry');
    if (isRawObject(value)) yield value;
  }
}

const PIECE = 1024 * 1024;

/** Few large writes take less time than one for each package. */
function* inLargerPieces(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array, void, void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const last = Buffer.from(piece);
    waiting.push(last);
    bytes += last.length;
    if (bytes < PIECE) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

function digestOf(pieces: Iterable<string | Uint8Array>): { readonly bytes: number; readonly digest: string } {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += Buffer.byteLength(piece);
  }
  return { bytes, digest: hash.digest('hex') };
}

/** Whether a regular file is there with this content. */
async function hasDigest(path: string, bytes: number, digest: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isFile() || stat.size !== bytes) return false;
    return (await digestOfFile(path)) === digest;
  } catch (error) {
    if (isGone(error)) return false;
    throw localError(error, 'read', path);
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(Buffer.from(chunk));
  return hash.digest('hex');
}
