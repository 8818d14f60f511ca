import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeAtomically } from './atomic-write.js';
import { baseAddress, hubKey } from './base-address.js';
import { checkPrivateFolder, privateFolder } from './private-folder.js';
import { readOwn, readOwnBeginning } from './read-state-file.js';

const Head = z.strictObject({
  v: z.literal(1),
  url: z.string(),
  etag: z.optional(z.string()),
  fetchedAt: z.number(),
  size: z.int(),
  sha256: z.string(),
});

/** Longest first line of a file, in bytes. */
const HEAD = 16_384;

/** The catalog of a hub as it was answered last. */
export interface CachedCatalog {
  readonly etag?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly bytes: Uint8Array;
}

function fileOf(folder: string, base: string): string {
  return join(folder, `${hubKey(base)}.cache`);
}

/** SHA-256 of a catalog in hex, as `CachedHead` has it. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function headOf(line: Uint8Array): z.infer<typeof Head> | undefined {
  try {
    return Head.safeParse(JSON.parse(Buffer.from(line).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** What is known of a kept catalog before it is read; SHA-256 in hex, milliseconds since the epoch. */
export interface CachedHead {
  readonly etag?: string | undefined;
  readonly fetchedAt: number;
  readonly sha256: string;
}

/**
 * What is kept for a hub, without its bytes, or undefined when there is none or it was cut.
 * @throws STATE_PERMS and SYMLINK when others put it there
 */
export async function readCachedHead(folder: string, base: string): Promise<CachedHead | undefined> {
  if (!checkPrivateFolder(folder)) return undefined;
  const beginning = await readOwnBeginning(fileOf(folder, base), HEAD);
  if (beginning === undefined) return undefined;
  const end = beginning.bytes.indexOf(0x0a);
  const head = headOf(beginning.bytes.subarray(0, Math.max(0, end)));
  if (head?.url !== baseAddress(base) || beginning.size !== end + 1 + head.size) return undefined;
  const { etag, fetchedAt, sha256 } = head;
  return { ...(etag === undefined ? {} : { etag }), fetchedAt, sha256 };
}

/**
 * The catalog kept for a hub, or undefined when there is none or it is damaged.
 * @throws STATE_PERMS and SYMLINK when others put it there
 */
export async function readCached(folder: string, base: string): Promise<CachedCatalog | undefined> {
  if (!checkPrivateFolder(folder)) return undefined;
  const file = await readOwn(fileOf(folder, base));
  if (file === undefined) return undefined;
  const end = file.indexOf(0x0a);
  const head = headOf(file.subarray(0, Math.max(0, end)));
  const bytes = file.subarray(end + 1);
  if (head?.url !== baseAddress(base) || head.sha256 !== digestOf(bytes)) return undefined;
  return { ...(head.etag === undefined ? {} : { etag: head.etag }), fetchedAt: head.fetchedAt, bytes };
}

async function* parts(head: string, bytes: Uint8Array): AsyncGenerator<string | Uint8Array, void, void> {
  yield head;
  yield bytes;
}

/** Keeps the catalog of a hub: one file, a line of JSON before the bytes. */
export async function writeCached(folder: string, base: string, catalog: CachedCatalog): Promise<void> {
  const { etag, fetchedAt, bytes } = catalog;
  const head = JSON.stringify({
    v: 1,
    url: baseAddress(base),
    etag,
    fetchedAt,
    size: bytes.length,
    sha256: digestOf(bytes),
  });
  await privateFolder(folder);
  await writeAtomically(fileOf(folder, base), parts(`${head}\n`, bytes), { overwrite: true });
}
