import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { localError } from '../../../core/files/local-error.js';
import { parseJson } from '../../../core/json/json.js';
import { isRawObject } from '../../../hub/fields.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';

const MOST_NAMED = 3;
const PIECE = 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

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
    for await (const entry of entriesOf(file)) {
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

/** The objects of a list one by one. The index of a large hub is in memory already, the list never is. */
async function* entriesOf(file: string): AsyncGenerator<unknown, void, void> {
  let rest = Buffer.alloc(0);
  let [depth, start, isText] = [0, -1, false];
  for await (const piece of createReadStream(file, { highWaterMark: PIECE })) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)]);
    for (let at = rest.length; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE && !(isText && isEscaped(bytes, at))) isText = !isText;
      else if (isText) continue;
      else if (byte === OPENING) {
        if (depth === 0) start = at;
        depth += 1;
      } else if (byte === CLOSING) {
        depth -= 1;
        if (depth !== 0) continue;
        yield parseJson(bytes.subarray(start, at + 1), 'packages.json');
        start = -1;
      }
    }
    rest = bytes.subarray(start === -1 ? bytes.length : start);
    if (start !== -1) start = 0;
  }
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** Package versions by name; of many the first, and how many there are. */
export function named(places: readonly string[]): string {
  const first = places.slice(0, MOST_NAMED).join(', ');
  return places.length <= MOST_NAMED ? first : `${counted(places.length, 'package version')} (${first}, ...)`;
}
