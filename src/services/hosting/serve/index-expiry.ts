import { join } from 'node:path';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { readIndex } from '../../../hub/index-file.js';
import { LIMITS } from '../../../hub/source.js';

/** When the index of a hub expires, in milliseconds; undefined without one that can be read. */
export async function indexExpiry(root: string): Promise<number | undefined> {
  const place = join(root, 'index.json');
  if (!isThere(place)) return undefined;
  return readBounded(place, LIMITS.index)
    .then((bytes) => readIndex(bytes, place).expires)
    .catch(() => undefined);
}
