import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { localError } from '../../../core/files/local-error.js';
import { objectsIn } from '../../../core/json/elements.js';
import { isRawObject } from '../../../hub/fields.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';

const MOST_NAMED = 3;
const PIECE = 1024 * 1024;

const AGAIN = 'build the hub again';
/** What is not listed may have been left out of the catalog, which a plain build would undo. */
const UNLISTED = `${AGAIN}, unless this is intended`;

/** Warns of a catalog that does not list what the tree has. */
export async function warnOfStale(
  root: string,
  places: Iterable<PackageVersion>,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const what = await staleCatalog(root, places, signal);
  if (what !== undefined) emit({ type: 'warning', code: 'CATALOG_STALE', message: `packages.json ${what}` });
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
  const gone: string[] = [];
  try {
    // One by one: the index of a large hub is in memory already, and the list must not be.
    for await (const entry of objectsIn(createReadStream(file, { highWaterMark: PIECE }), 'packages.json')) {
      signal.throwIfAborted();
      const { name, version } = isRawObject(entry) ? entry : {};
      const place = `${String(name)} ${String(version)}`;
      if (isListed.has(place)) isListed.set(place, true);
      else gone.push(place);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError) return `cannot be read: ${error.message}; ${AGAIN}`;
    throw localError(error, 'read', file);
  }
  const missing = [...isListed].flatMap(([place, isKnown]) => (isKnown ? [] : [place])).sort();
  const lacks = missing.length === 0 ? [] : [`does not list ${named(missing)}`];
  const hasMore = gone.length === 0 ? [] : [`lists ${named(gone)}, which the tree does not have`];
  if (lacks.length + hasMore.length === 0) return undefined;
  return `${[...lacks, ...hasMore].join(' and ')}; ${lacks.length === 0 ? AGAIN : UNLISTED}`;
}

/** Package versions by name; of many the first, and how many there are. */
export function named(places: readonly string[]): string {
  const first = places.slice(0, MOST_NAMED).join(', ');
  return places.length <= MOST_NAMED ? first : `${counted(places.length, 'package version')} (${first}, ...)`;
}
