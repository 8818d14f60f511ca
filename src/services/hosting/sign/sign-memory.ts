import * as z from 'zod/mini';
import { smallestOf } from '../../../core/collections.js';
import { parseJson } from '../../../core/json/json.js';
import { filesOfPackage, type HubIndex, type IndexFile } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import { nextExpiry, type KeyringEntry } from '../../../trust/keyring.js';
import { ID_BYTES, isSettled, type FileStamp } from '../tree/file-stamp.js';
import { recall, remember, sha256Of, type MemoryPlace } from '../tree/tree-memory.js';

/** Whose memory it is: the run, the tree and the keys. */
export interface MemoryRequest extends Pick<MemoryPlace, 'stateFolder' | 'version'> {
  /** The real path of the tree. */
  readonly root: string;
  readonly entries: readonly KeyringEntry[];
  readonly now: Date;
  /** The moment, in milliseconds, from which on files were looked at. */
  readonly start: number;
}

/** A file that was read, without a signature file, or with a valid one that does not expire. */
export interface NotedFile {
  readonly stamp: FileStamp;
  readonly signature?: { readonly stamp: FileStamp; readonly digest: Buffer } | undefined;
}

/** A file as an earlier run saw it. */
export interface KnownFile {
  readonly listed: IndexFile;
  /** SHA-256 of its signature file; undefined: it had none, or a bad one. */
  readonly signature: Buffer | undefined;
  /** Whether it, or its signature file, has not changed since, as far as can be told without reading it. */
  readonly isUnchanged: (what: 'file' | 'signature', stamp: FileStamp) => boolean;
}

/** What earlier runs with the same keys found out about the files that one index lists. */
export interface SignMemory {
  readonly find: (place: PackageVersion, name: string) => KnownFile | undefined;
  /** Notes what was seen of the next file of a package, in the order of the index. */
  readonly note: (seen: NotedFile | undefined) => void;
  /** Writes down that what was noted holds for the index with this SHA-256. */
  readonly keep: (sha256: string) => Promise<void>;
  /** Writes down that what is known holds for the index with this SHA-256, which lists the same files. */
  readonly renew: (sha256: string) => Promise<void>;
}

/** An index in the tree that every key has signed. */
export interface KnownIndex {
  readonly index: HubIndex;
  readonly sha256: string;
}

const Head = z.strictObject({
  /** SHA-256 of the index, and of the public keys. */
  index: z.string(),
  keys: z.string(),
  /** Milliseconds since the epoch at which the next of the keys expires; null: never. */
  until: z.nullable(z.number()),
  /** When the run began. */
  at: z.number(),
});

/** A record has the stamp of a file, that of its signature, and SHA-256 of the latter; or zeros. */
const DIGEST = 32;
const RECORD = ID_BYTES + ID_BYTES + DIGEST;
const NONE = Buffer.alloc(RECORD);
const BLOCK = 4096 * RECORD;

/** Many records in few blocks. */
class RecordList {
  readonly #full: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;

  add(record: Buffer): void {
    if (this.#used === this.#block.length) {
      this.#full.push(this.#block);
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
      this.#used = 0;
    }
    this.#used += record.copy(this.#block, this.#used);
  }

  blocks(): readonly Buffer[] {
    return [...this.#full, this.#block.subarray(0, this.#used)];
  }
}

/**
 * Opens the memory of a tree for the keys that sign; it is empty unless it is of this index.
 * @throws STATE_PERMS when somebody else may change it
 */
export async function openMemory(request: MemoryRequest, known: KnownIndex | undefined): Promise<SignMemory> {
  const { stateFolder, version, root, entries, now, start: at } = request;
  const place = { stateFolder, version, words: ['sign', root] };
  const keys = sha256Of(Buffer.concat(entries.map(({ certificate }) => certificate.key.write()))).toString('hex');
  const until = smallestOf(await Promise.all(entries.map((entry) => nextExpiry(entry, now))));
  const records = known && recordsOf(await recall(place), { ...known, keys, now: now.getTime() });
  const starts = records && startsOf(known.index);
  const noted = new RecordList();
  const write = async (index: string, body: readonly Buffer[]): Promise<void> => {
    const head = { index, keys, until: until === Infinity ? null : until, at };
    await remember(place, [Buffer.from(`${JSON.stringify(head)}\n`), ...body]);
  };
  return {
    find(one, file) {
      if (known === undefined || records === undefined) return undefined;
      const files = filesOfPackage(known.index, one);
      const at = files.findIndex(({ name }) => name === file);
      const listed = files[at];
      if (listed === undefined) return undefined;
      const start = ((starts?.get(files) ?? 0) + at) * RECORD;
      return knownFile(listed, records.subarray(start, start + RECORD));
    },
    note: (seen) => {
      noted.add(recordOf(seen, at));
    },
    keep: (sha256) => write(sha256, noted.blocks()),
    async renew(sha256) {
      if (records !== undefined) await write(sha256, [records]);
    },
  };
}

function recordsOf(
  body: Buffer | undefined,
  { sha256, keys, now }: Pick<KnownIndex, 'sha256'> & { readonly keys: string; readonly now: number },
): Buffer | undefined {
  if (body === undefined) return undefined;
  const end = body.indexOf('\n');
  const head = Head.parse(parseJson(body.subarray(0, end), 'the notes'));
  // After the end of a key its signatures are judged again, as they are by a clock that went back.
  const isOfNow = now >= head.at && now < (head.until ?? Infinity);
  const isOurs = head.index === sha256 && head.keys === keys;
  return isOurs && isOfNow ? body.subarray(end + 1) : undefined;
}

/** How many files come before the first one of each package version. */
function startsOf({ packages }: HubIndex): ReadonlyMap<readonly IndexFile[], number> {
  const starts = new Map<readonly IndexFile[], number>();
  let start = 0;
  for (const { files } of packages) {
    starts.set(files, start);
    start += files.length;
  }
  return starts;
}

function knownFile(listed: IndexFile, record: Buffer): KnownFile {
  const ids = { file: record.subarray(0, ID_BYTES), signature: record.subarray(ID_BYTES, 2 * ID_BYTES) };
  const digest = record.subarray(2 * ID_BYTES);
  return {
    listed,
    signature: digest.equals(NONE.subarray(0, DIGEST)) ? undefined : digest,
    isUnchanged: (what, stamp) =>
      !ids[what].equals(NONE.subarray(0, ID_BYTES)) && ids[what].toString('base64') === stamp.id,
  };
}

function recordOf(seen: NotedFile | undefined, start: number): Buffer {
  if (seen === undefined) return NONE;
  const { stamp, signature } = seen;
  const id = (one: FileStamp): Buffer =>
    isSettled(one, start) ? Buffer.from(one.id, 'base64') : NONE.subarray(0, ID_BYTES);
  if (signature === undefined) return Buffer.concat([id(stamp), NONE.subarray(ID_BYTES)]);
  return Buffer.concat([id(stamp), id(signature.stamp), signature.digest]);
}
