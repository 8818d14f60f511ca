import { read, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../errors.js';
import { unlessAborted } from '../unless-aborted.js';
import { localError } from './local-error.js';

/** Bytes of a piece of a large file. */
const PIECE = 256 * 1024;
/**
 * Up to so many bytes are read on this thread. That takes less time than a switch to another one and back, as opening
 * a file does.
 */
export const SMALL = 64 * 1024;
/** Bytes that another thread reads at once. */
const AHEAD = 4 * 1024 * 1024;

const nothing = (): void => undefined;

/** Reads the next bytes of an open file on another thread; gives their number. */
const readNext = (file: number, buffer: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    read(file, buffer, 0, buffer.length, null, (error, bytesRead) => {
      if (error) reject(error);
      else resolve(bytesRead);
    });
  });

/** Reads until a buffer is full or the file ends: the system may give less at a time. */
async function filled(buffer: Uint8Array, next: (rest: Uint8Array) => number | Promise<number>): Promise<number> {
  let length = 0;
  for (let got = 1; got > 0 && length < buffer.length; length += got) got = await next(buffer.subarray(length));
  return length;
}

/** Fills a buffer with the next bytes of an open file; gives their number, less where the file ends. */
export const fill = (file: number, buffer: Uint8Array): Promise<number> =>
  filled(buffer, (rest) => (rest.length > SMALL ? readNext(file, rest) : readSync(file, rest)));

/**
 * The next `size` bytes of an open file in pieces, fewer where it ends before. Each is good until the next is asked
 * for. Another thread reads on while they are worked on. Ends when nothing is being read any more, so that the file can
 * be closed.
 */
export async function* piecesOf(file: number, size: number): AsyncGenerator<Uint8Array, void, void> {
  const next = (buffer: Buffer | undefined, left: number) => {
    const full = (buffer ?? Buffer.allocUnsafe(Math.min(AHEAD, left))).subarray(0, left);
    const reading = filled(full, (rest) => readNext(file, rest));
    // it may fail while nobody waits for it yet
    reading.catch(nothing);
    return { full, reading };
  };
  let ahead = next(undefined, size);
  try {
    for (let [left, free]: [number, Buffer | undefined] = [size, undefined]; left > 0;) {
      const { full, reading } = ahead;
      const length = await reading;
      left = length < full.length ? 0 : left - length;
      if (left > 0) ahead = next(free, left);
      free = full;
      for (let at = 0; at < length; at += PIECE) yield full.subarray(at, Math.min(at + PIECE, length));
    }
  } finally {
    await ahead.reading.catch(nothing);
  }
}

/**
 * The bytes of an open file of this size in pieces; closes it then. Each piece is good until the next is asked for. A
 * disk that stalls holds up no abort.
 * @throws CHANGED_MEANWHILE where the file became shorter, LOCAL_IO
 */
export async function* wholeFile(
  handle: FileHandle,
  { path, size }: { readonly path: string; readonly size: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const pieces = piecesOf(handle.fd, size);
  let total = 0;
  try {
    for (;;) {
      const { value } = await unlessAborted(pieces.next(), signal);
      if (value === undefined) break;
      total += value.length;
      yield value;
    }
  } catch (error) {
    throw localError(error, 'read', path);
  } finally {
    // Its number must not be another file's while it is still read ahead.
    const closed = pieces.return().then(() => handle.close());
    // a disk that stalls, or fails, holds up nothing
    closed.catch(nothing);
    await unlessAborted(closed, signal).catch(nothing);
  }
  if (total < size)
    throw new CliError('CHANGED_MEANWHILE', `${path} became shorter while it was read`, { target: { file: path } });
}
