import { Refusal } from './refusal.js';

const BEGIN = /^-----BEGIN PGP ([A-Z ]{1,40})-----$/u;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}:(?: .*)?$/u;
const BASE64 = /^[A-Za-z0-9+/=]{1,76}$/u;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MAX_HEADERS = 8;
const MAX_HEADER_LENGTH = 512;

/**
 * The packets of one `.asc` file (docs/trust.md 1 step 1). The file is binary, or ASCII with a single block, nothing
 * before it and only blank space after it.
 */
export function readSignatureArmor(bytes: Uint8Array): Uint8Array {
  if (isBinary(bytes)) return bytes;
  const lines = splitLines(asciiText(bytes));
  const label = BEGIN.exec(lines[0] ?? '')?.[1];
  if (label === undefined) throw new Refusal('malformed', describeStart(lines[0] ?? ''));
  if (label !== 'SIGNATURE')
    throw new Refusal('malformed', `it has a "PGP ${label}" instead of a detached "PGP SIGNATURE"`);
  const end = lines.indexOf(`-----END PGP ${label}-----`);
  if (end === -1) throw new Refusal('malformed', 'the end line of the armor is missing');
  if (lines.slice(end + 1).some((line) => line.trim() !== ''))
    throw new Refusal('malformed', 'there is data after the signature block');
  return readBlock(lines.slice(1, end));
}

/** One armored block of a key file. */
export interface KeyBlock {
  /** What the block says it is, such as `PUBLIC KEY BLOCK`; undefined for bare packets. */
  readonly label: string | undefined;
  readonly packets: Uint8Array;
}

/**
 * The armored blocks of a key file, or the whole file if it is binary. Text around blocks is allowed, as in the usual
 * KEYS files.
 */
export function readKeyBlocks(bytes: Uint8Array): readonly KeyBlock[] {
  const marked = Buffer.from(bytes.subarray(0, 3)).equals(BYTE_ORDER_MARK);
  if (isBinary(bytes) && !marked) return [{ label: undefined, packets: bytes }];
  const lines = splitLines(new TextDecoder('latin1').decode(bytes.subarray(marked ? 3 : 0)));
  const blocks: KeyBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const label = BEGIN.exec(lines[at] ?? '')?.[1];
    if (label === undefined) continue;
    const end = lines.indexOf(`-----END PGP ${label}-----`, at);
    if (end === -1) throw new Refusal('malformed', 'the end line of an armored block is missing');
    blocks.push({ label, packets: readBlock(lines.slice(at + 1, end)) });
    at = end;
  }
  return blocks;
}

function isBinary(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 0) >= 0x80;
}

function asciiText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new Refusal('malformed', 'it is empty');
  for (const byte of bytes) {
    if (byte > 0x7e || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d))
      throw new Refusal('malformed', 'it is not ASCII text');
  }
  return new TextDecoder('latin1').decode(bytes);
}

function splitLines(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function describeStart(line: string): string {
  if (line.startsWith('<')) return 'it looks like a web page';
  if (line.startsWith('{') || line.startsWith('[')) return 'it looks like JSON';
  return 'it does not start with "-----BEGIN PGP SIGNATURE-----"';
}

function readBlock(lines: readonly string[]): Uint8Array {
  const blank = lines.findIndex((line) => line.trim() === '');
  if (blank === -1) throw new Refusal('malformed', 'the blank line before the armored data is missing');
  const headers = lines.slice(0, blank);
  if (headers.length > MAX_HEADERS) throw new Refusal('malformed', 'the armor has too many header lines');
  if (headers.some((line) => line.length > MAX_HEADER_LENGTH))
    throw new Refusal('malformed', 'an armor header is too long');
  if (!headers.every((line) => HEADER.test(line)))
    throw new Refusal('malformed', 'an armor header is not "Name: text"');
  const body = lines.slice(blank + 1);
  const last = body.at(-1) ?? '';
  const checksum = last.length === 5 && last.startsWith('=') ? last.slice(1) : undefined;
  const bytes = decodeBase64(checksum === undefined ? body : body.slice(0, -1));
  if (checksum !== undefined && checksum !== crc24(bytes))
    throw new Refusal('malformed', 'the checksum of the armor does not match');
  return bytes;
}

function decodeBase64(lines: readonly string[]): Uint8Array {
  const text = lines.join('');
  const bytes = Buffer.from(text, 'base64');
  if (text === '') throw new Refusal('malformed', 'the armor is empty');
  if (!lines.every((line) => BASE64.test(line)) || bytes.toString('base64') !== text)
    throw new Refusal('malformed', 'the armored data is not valid base64');
  return bytes;
}

/** The checksum of armored data, as it stands after the `=`. */
export function crc24(bytes: Uint8Array): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1;
      if ((crc & 0x1000000) !== 0) crc ^= 0x1864cfb;
    }
  }
  const out = Buffer.alloc(3);
  out.writeUIntBE(crc & 0xffffff, 0, 3);
  return out.toString('base64');
}
