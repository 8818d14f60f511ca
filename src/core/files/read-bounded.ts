import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { CliError } from '../errors.js';
import { errnoOf, localError } from './local-error.js';

const PIECE = 65_536;
/** Most bytes of a file of text, keys or certificates that a user names (`docs/limits.md`). */
export const LARGEST_TEXT = 4 * 1024 * 1024;

/**
 * What was found at a path: bytes, nothing, or something that is not a file of a reasonable size. `changedAt` is in
 * milliseconds since the epoch.
 */
type FoundFile =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly mode: number; readonly changedAt: number }
  | { readonly kind: 'absent'; readonly cause: unknown }
  | { readonly kind: 'folder' | 'irregular' | 'large' };

/** What stands under a path, as text. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly mode: number; readonly changedAt: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string };

/**
 * Never waits at a pipe or device, never reads more than `most` bytes.
 * @throws LOCAL_IO when the system refuses
 */
async function lookAt(file: string, most: number): Promise<FoundFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (stat.isDirectory()) return { kind: 'folder' };
    if (!stat.isFile()) return { kind: 'irregular' };
    const bytes = stat.size > most ? undefined : await readTo(handle, most);
    return bytes === undefined ? { kind: 'large' } : { kind: 'bytes', bytes, mode: stat.mode, changedAt: stat.mtimeMs };
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent', cause };
    if (code === 'EISDIR') return { kind: 'folder' };
    if (code === 'ENXIO') return { kind: 'irregular' };
    throw localError(cause, 'read', file);
  } finally {
    await handle?.close();
  }
}

/**
 * The bytes of a file that a user names, `most` of them at most.
 * @throws LOCAL_IO, or `tooLarge`
 */
export async function readBounded(file: string, most: number, tooLarge = largerThan(file, most)): Promise<Buffer> {
  const found = await lookAt(file, most);
  switch (found.kind) {
    case 'bytes':
      return found.bytes;
    case 'absent':
      throw localError(found.cause, 'read', file);
    case 'large':
      throw tooLarge;
    case 'folder':
      throw new CliError('LOCAL_IO', `cannot read ${file}: it is a folder`, { target: { file } });
    case 'irregular':
      throw new CliError('LOCAL_IO', `cannot read ${file}: it is not a regular file`, { target: { file } });
  }
}

/**
 * Reads a text file of `most` bytes at most, for those who say themselves what is wrong with it.
 * @throws LOCAL_IO when the system refuses
 */
export async function readTextFile(file: string, most: number): Promise<TextFile> {
  const found = await lookAt(file, most);
  switch (found.kind) {
    case 'bytes': {
      const { bytes, mode, changedAt } = found;
      const text = decode(bytes);
      return text === undefined
        ? { kind: 'unusable', why: 'is not UTF-8 text' }
        : { kind: 'text', text, mode, changedAt };
    }
    case 'absent':
      return { kind: 'absent' };
    case 'large':
      return { kind: 'unusable', why: `is larger than ${most} bytes` };
    case 'folder':
      return { kind: 'unusable', why: 'is a folder' };
    case 'irregular':
      return { kind: 'unusable', why: 'is not a regular file' };
  }
}

/** Text of UTF-8 bytes without a byte order mark, or undefined when they are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** To its end, not to its size: files of the system have none. */
async function readTo(handle: FileHandle, most: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return Buffer.concat(pieces);
    at += bytesRead;
    if (at > most) return undefined;
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

function largerThan(file: string, most: number): CliError {
  return new CliError('LOCAL_IO', `${file} is larger than ${most} bytes`, { target: { file } });
}
