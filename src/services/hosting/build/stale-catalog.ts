import { createReadStream, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { localError } from '../../../core/files/local-error.js';
import { parseJson } from '../../../core/json/json.js';
import { objectsIn } from '../../../core/json/elements.js';
import { isRawObject, type RawObject } from '../../../hub/fields.js';
import { packageEntry } from '../../../hub/package-entry.js';
import { packagerElement } from '../../../hub/packager-json.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { specificationText } from '../../../hub/tree-catalog.js';
import { readSmall } from '../tree/read-small.js';

const MOST_NAMED = 3;
const PIECE = 1024 * 1024;

const AGAIN = 'build the hub again';
/** What is not listed may have been left out of the catalog, which a plain build would undo. */
const UNLISTED = `${AGAIN}, unless this is intended`;

/** Warns of a catalog that does not list what the tree has; gives whether it must be built again. */
export async function warnOfStale(
  root: string,
  places: Iterable<PackageVersion>,
  emit: Emit,
  signal: AbortSignal,
): Promise<boolean> {
  const what = await staleCatalog(root, places, signal);
  if (what !== undefined) emit({ type: 'warning', code: 'CATALOG_STALE', message: `packages.json ${what}` });
  return what?.endsWith(AGAIN) === true;
}

/** How packages.json differs from its tree, as `does not list ...`, and what to do about it. */
export async function staleCatalog(
  root: string,
  places: Iterable<PackageVersion>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const file = join(root, 'packages.json');
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return undefined;
  if (stat.size > LIMITS.catalog) return `has ${stat.size} bytes, and clients read at most ${LIMITS.catalog}; ${AGAIN}`;
  const isListed = new Map<string, boolean>();
  for (const { name, version } of places) isListed.set(`${name} ${version}`, false);
  const [gone, changed]: [string[], string[]] = [[], []];
  try {
    // One by one: the index of a large hub is in memory already, and the list must not be.
    for await (const entry of objectsIn(createReadStream(file, { highWaterMark: PIECE }), 'packages.json')) {
      signal.throwIfAborted();
      const { name, version } = isRawObject(entry) ? entry : {};
      const place = `${String(name)} ${String(version)}`;
      if (!isRawObject(entry) || !isListed.has(place)) {
        gone.push(place);
        continue;
      }
      isListed.set(place, true);
      if (await isChanged(root, entry, latestOf(stat))) changed.push(place);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError) return `cannot be read: ${error.message}; ${AGAIN}`;
    throw localError(error, 'read', file);
  }
  const missing = [...isListed].flatMap(([place, isKnown]) => (isKnown ? [] : [place])).sort();
  const lacks = missing.length === 0 ? [] : [`does not list ${named(missing)}`];
  const hasMore = gone.length === 0 ? [] : [`lists ${named(gone)}, which the tree does not have`];
  const differs = changed.length === 0 ? [] : [`differs from the specification of ${named(changed)}`];
  const all = [...lacks, ...hasMore, ...differs];
  if (all.length === 0) return undefined;
  return `${all.join(' and ')}; ${lacks.length === 0 ? AGAIN : UNLISTED}`;
}

const latestOf = ({ mtimeMs, ctimeMs }: Stats): number => Math.max(mtimeMs, ctimeMs);

/** Whether a build would write another entry now. Only a specification that changed since the last one is read. */
async function isChanged(root: string, entry: RawObject, builtAt: number): Promise<boolean> {
  const [name, version] = [String(entry['name']), String(entry['version'])];
  const path = join(root, 'packages', name, version, 'spec.json');
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || latestOf(stat) < builtAt) return false;
  try {
    const { raw } = packageEntry({ name, version }, specificationText(await readSmall(path), 'it'));
    // As it is read again: a catalog cannot hold every text.
    return !isDeepStrictEqual(parseJson(Buffer.from(packagerElement(raw)), 'an entry'), entry);
  } catch (error) {
    // What is wrong with it is told by a lint and by a build.
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** Package versions by name; of many the first, and how many there are. */
export function named(places: readonly string[]): string {
  const first = places.slice(0, MOST_NAMED).join(', ');
  return places.length <= MOST_NAMED ? first : `${counted(places.length, 'package version')} (${first}, ...)`;
}
