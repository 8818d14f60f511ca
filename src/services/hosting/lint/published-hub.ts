import type { Emit } from '../../../core/events.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import { LIMITS, type HubSource } from '../../../hub/source.js';
import { judgeIndex, readSmall } from '../../catalog/signed-index.js';
import type { TrustSetup } from '../../catalog/trust-setup.js';

/** A published hub, and what is trusted of it. */
export interface PublishedHub {
  readonly source: HubSource;
  readonly setup: TrustSetup;
}

/**
 * The index of a published hub, with which trees are compared. Keys that are trusted for the hub must have signed it.
 * Without any it is read all the same: it only guards against mistakes.
 * @throws the errors of an index that is not as it should be
 */
export async function publishedIndex(
  { source, setup }: PublishedHub,
  emit: Emit,
  signal: AbortSignal,
): Promise<HubIndex | undefined> {
  const warn = (what: string): void => {
    emit({
      type: 'warning',
      code: 'NO_INDEX',
      message: `${source.label} has no ${what}, so nothing is compared with it`,
    });
  };
  if (setup.pinned > 0) {
    const judged = await judgeIndex(source, { ...setup, policy: 'require', allowStale: true }, signal);
    for (const problem of judged.problems) throw problem;
    if (judged.index === undefined) warn('signed index');
    return judged.index;
  }
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, true);
  if (bytes === undefined) warn('index.json');
  return bytes && readIndex(bytes, `index.json of ${source.label}`);
}
