import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeAtomically } from './atomic-write.js';
import { baseAddress, hubKey } from './base-address.js';
import { checkPrivateFolder, privateFolder } from './private-folder.js';
import { readOwn } from './read-own.js';

const Head = z.strictObject({
  v: z.literal(1),
  url: z.string(),
  etag: z.optional(z.string()),
  fetchedAt: z.number(),
  sha256: z.string(),
});

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

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function headOf(line: Uint8Array): z.infer<typeof Head> | undefined {
  try {
    return Head.safeParse(JSON.parse(Buffer.from(line).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The catalog kept for a hub, or undefined when there is none or it is damaged; STATE_PERMS and SYMLINK when others put it there. */
export async function readCached(folder: string, base: string): Promise<CachedCatalog | undefined> {
  if (!checkPrivateFolder(folder)) return undefined;
  const file = await readOwn(fileOf(folder, base));
  if (file === undefined) return undefined;
  const end = file.indexOf(0x0a);
  const head = headOf(file.subarray(0, Math.max(0, end)));
  const bytes = file.subarray(end + 1);
  if (head?.url !== baseAddress(base) || head.sha256 !== digest(bytes)) return undefined;
  return { ...(head.etag === undefined ? {} : { etag: head.etag }), fetchedAt: head.fetchedAt, bytes };
}

/** Keeps the catalog of a hub: one file, a line of JSON before the bytes. */
export async function writeCached(folder: string, base: string, catalog: CachedCatalog): Promise<void> {
  const { etag, fetchedAt, bytes } = catalog;
  const head = JSON.stringify({ v: 1, url: baseAddress(base), etag, fetchedAt, sha256: digest(bytes) });
  await privateFolder(folder);
  await writeAtomically(fileOf(folder, base), Buffer.concat([Buffer.from(`${head}\n`), bytes]), { overwrite: true });
}
