import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from './file-answer.js';

/** Bytes that are shared out among those who read, and most and least of them for one. */
const SHARED = 8 * 1024 * 1024;
const MOST = 256 * 1024;
const LEAST = 16 * 1024;

/** Bytes of the pieces for one more reader beside so many others. */
export const pieceFor = (others: number): number => Math.max(LEAST, Math.min(MOST, Math.floor(SHARED / (others + 1))));

/** Sends large files: in large pieces, which take less time; in smaller ones where many read at once. */
export class LargeFiles {
  #readers = 0;

  /** Sends bytes of an open file, and ends; how many were sent. */
  async send(handle: FileHandle, { start, end }: ByteRange, to: ServerResponse): Promise<number> {
    const highWaterMark = pieceFor(this.#readers++);
    try {
      const body = handle.createReadStream({ start, end, highWaterMark, autoClose: false });
      // Who goes away in the middle is told by fewer bytes.
      await pipeline(body, to, { end: false }).catch((error: unknown) => {
        if (!to.destroyed) throw error;
      });
      // A file that became shorter cannot be sent as announced.
      if (body.bytesRead === end - start + 1) to.end();
      else to.destroy();
      return body.bytesRead;
    } finally {
      this.#readers -= 1;
    }
  }
}
