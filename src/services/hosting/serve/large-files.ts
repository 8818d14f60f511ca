import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from './file-answer.js';

/** Bytes divided by the number of transfers when one begins. Earlier ones keep the size that they began with. */
const SHARED = 4 * 1024 * 1024;
/** Most and least bytes of a piece. */
const MOST = 256 * 1024;
const LEAST = 16 * 1024;

/** Bytes of the pieces of a transfer that begins beside so many others. */
export const pieceFor = (others: number): number => Math.max(LEAST, Math.min(MOST, Math.floor(SHARED / (others + 1))));

/** Sends large files: in large pieces, which take less time; in smaller ones where many read at once. */
export class LargeFiles {
  #transfers = 0;

  /** Sends bytes of an open file, and ends; how many of them were read. */
  async send(
    handle: Pick<FileHandle, 'createReadStream'>,
    { start, end }: ByteRange,
    to: ServerResponse,
  ): Promise<number> {
    if (to.destroyed) return 0;
    const highWaterMark = pieceFor(this.#transfers++);
    // Until then the last piece may wait for its reader.
    to.once('close', () => (this.#transfers -= 1));
    const body = handle.createReadStream({ start, end, highWaterMark, autoClose: false });
    // A client that went away is seen by the smaller number.
    await pipeline(body, to, { end: false }).catch((error: unknown) => {
      if (!to.destroyed) throw error;
    });
    // A file that became shorter cannot be sent as announced.
    if (body.bytesRead === end - start + 1) to.end();
    else to.destroy();
    return body.bytesRead;
  }
}
