import { crc32, inflateRawSync } from 'node:zlib';

/** Reads a ZIP from its end, as tools do, and compares local headers and sums; throws where they disagree. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - 22;
  if (zip.readUInt32LE(end) !== 0x06054b50) throw new Error('no end record');
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  const directoryEnd = at + zip.readUInt32LE(end + 12);
  if (directoryEnd !== end) throw new Error('the directory does not end at the end record');
  while (at < directoryEnd) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error('no directory record');
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    if (zip.readUInt32LE(local) !== 0x04034b50) throw new Error('no local header');
    if (!zip.subarray(at + 6, at + 32).equals(zip.subarray(local + 4, local + 30))) throw new Error('headers differ');
    if (zip.toString('utf8', local + 30, local + 30 + nameLength) !== name) throw new Error('names differ');
    const start = local + 30 + nameLength;
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    const bytes = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
    if (bytes.length !== zip.readUInt32LE(at + 24) || crc32(bytes) !== zip.readUInt32LE(at + 16))
      throw new Error('content differs');
    files.set(name, Buffer.from(bytes));
    at += 46 + nameLength;
  }
  if (files.size !== zip.readUInt16LE(end + 10)) throw new Error('the count differs');
  return files;
}
