import { open } from 'node:fs/promises';
import { localError } from '../../../core/files/local-error.js';

const BEGINNING = 16;

/**
 * The bytes at the beginning of a file, which tell its type.
 * @throws LOCAL_IO
 */
export async function firstBytes(path: string): Promise<Uint8Array> {
  try {
    const handle = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw localError(error, 'read', path);
  }
}
