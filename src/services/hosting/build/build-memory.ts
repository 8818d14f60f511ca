import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isThere } from '../../../core/files/exists.js';
import { parseJson } from '../../../core/json/json.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import type { CatalogPlace } from '../../../hub/catalog-order.js';
import { packagerList } from '../../../hub/packager-json.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { isSettled, type FileStamp } from '../tree/file-stamp.js';
import { recall, remember, type MemoryPlace } from '../tree/tree-memory.js';
import { bytesOf, type StoredText } from './text-store.js';

/** What the faults and the entry of a package version depend on. */
export interface EntrySource {
  /** Of the specification. */
  readonly stamp: FileStamp;
  /** SHA-256 of the names of the files in its folder but signatures, in base64. */
  readonly names: string;
}

/** An entry of a catalog, and the categories of its package; as one object, because there are 100,000. */
export interface CatalogEntryText extends CatalogPlace, StoredText {
  readonly seen?: SeenEntry | undefined;
}

/** From what an entry was made, SHA-256 of the specification in hex, and its categories. */
export interface SeenEntry extends EntrySource {
  readonly sha256: string;
  readonly categories: readonly string[];
}

/** What the last build of a catalog knows of the specifications that it was made from. */
export interface BuildMemory {
  /** The entry of a package version of which nothing has changed since. */
  readonly find: (
    place: PackageVersion,
    source: EntrySource,
  ) => (CatalogEntryText & { readonly seen: SeenEntry }) | undefined;
  /** Writes down what the catalog that is in place was made from, read from a moment in milliseconds on. */
  readonly keep: (entries: readonly CatalogEntryText[], start: number) => Promise<void>;
}

/** Which catalog it is: of a tree, in a folder. */
export interface BuildMemoryRequest extends Pick<MemoryPlace, 'stateFolder' | 'version'> {
  /** Real paths. */
  readonly root: string;
  readonly out: string;
}

const Notes = z.strictObject({
  /** SHA-256 of packages.json. */
  catalog: z.string(),
  entries: z.array(z.custom<KnownEntry>()),
});

/** Stamp of a specification, what else was seen of it, and where its entry is in packages.json. */
interface KnownEntry extends CatalogPlace, Omit<StoredText, 'block'>, Omit<SeenEntry, 'stamp'> {
  readonly id: string;
}

/**
 * Opens the memory of a build; it is empty unless packages.json is still what that build left.
 * @throws STATE_PERMS when somebody else may change it
 */
export async function openBuildMemory({ stateFolder, version, root, out }: BuildMemoryRequest): Promise<BuildMemory> {
  const place = { stateFolder, version, words: ['build', root, out] };
  const { entries, block } = await knownEntries(await recall(place), join(out, 'packages.json'));
  return {
    find({ name, version: of }, source) {
      const entry = entries.get(`${name}/${of}`);
      if (entry?.id !== source.stamp.id || entry.names !== source.names) return undefined;
      const { label, start, end, sha256, categories } = entry;
      return { label, name, version: of, block, start, end, seen: { ...source, sha256, categories } };
    },
    async keep(list, start) {
      if (list.some(({ seen }) => seen !== undefined))
        await remember(place, [Buffer.from(JSON.stringify(notesOf(list, start)))]);
    },
  };
}

interface Known {
  readonly entries: ReadonlyMap<string, KnownEntry>;
  /** The bytes of packages.json. */
  readonly block: Buffer;
}

const NOTHING: Known = { entries: new Map(), block: Buffer.alloc(0) };

async function knownEntries(body: Buffer | undefined, file: string): Promise<Known> {
  if (body === undefined || !isThere(file)) return NOTHING;
  const { catalog, entries } = Notes.parse(parseJson(body, 'the notes'));
  const block = await readBounded(file, LIMITS.catalog).catch(() => Buffer.alloc(0));
  if (createHash('sha256').update(block).digest('hex') !== catalog) return NOTHING;
  return { entries: new Map(entries.map((entry) => [`${entry.name}/${entry.version}`, entry])), block };
}

function notesOf(list: readonly CatalogEntryText[], start: number): z.infer<typeof Notes> {
  const hash = createHash('sha256');
  const entries: KnownEntry[] = [];
  let at = 0;
  for (const piece of packagerList(list)) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : bytesOf(piece);
    hash.update(bytes);
    if (typeof piece !== 'string' && piece.seen !== undefined && isSettled(piece.seen.stamp, start)) {
      const { name, version, label, seen } = piece;
      const { stamp, ...more } = seen;
      entries.push({
        name,
        version,
        label,
        ...more,
        id: stamp.id,
        start: at,
        end: at + bytes.length,
      });
    }
    at += bytes.length;
  }
  return { catalog: hash.digest('hex'), entries };
}
