import { join } from 'node:path';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import { LIMITS } from '../../../hub/source.js';
import { keyFileEntries, keyFilesAmong } from '../sign/tree-keys.js';
import { filesAt } from '../tree/source-tree.js';

/** The key that signed the index of a hub, as the index names it. */
export interface PublisherKey {
  readonly fingerprint: string;
  /** The file of the key at the root of the tree, if it is there. */
  readonly file?: string;
}

/** What the index of a tree says of itself. Nothing is verified. */
export interface IndexFacts {
  /** Whether it has a signature, be it of anybody. */
  readonly isSigned: boolean;
  /** In milliseconds; undefined without an index that can be read. */
  readonly expires: number | undefined;
  /** The key to trust for the tree; undefined without a signed index, or one that names no key. */
  readonly key: PublisherKey | undefined;
}

/** Reads the index of a tree once, for those who serve it. */
export async function indexFacts(root: string, signal: AbortSignal): Promise<IndexFacts> {
  const isSigned = ['index.json', 'index.json.asc'].every((name) => isThere(join(root, name)));
  const index = await indexOf(root);
  signal.throwIfAborted();
  const keys = isSigned && index !== undefined ? index.keys.map((key) => key.toUpperCase()) : [];
  return { isSigned, expires: index?.expires, key: await keyAmong(root, keys, signal) };
}

async function indexOf(root: string): Promise<Pick<HubIndex, 'expires' | 'keys'> | undefined> {
  const place = join(root, 'index.json');
  if (!isThere(place)) return undefined;
  return readBounded(place, LIMITS.index)
    .then((bytes) => readIndex(bytes, place))
    .catch(() => undefined);
}

async function keyAmong(root: string, keys: readonly string[], signal: AbortSignal): Promise<PublisherKey | undefined> {
  for (const file of keys.length === 0 ? [] : keyFilesAmong(await filesAt(root))) {
    signal.throwIfAborted();
    const entries = await keyFileEntries([join(root, file)]).catch(() => []);
    const entry = entries.find(({ fingerprint }) => keys.includes(fingerprint));
    if (entry !== undefined) return { fingerprint: entry.fingerprint, file };
  }
  return keys[0] === undefined ? undefined : { fingerprint: keys[0] };
}
