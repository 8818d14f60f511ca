import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { localError } from '../../../../core/files/local-error.js';
import { CliError } from '../../../../core/errors.js';
import type { HubFile } from '../../../../hub/source.js';
import { badBundle, LARGEST_MANIFEST, MANIFEST, readManifest, type BundleManifest } from './manifest.js';
import { readTarHeader, TAR_BLOCK, tarPadding, type TarMember } from './tar.js';

const CHUNK = 1024 * 1024;
/** As many as a hub may have versions, with a dozen files each. */
const MOST_MEMBERS = 1_500_000;
const CONTENT = /^files\/([0-9a-f]{64})$/u;

/** A bundle that is open: what it is of, and the contents that it has, by their digests. */
export interface Bundle {
  readonly file: string;
  readonly manifest: BundleManifest;
  /** Opens a content; undefined when the bundle does not have it. One that is not as its name says fails at its end. */
  content(sha256: string, what: string): HubFile | undefined;
  close(): Promise<void>;
}

/**
 * Opens a bundle and looks at all of its headers. Nothing of it is held in memory but the manifest.
 * @throws BAD_BUNDLE, LOCAL_IO
 */
export async function openBundle(file: string, signal: AbortSignal): Promise<Bundle> {
  const handle = await opened(file);
  try {
    const { size } = await handle.stat();
    const manifest = readManifest(await manifestBytes(handle, file, size), file);
    const known = new Map(manifest.files.map((one) => [one.sha256, one.size]));
    const places = new Map<string, { readonly at: number; readonly size: number }>();
    let members = 0;
    for await (const { name, size: bytes, at } of membersOf(handle, file, size)) {
      signal.throwIfAborted();
      const sha256 = CONTENT.exec(name)?.[1];
      if (name === MANIFEST && members++ === 0) continue;
      if (sha256 === undefined || places.has(sha256) || !known.has(sha256) || members++ > MOST_MEMBERS)
        throw badBundle(file, `${JSON.stringify(name)} is an unexpected member`);
      if (known.get(sha256) !== bytes)
        throw badBundle(file, `${JSON.stringify(name)} has a different size than the manifest lists`);
      places.set(sha256, { at, size: bytes });
    }
    const content: Bundle['content'] = (sha256, what) => {
      const place = places.get(sha256);
      if (place === undefined) return undefined;
      const body = bodyOf(handle, { file, what, sha256, ...place });
      return { what, bytes: place.size, body, discard: () => Promise.resolve() };
    };
    return { file, manifest, content, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw localError(error, 'read', file);
  }
}

/** The manifest of a bundle, or one that was taken out of it. */
export async function manifestOf(file: string): Promise<BundleManifest> {
  const handle = await opened(file);
  try {
    const { size } = await handle.stat();
    const first = await readAt(handle, 0, 1);
    const isAlone = first.toString('latin1') === '{' && size <= LARGEST_MANIFEST;
    return readManifest(isAlone ? await readAt(handle, 0, size) : await manifestBytes(handle, file, size), file);
  } catch (error) {
    throw localError(error, 'read', file);
  } finally {
    await handle.close();
  }
}

async function opened(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw localError(error, 'read', file);
  }
  throw new CliError('LOCAL_IO', `cannot read ${file}: it is not a regular file`, { target: { file } });
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  for (let read = 1; read > 0 && done < length; done += read)
    read = (await handle.read(buffer, done, length - done, position + done)).bytesRead;
  return buffer.subarray(0, done);
}

async function* membersOf(
  handle: FileHandle,
  file: string,
  end: number,
): AsyncGenerator<TarMember & { readonly at: number }, void, void> {
  for (let at = 0; ;) {
    const header = await readAt(handle, at, TAR_BLOCK);
    if (header.length < TAR_BLOCK) throw badBundle(file, 'it is truncated');
    const member = readTarHeader(header);
    if (member === undefined) return;
    if (typeof member === 'string') throw badBundle(file, member);
    if (!member.isRegular) throw badBundle(file, `${JSON.stringify(member.name)} is not a regular file`);
    at += TAR_BLOCK;
    if (at + member.size > end) throw badBundle(file, `${JSON.stringify(member.name)} is truncated`);
    yield { ...member, at };
    at += member.size + tarPadding(member.size);
  }
}

async function manifestBytes(handle: FileHandle, file: string, end: number): Promise<Buffer> {
  for await (const { name, size, at } of membersOf(handle, file, end)) {
    if (name !== MANIFEST) break;
    if (size > LARGEST_MANIFEST) throw badBundle(file, `${MANIFEST} has more than ${LARGEST_MANIFEST} bytes`);
    return readAt(handle, at, size);
  }
  throw badBundle(file, `it does not begin with ${MANIFEST}`);
}

async function* bodyOf(
  handle: FileHandle,
  member: {
    readonly file: string;
    readonly what: string;
    readonly sha256: string;
    readonly at: number;
    readonly size: number;
  },
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, member.size));
  for (let done = 0; done < member.size;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, member.size - done), member.at + done);
    if (bytesRead === 0) throw badBundle(member.file, `${member.what} is truncated`);
    done += bytesRead;
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') !== member.sha256) throw badBundle(member.file, `${member.what} does not match its SHA-256`);
}
