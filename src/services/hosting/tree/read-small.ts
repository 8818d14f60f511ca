import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { localError } from '../../../core/files/local-error.js';
import { fill } from '../../../core/files/read-pieces.js';
import { LIMITS, tooLarge } from '../../../hub/source.js';

/**
 * Reads a specification, or another small file, which was seen to be a regular file.
 * @throws TOO_LARGE (4 MB), LOCAL_IO
 */
export async function readSmall(path: string): Promise<Uint8Array> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      if (size > LIMITS.specification) throw tooLarge('it', LIMITS.specification);
      // Not of the pool, which whoever keeps a part of it would keep.
      const bytes = Buffer.allocUnsafeSlow(size);
      return bytes.subarray(0, await fill(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw localError(error, 'read', path);
  }
}
