import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf, localError } from '../core/local-error.js';

/** What stands under a path: text (last changed at a time in milliseconds since the epoch), nothing, or something that is no text file of a sensible size. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly mode: number; readonly changedAt: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string };

/** Text of UTF-8 bytes without a byte order mark, or undefined when they are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads a small text file; never waits at a pipe or device, never reads more than `most` bytes; LOCAL_IO when the system refuses. */
export async function readTextFile(file: string, most: number): Promise<TextFile> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return { kind: 'unusable', why: 'is a folder' };
      if (!stat.isFile()) return { kind: 'unusable', why: 'is not a regular file' };
      const buffer = Buffer.alloc(most + 1);
      const { bytesRead } = await handle.read(buffer, 0, most + 1, 0);
      if (bytesRead > most) return { kind: 'unusable', why: `is larger than ${most} bytes` };
      const text = decode(buffer.subarray(0, bytesRead));
      return text === undefined
        ? { kind: 'unusable', why: 'is not UTF-8 text' }
        : { kind: 'text', text, mode: stat.mode, changedAt: stat.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    if (code === 'EISDIR') return { kind: 'unusable', why: 'is a folder' };
    if (code === 'ENXIO') return { kind: 'unusable', why: 'is not a regular file' };
    throw localError(error, 'read', file);
  }
}
