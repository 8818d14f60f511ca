import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;
const LARGEST_ENTRY = 64 * 1024 * 1024;

/** The files of a ZIP by name; each is inflated when it is asked for. */
export interface ZipFile {
  readonly names: readonly string[];
  read(name: string): Buffer | undefined;
}

interface Entry {
  readonly method: number;
  readonly compressed: number;
  readonly offset: number;
}

/** Reads the central directory of a ZIP. `undefined` when the bytes are none, as after an upload that was cut. */
export function openZip(bytes: Buffer): ZipFile | undefined {
  const entries = readDirectory(bytes);
  if (entries === undefined) return undefined;
  return {
    names: [...entries.keys()],
    read: (name) => {
      const entry = entries.get(name);
      return entry === undefined ? undefined : readEntry(bytes, entry);
    },
  };
}

function readDirectory(bytes: Buffer): Map<string, Entry> | undefined {
  const end = findEnd(bytes);
  if (end === undefined) return undefined;
  const entries = new Map<string, Entry>();
  let position = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (position + 46 > bytes.length || bytes.readUInt32LE(position) !== DIRECTORY_ENTRY) return undefined;
    const nameEnd = position + 46 + bytes.readUInt16LE(position + 28);
    entries.set(bytes.toString('utf8', position + 46, nameEnd), {
      method: bytes.readUInt16LE(position + 10),
      compressed: bytes.readUInt32LE(position + 20),
      offset: bytes.readUInt32LE(position + 42),
    });
    position = nameEnd + bytes.readUInt16LE(position + 30) + bytes.readUInt16LE(position + 32);
  }
  return entries;
}

function findEnd(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - END_SIZE - LONGEST_COMMENT);
  for (let position = bytes.length - END_SIZE; position >= first; position -= 1) {
    if (bytes.readUInt32LE(position) === END_OF_DIRECTORY) return position;
  }
  return undefined;
}

function readEntry(bytes: Buffer, entry: Entry): Buffer | undefined {
  if (entry.offset + 30 > bytes.length) return undefined;
  const start = entry.offset + 30 + bytes.readUInt16LE(entry.offset + 26) + bytes.readUInt16LE(entry.offset + 28);
  const content = bytes.subarray(start, start + entry.compressed);
  if (entry.method === 0) return content;
  try {
    return entry.method === 8 ? inflateRawSync(content, { maxOutputLength: LARGEST_ENTRY }) : undefined;
  } catch {
    return undefined;
  }
}
