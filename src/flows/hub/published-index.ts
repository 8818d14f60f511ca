import type { CommandContext } from '../../cli/context-types.js';
import { readIndex, type HubIndex } from '../../hub/index-file.js';
import { LIMITS } from '../../hub/source.js';
import { judgeIndex, readSmall } from '../../services/catalog/signed-index.js';

/**
 * The index of the published hub that the context names, with which a tree is compared. Keys that are trusted for the
 * hub must have signed it. Without any it is read all the same: it only guards against mistakes.
 * @throws the errors of an index that is not as it should be
 */
export async function publishedIndex(
  { hubs, trust, emit }: Pick<CommandContext, 'emit' | 'hubs' | 'trust'>,
  signal: AbortSignal,
): Promise<HubIndex | undefined> {
  const [hub] = await hubs();
  if (hub === undefined) return undefined;
  const { source } = hub;
  const { setup } = await trust(source);
  const warn = (message: string): void => {
    emit({ type: 'warning', code: 'NO_INDEX', message });
  };
  if (setup.pinned > 0) {
    const judged = await judgeIndex(source, { ...setup, policy: 'require', allowStale: true }, signal);
    for (const problem of judged.problems) throw problem;
    if (judged.index === undefined) warn(`${source.label} has no signed index, so nothing is compared with it`);
    return judged.index;
  }
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, true);
  if (bytes === undefined) warn(`${source.label} has no index.json, so nothing is compared with it`);
  return bytes && readIndex(bytes, `index.json of ${source.label}`);
}
