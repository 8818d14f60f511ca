import { LIMITS, type HubSource } from '../../../hub/source.js';
import { readSignatureFile, readSmall } from '../../catalog/signed-index.js';
import { verifiedIndex, type ContinuedIndex, type IndexAuthority } from './verified-index.js';

/**
 * The index that a hub has now, past all caches; null when it has none.
 * @throws the errors of `verifiedIndex`
 */
export async function publishedIndex(
  source: HubSource,
  authority: IndexAuthority,
  signal: AbortSignal,
): Promise<ContinuedIndex | null> {
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, true);
  if (bytes === undefined) return null;
  const signature = await readSignatureFile(source, { file: 'index.json.asc' }, signal, true);
  return verifiedIndex(bytes, signature, `index.json of ${source.label}`, authority);
}
