import { crc32, deflateRawSync } from 'node:zlib';

/** One file of a JAR. */
export interface JarEntry {
  /** Path inside the JAR, with `/` between folders. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** What goes into a JAR: the main attributes of its manifest, in their order, and its files. */
export interface JarContent {
  readonly manifest: Readonly<Record<string, string>>;
  readonly entries: readonly JarEntry[];
}

const MANIFEST = 'META-INF/MANIFEST.MF';
/** Bytes of one manifest line, its line break included, as Java's own writer counts them. */
const LINE_BYTES = 72;
/** 1 January 1980, the earliest day that a ZIP can name: equal content gives equal bytes. */
const DOS_DATE = 0x0021;
const DOS_TIME = 0;
const UTF8_NAMES = 0x0800;
const STORED = 0;
const DEFLATED = 8;

function foldLine(line: string): string {
  const lines: string[] = [];
  let current = '';
  let room = LINE_BYTES - 2;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (size > room) {
      lines.push(current);
      current = ' ';
      room = LINE_BYTES - 3;
    }
    current += character;
    room -= size;
  }
  return [...lines, current].map((part) => `${part}\r\n`).join('');
}

function manifestText(attributes: Readonly<Record<string, string>>): string {
  const all = Object.entries({ 'Manifest-Version': '1.0', ...attributes });
  return `${all.map(([name, value]) => foldLine(`${name}: ${value}`)).join('')}\r\n`;
}

interface StoredEntry {
  readonly name: Buffer;
  readonly packed: Buffer;
  /** The members that the local header and the central directory share, as they stand on disk. */
  readonly facts: Buffer;
}

function pack({ name, bytes }: JarEntry): StoredEntry {
  const deflated = deflateRawSync(bytes, { level: 9 });
  const smaller = deflated.length < bytes.length;
  const packed = smaller ? deflated : bytes;
  const nameBytes = Buffer.from(name, 'utf8');
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(UTF8_NAMES, 2);
  facts.writeUInt16LE(smaller ? DEFLATED : STORED, 4);
  facts.writeUInt16LE(DOS_TIME, 6);
  facts.writeUInt16LE(DOS_DATE, 8);
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(nameBytes.length, 22);
  return { name: nameBytes, packed, facts };
}

function centralRecord({ name, facts }: StoredEntry, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(20, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, facts, tail, name]);
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** Makes a JAR: a ZIP whose first file is the manifest; equal content gives equal bytes. */
export function makeJar({ manifest, entries }: JarContent): Buffer {
  const stored = [{ name: MANIFEST, bytes: Buffer.from(manifestText(manifest), 'utf8') }, ...entries].map(pack);
  const localHead = Buffer.from('PK\x03\x04', 'latin1');
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of stored) {
    const local = Buffer.concat([localHead, entry.facts, entry.name, entry.packed]);
    directory.push(centralRecord(entry, offset));
    body.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...body, central, endRecord(stored.length, central.length, offset)]);
}
