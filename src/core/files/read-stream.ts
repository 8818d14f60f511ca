import { addAbortSignal, type Readable } from 'node:stream';
import type { CliError } from '../errors.js';

/** The bytes of a stream such as stdin, `most` of them at most. The signal ends the wait at once, with its reason. */
export async function readStream(
  stream: Readable,
  most: number,
  tooLarge: (why: string) => CliError,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    const coming: AsyncIterable<Uint8Array | string> = addAbortSignal(signal, stream);
    for await (const piece of coming) {
      const bytes = Buffer.from(piece);
      size += bytes.length;
      if (size > most) throw tooLarge(`is larger than ${most} bytes`);
      pieces.push(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(pieces);
}
