import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isGone } from '../../../hub/folder-files.js';
import { localError } from '../../../core/files/local-error.js';

/** A block of a secret key (OpenPGP, PKCS, OpenSSH), on lines of its own or in a JSON string. */
const BLOCK = /(?:^|")-{5}BEGIN (?:PGP |[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-{5}(?:\s*$|\\n)/mu;
/** In each such block; found without making text of each file. */
const WORDS = 'PRIVATE KEY';
/** Secret keys and subkeys of OpenPGP, as packets of the old format. */
const BARE = [0x94, 0x95, 0x96];
const NEWEST_KEY = 6;
/** A larger file is no key. */
const LARGEST = 256 * 1024;
/** Bytes at the beginning of a file that are enough for `isSecretKey`. */
export const KEY_BEGINNING = 16 * 1024;

/** What is said of a file that `isSecretKey`. */
export const SECRET_KEY_PROBLEM = 'it contains a secret key, which everyone could read';

/** Whether a file of this size that begins with these bytes holds a secret key, locked or not. */
export function isSecretKey(bytes: Uint8Array, size: number): boolean {
  if (size > LARGEST) return false;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, KEY_BEGINNING));
  return isBare(start) || (start.includes(WORDS) && BLOCK.test(start.toString('latin1')));
}

/** Whether a file holds a secret key; only its beginning is read. */
export async function hasSecretKey(path: string): Promise<boolean> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > LARGEST) return false;
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(KEY_BEGINNING), 0, KEY_BEGINNING, 0);
      return isSecretKey(buffer.subarray(0, bytesRead), size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isGone(error)) return false;
    throw localError(error, 'read', path);
  }
}

/** The length of the first packet takes one, two or four bytes; then come version and time of the key. */
function isBare(bytes: Uint8Array): boolean {
  const [tag = 0, first = 0] = bytes;
  const old = BARE.indexOf(tag);
  const at = old !== -1 ? 1 + 2 ** old : tag === 0xc5 ? (first < 192 ? 2 : first < 224 ? 3 : 6) : bytes.length;
  const version = bytes[at] ?? 0;
  return version >= NEWEST_KEY - 2 && version <= NEWEST_KEY;
}
