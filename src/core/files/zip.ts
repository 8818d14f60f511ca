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

/** An entry of the directory of an archive; nothing in it is certain before the entry is read. */
export interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  readonly offset: number;
}

/** What one entry may be read as: its name in messages and its largest size. */
export interface EntryLimits {
  readonly what: string;
  readonly most: number;
}

const bad = (file: string, reason: string): CliError =>
  new CliError('BAD_JAR', `${file} is not a valid JAR: ${reason}`, { target: { file } });

/** Shorter only at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let size = 0;
  for (let bytesRead = -1; bytesRead !== 0 && size < length; size += bytesRead)
    ({ bytesRead } = await handle.read(buffer, size, length - size, position + size));
  return buffer.subarray(0, size);
}

/** A ZIP archive that is open. */
export class ZipFile {
  readonly bytes: number;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #directory: Buffer;

  private constructor(file: string, handle: FileHandle, bytes: number, directory: Buffer) {
    this.#file = file;
    this.#handle = handle;
    this.bytes = bytes;
    this.#directory = directory;
  }

  static async open(file: string, handle: FileHandle): Promise<ZipFile> {
    const stat = await handle.stat();
    if (!stat.isFile()) throw bad(file, 'it is not a regular file');
    return new ZipFile(file, handle, stat.size, await readDirectory(handle, stat.size, file));
  }

  /** BAD_JAR for this archive. */
  fault(reason: string): CliError {
    return bad(this.#file, reason);
  }

  /** What the directory lists, in its order. */
  *entries(): Generator<ZipEntry> {
    let count = 0;
    for (const entry of entriesOf(this.#directory, this.#file)) {
      if (++count > MOST_ENTRIES) throw this.fault(`it has more than ${MOST_ENTRIES} entries`);
      yield entry;
    }
  }

  /**
   * The bytes of an entry.
   * @throws BAD_JAR when they are not as the directory says, or too many
   */
  async read(entry: ZipEntry, { what, most }: EntryLimits): Promise<Buffer> {
    if ((entry.flags & 1) !== 0) throw this.fault(`${what} is encrypted`);
    if (entry.size > most || entry.compressed > most) throw this.fault(`${what} is too large`);
    const header = await readAt(this.#handle, entry.offset, 30);
    if (header.length < 30) throw this.fault(`${what} is outside the file`);
    const nameLength = header.readUInt16LE(26);
    const name = (await readAt(this.#handle, entry.offset + 30, nameLength)).toString('utf8');
    // Readers that do not use the directory would see another file here (docs/faults.md T35).
    if (header.readUInt32LE(0) !== LOCAL_RECORD || name !== entry.name)
      throw this.fault(`its directory points to another file as ${what}`);
    const start = entry.offset + 30 + nameLength + header.readUInt16LE(28);
    const bytes = this.#unpack(await readAt(this.#handle, start, entry.compressed), entry, { what, most });
    if (bytes.length !== entry.size) throw this.fault(`the size of ${what} is wrong`);
    if (crc32(bytes) !== entry.crc) throw this.fault(`${what} is damaged`);
    return bytes;
  }

  #unpack(packed: Buffer, { method }: ZipEntry, { what, most }: EntryLimits): Buffer {
    if (method === 0) return packed;
    if (method !== 8) throw this.fault(`${what} has an unknown compression method`);
    try {
      return inflateRawSync(packed, { maxOutputLength: most });
    } catch {
      throw this.fault(`${what} cannot be decompressed`);
    }
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

function* entriesOf(directory: Buffer, file: string): Generator<ZipEntry> {
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

/**
 * Opens a ZIP archive on disk for some work. `shown` is what it is called in messages.
 * @throws BAD_JAR when it is none, LOCAL_IO when it cannot be read
 */
export async function withZip<T>(file: string, shown: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    // Without it the opening of a pipe waits for a writer for ever (docs/faults.md L16).
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return await use(await ZipFile.open(shown, handle));
  } catch (cause) {
    throw localError(cause, 'read', file);
  } finally {
    await handle?.close();
  }
}
