import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { parseJsonArray } from '../../../core/json/array.js';
import { isRawObject } from '../../../hub/fields.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';

const MOST_NAMED = 3;

/** Warns of a catalog that does not list what the tree has. */
export async function warnOfStale(root: string, places: Iterable<PackageVersion>, emit: Emit): Promise<void> {
  const what = await staleCatalog(root, places);
  if (what !== undefined)
    emit({ type: 'warning', code: 'CATALOG_STALE', message: `packages.json ${what}; build the hub again` });
}

/** How packages.json differs from the versions of its tree, if it does, as `does not list ...`. */
export async function staleCatalog(root: string, places: Iterable<PackageVersion>): Promise<string | undefined> {
  const file = join(root, 'packages.json');
  if (!isThere(file)) return undefined;
  const isListed = new Map<string, boolean>();
  for (const { name, version } of places) isListed.set(`${name} ${version}`, false);
  const gone: string[] = [];
  try {
    for (const entry of parseJsonArray(await readBounded(file, LIMITS.catalog), 'packages.json') ?? []) {
      const { name, version } = isRawObject(entry) ? entry : {};
      const place = `${String(name)} ${String(version)}`;
      if (isListed.has(place)) isListed.set(place, true);
      else gone.push(place);
    }
  } catch (error) {
    if (error instanceof CliError) return `cannot be read: ${error.message}`;
    throw error;
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
