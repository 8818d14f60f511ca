import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { parseJson } from '../../../core/json/json.js';
import { readCatalog, type WholeCatalog } from '../../../hub/catalog.js';
import { inCatalogOrder, orderedLabel } from '../../../hub/catalog-order.js';
import { isRawObject, type RawObject } from '../../../hub/fields.js';
import { packagerElement, packagerList } from '../../../hub/packager-json.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { createStaged, syncFolder, type StagedFile } from '../../../state/atomic-write.js';
import { syncFiles } from '../../../state/sync-files.js';
import type { Upstream } from './upstream.js';

/** What clients read first, in the order in which it is published; the index is the last. */
const LAST = ['categories.json', 'packages.json.asc', 'packages.json', 'index.json.asc', 'index.json'];
/** What a hub may have, or not any more. */
const OPTIONAL = ['categories.json', 'packages.json.asc', 'metadata.json'];
const OPTIONS = { mode: 0o644, overwrite: true, passing: true };
const CATALOG = 'packages.json';
const CATEGORIES = 'categories.json';

/** An entry of a catalog as the hub has it. */
export interface RawEntry extends PackageVersion {
  readonly raw: RawObject;
}

/** The entries of the catalog that a mirror has; none without one. */
export async function ownEntries(root: string): Promise<readonly RawEntry[]> {
  const path = join(root, CATALOG);
  return isThere(path) ? readCatalog(await readBounded(path, LIMITS.catalog), path).entries : [];
}

/** The entries of the catalog of a hub, each with its position. */
export function entriesOfHub({ front }: Upstream): WholeCatalog['entries'] {
  const bytes = front.get(CATALOG);
  return bytes === undefined ? [] : readCatalog(bytes, CATALOG).entries;
}

/**
 * The catalog of a part of a hub, written as the packager does, with the categories of its packages.
 * @throws TOO_LARGE when clients would not read it
 */
export function ownCatalog({ front }: Upstream, entries: readonly RawEntry[]): ReadonlyMap<string, Uint8Array> {
  const placed = entries.map((entry) => ({ ...entry, label: orderedLabel(entry.raw['label']) })).sort(inCatalogOrder);
  const used = new Set<unknown>();
  for (const { raw } of entries)
    if (Array.isArray(raw['categories'])) for (const name of raw['categories']) used.add(name);
  const listed = parseJson(front.get(CATEGORIES) ?? Buffer.from('[]'), CATEGORIES);
  const categories = (Array.isArray(listed) ? listed : []).filter(
    (category) => isRawObject(category) && used.has(category['name']),
  );
  const files = new Map<string, Uint8Array>([
    [CATEGORIES, listBytes(categories)],
    [CATALOG, listBytes(placed.map(({ raw }) => raw))],
  ]);
  for (const [name, bytes] of files)
    if (bytes.length > LIMITS.catalog)
      throw new CliError(
        'TOO_LARGE',
        `${name} would have more than ${LIMITS.catalog} bytes, which clients do not read`,
      );
  return files;
}

const listBytes = (values: readonly unknown[]): Uint8Array =>
  Buffer.from([...packagerList(values.map(packagerElement))].join(''));

/** The files that differ from those of a folder, in the order in which they are published. */
export async function changedFront(
  root: string,
  front: ReadonlyMap<string, Uint8Array>,
): Promise<readonly (readonly [name: string, bytes: Uint8Array])[]> {
  const changed: [string, Uint8Array][] = [];
  for (const [name, bytes] of front) if (!(await hasBytes(join(root, name), bytes))) changed.push([name, bytes]);
  return changed.sort(([one], [other]) => LAST.indexOf(one) - LAST.indexOf(other));
}

async function hasBytes(path: string, bytes: Uint8Array): Promise<boolean> {
  if (!isThere(path)) return false;
  const found = await readBounded(path, bytes.length).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  return found?.equals(bytes) === true;
}

/**
 * Writes the files that clients read first: all beside their places, then one after the other. What must
 * appear together with them is moved right before.
 */
export async function writeFront(
  root: string,
  changed: readonly (readonly [name: string, bytes: Uint8Array])[],
  move: () => void,
  signal: AbortSignal,
): Promise<void> {
  const files: StagedFile[] = [];
  try {
    for (const [name, bytes] of changed) {
      const file = createStaged(join(root, name), OPTIONS);
      files.push(file);
      file.write(bytes);
    }
    await syncFiles(
      files.map(({ path }) => path),
      signal,
    );
    move();
    // None of these waits for the disk, so that a reader hardly ever comes in between.
    for (const file of files) await file.commit();
    await syncFolder(root);
  } finally {
    for (const file of files) await file.abort();
  }
}

/** Removes what the root of the hub no longer has, of what a mirror writes there. */
export function removeFront(root: string, front: ReadonlyMap<string, Uint8Array>): void {
  for (const name of OPTIONAL) {
    if (front.has(name)) continue;
    try {
      rmSync(join(root, name), { force: true });
    } catch (error) {
      throw localError(error, 'write', join(root, name));
    }
  }
}
