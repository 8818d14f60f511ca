import { read, readSync } from 'node:fs';

/** Bytes of a piece of a large file: it fits into the cache of a processor, which makes hashing faster. */
export const PIECE = 256 * 1024;
/** Up to so many bytes take less time than a switch to another thread and back, as opening a file does. */
const SMALL = 64 * 1024;
/** Bytes that another thread reads ahead at once. */
const AHEAD = 4 * 1024 * 1024;

/** Reads bytes of an open file into a buffer, the next ones or those at a place; gives their number. */
export const readInto = (file: number, buffer: Uint8Array, at: number | null = null): Promise<number> =>
  new Promise((resolve, reject) => {
    if (buffer.length <= SMALL) resolve(readSync(file, buffer, 0, buffer.length, at));
    else
      read(file, buffer, 0, buffer.length, at, (error, bytesRead) => {
        if (error) reject(error);
        else resolve(bytesRead);
      });
  });

const nothing = (): void => undefined;

/**
 * The pieces of an open file, of at most `size` bytes; each is good until the next is asked for. Another thread reads
 * ahead, so that a disk that stalls holds up neither signals nor timers. What it has read is in memory and is read
 * again here: bytes in the cache of the right processor are hashed in a tenth less time. Ends when nothing is being
 * read any more, so that the file can be closed.
 */
export async function* piecesOf(file: number, size: number): AsyncGenerator<Uint8Array, void, void> {
  const piece = Buffer.allocUnsafe(size);
  let at = await readInto(file, piece, 0);
  if (at > 0) yield piece.subarray(0, at);
  // the end of a regular file
  if (at < size) return;
  const ahead = Buffer.allocUnsafe(AHEAD);
  let reading = readInto(file, ahead, at);
  try {
    for (let known = await reading; known > 0; known = await reading) {
      const end = at + known;
      reading = readInto(file, ahead, end);
      // it may fail while nobody waits for it yet
      reading.catch(nothing);
      while (at < end) {
        const bytesRead = readSync(file, piece, 0, Math.min(size, end - at), at);
        // cut off meanwhile
        if (bytesRead === 0) return;
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      }
    }
  } finally {
    await reading.catch(nothing);
  }
}
