import { join } from 'node:path';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { readIndex } from '../../../hub/index-file.js';
import { LIMITS } from '../../../hub/source.js';
import { keyFileEntries, keyFilesAmong } from '../sign/tree-keys.js';
import { filesAt } from '../tree/source-tree.js';

/** The key that signed the index of a hub, as the index names it. */
export interface PublisherKey {
  readonly fingerprint: string;
  /** The file of the key at the root of the tree, if it is there. */
  readonly file?: string;
}

/** The key to trust for a tree; undefined without a signed index, or one that names no key. Nothing is verified. */
export async function publisherKey(root: string): Promise<PublisherKey | undefined> {
  const keys = await keysOf(root);
  for (const file of keyFilesAmong(await filesAt(root))) {
    const entries = await keyFileEntries([join(root, file)]).catch(() => []);
    const entry = entries.find(({ fingerprint }) => keys.includes(fingerprint));
    if (entry !== undefined) return { fingerprint: entry.fingerprint, file };
  }
  return keys[0] === undefined ? undefined : { fingerprint: keys[0] };
}

/** Whether the index of a tree has a signature, be it of anybody. */
export const hasSignedIndex = (root: string): boolean =>
  ['index.json', 'index.json.asc'].every((name) => isThere(join(root, name)));

async function keysOf(root: string): Promise<readonly string[]> {
  if (!hasSignedIndex(root)) return [];
  const place = join(root, 'index.json');
  return readBounded(place, LIMITS.index)
    .then((bytes) => readIndex(bytes, place).keys.map((key) => key.toUpperCase()))
    .catch(() => []);
}
