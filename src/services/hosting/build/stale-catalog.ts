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

/** Warns of a catalog that does not list what the tree has. */
export async function warnOfStale(root: string, places: Iterable<PackageVersion>, emit: Emit): Promise<void> {
  const what = await staleCatalog(root, places);
  if (what !== undefined)
    emit({ type: 'warning', code: 'CATALOG_STALE', message: `packages.json ${what}; build the hub again` });
}

/** How packages.json differs from the versions of its tree, if it does, as `does not list ...`. */
export async function staleCatalog(root: string, places: Iterable<PackageVersion>): Promise<string | undefined> {
  const file = join(root, 'packages.json');
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return undefined;
  if (stat.size > LIMITS.catalog) return `has ${stat.size} bytes; clients read at most ${LIMITS.catalog}`;
  const isListed = new Map<string, boolean>();
  for (const { name, version } of places) isListed.set(`${name} ${version}`, false);
  const gone: string[] = [];
  try {
    // One by one: the index of a large hub is in memory already, and the list must not be.
    for await (const entry of objectsIn(createReadStream(file, { highWaterMark: PIECE }), 'packages.json')) {
      const { name, version } = isRawObject(entry) ? entry : {};
      const place = `${String(name)} ${String(version)}`;
      if (isListed.has(place)) isListed.set(place, true);
      else gone.push(place);
    }
  } catch (error) {
    if (error instanceof CliError) return `cannot be read: ${error.message}`;
    throw localError(error, 'read', file);
  }
  const missing = [...isListed].flatMap(([place, isKnown]) => (isKnown ? [] : [place])).sort();
  const lacks = missing.length === 0 ? [] : [`does not list ${named(missing)}`];
  const hasMore = gone.length === 0 ? [] : [`lists ${named(gone)}, which the tree does not have`];
  return lacks.length + hasMore.length === 0 ? undefined : [...lacks, ...hasMore].join(' and ');
}

/** Package versions by name; of many the first, and how many there are. */
export function named(places: readonly string[]): string {
  const first = places.slice(0, MOST_NAMED).join(', ');
  return places.length <= MOST_NAMED ? first : `${counted(places.length, 'package version')} (${first}, ...)`;
}
