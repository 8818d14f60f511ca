import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { CliError } from '../errors.js';
import { localError } from './local-error.js';

const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
const LOCAL_RECORD = 0x04034b50;
const LONGEST_COMMENT = 65_535;
/** Most bytes and entries of the directory of a JAR (`docs/limits.md`). */
const LARGEST_DIRECTORY = 16 * 1024 * 1024;
const MOST_ENTRIES = 150_000;
const LARGEST_MANIFEST = 1024 * 1024;
const MANIFEST = 'META-INF/MANIFEST.MF';

/** What the tool needs to know of a JAR: its entries' names, and what its manifest says. */
export interface Jar {
  readonly file: string;
  readonly bytes: number;
  /** `Bundle-Version` of the manifest: the platform's default version (docs/platform.md 4.1). */
  readonly bundleVersion?: string;
  /** `Main-Class` of the manifest: the application, where the JAR holds one (docs/platform.md 5). */
  readonly mainClass?: string;
  readonly entries: ReadonlySet<string>;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  readonly offset: number;
}

const bad = (file: string, reason: string): CliError =>
  new CliError('BAD_JAR', `${file} is not a valid JAR: ${reason}`, { target: { file } });

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function* entriesOf(directory: Buffer, file: string): Generator<Entry> {
  for (let at = 0; at < directory.length;) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== ENTRY_RECORD)
      throw bad(file, 'its directory is damaged');
    const [name, extra, comment] = [
      directory.readUInt16LE(at + 28),
      directory.readUInt16LE(at + 30),
      directory.readUInt16LE(at + 32),
    ];
    if (at + 46 + name + extra + comment > directory.length) throw bad(file, 'its directory is damaged');
    yield {
      name: directory.toString('utf8', at + 46, at + 46 + name),
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      compressed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    };
    at += 46 + name + extra + comment;
  }
}

async function readDirectory(handle: FileHandle, bytes: number, file: string): Promise<Buffer> {
  const tail = await readAt(handle, Math.max(0, bytes - LONGEST_COMMENT - 22), LONGEST_COMMENT + 22);
  let at = tail.length - 22;
  // The record counts the bytes of the comment behind it; what only looks like one is part of a comment.
  while (at >= 0 && !(tail.readUInt32LE(at) === END_RECORD && at + 22 + tail.readUInt16LE(at + 20) === tail.length))
    at -= 1;
  if (at < 0) throw bad(file, 'it is not a ZIP archive');
  const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (offset + length > bytes) throw bad(file, 'its directory is outside the file');
  if (length > LARGEST_DIRECTORY) throw bad(file, `its directory is larger than ${LARGEST_DIRECTORY} bytes`);
  return readAt(handle, offset, length);
}

function unpack(packed: Buffer, { method }: Entry, file: string): Buffer {
  if (method === 0) return packed;
  if (method !== 8) throw bad(file, 'its manifest has an unknown compression method');
  try {
    return inflateRawSync(packed, { maxOutputLength: LARGEST_MANIFEST });
  } catch {
    throw bad(file, 'its manifest cannot be decompressed');
  }
}

async function readManifest(handle: FileHandle, entry: Entry, file: string): Promise<string> {
  if ((entry.flags & 1) !== 0) throw bad(file, 'its manifest is encrypted');
  if (entry.size > LARGEST_MANIFEST || entry.compressed > LARGEST_MANIFEST)
    throw bad(file, 'its manifest is too large');
  const header = await readAt(handle, entry.offset, 30);
  if (header.length < 30) throw bad(file, 'its manifest is outside the file');
  const nameLength = header.readUInt16LE(26);
  const name = (await readAt(handle, entry.offset + 30, nameLength)).toString('utf8');
  // Readers that do not use the directory would see another file here (docs/faults.md T35).
  if (header.readUInt32LE(0) !== LOCAL_RECORD || name !== entry.name)
    throw bad(file, 'its directory points to another file as the manifest');
  const packed = await readAt(handle, entry.offset + 30 + nameLength + header.readUInt16LE(28), entry.compressed);
  const manifest = unpack(packed, entry, file);
  if (manifest.length !== entry.size) throw bad(file, 'the size of its manifest is wrong');
  if (crc32(manifest) !== entry.crc) throw bad(file, 'its manifest is damaged');
  return manifest.toString('utf8');
}

/** An attribute of the main section; undefined when it is absent or empty. */
function attributeIn(manifest: string, name: string): string | undefined {
  const main = manifest.replace(/\r\n?/gu, '\n').replace(/\n /gu, '').split('\n\n')[0] ?? '';
  const line = main.split('\n').find((text) => text.toLowerCase().startsWith(`${name}:`));
  const value = line?.slice(name.length + 1).trim();
  return value === '' ? undefined : value;
}

async function inspect(handle: FileHandle, file: string): Promise<Jar> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw bad(file, 'it is not a regular file');
  const names = new Set<string>();
  const manifests: Entry[] = [];
  let count = 0;
  for (const entry of entriesOf(await readDirectory(handle, stat.size, file), file)) {
    if (++count > MOST_ENTRIES) throw bad(file, `it has more than ${MOST_ENTRIES} entries`);
    names.add(entry.name);
    if (entry.name.toUpperCase() === MANIFEST) manifests.push(entry);
  }
  if (manifests.length > 1) throw bad(file, 'it has several manifests');
  const [manifest] = manifests;
  const text = manifest === undefined ? '' : await readManifest(handle, manifest, file);
  const bundleVersion = attributeIn(text, 'bundle-version');
  const mainClass = attributeIn(text, 'main-class');
  return {
    file,
    bytes: stat.size,
    entries: names,
    ...(bundleVersion !== undefined && { bundleVersion }),
    ...(mainClass !== undefined && { mainClass }),
  };
}

/**
 * Reads the directory and the manifest of a JAR on disk, nothing else of it. `shown` is what it is called in messages.
 * @throws BAD_JAR when it is no ZIP or its manifest is ambiguous (docs/faults.md T35), LOCAL_IO when it cannot be read
 */
export async function readJar(file: string, shown = file): Promise<Jar> {
  let handle: FileHandle | undefined;
  try {
    // Without it the opening of a pipe waits for a writer for ever (docs/faults.md L16).
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return await inspect(handle, shown);
  } catch (cause) {
    throw localError(cause, 'read', file);
  } finally {
    await handle?.close();
  }
}

/** Whether a JAR holds a class, named as Java names it. */
export function hasClass(jar: Jar, className: string): boolean {
  return jar.entries.has(`${className.replaceAll('.', '/')}.class`);
}
