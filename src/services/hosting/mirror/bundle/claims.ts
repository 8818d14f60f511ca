import { CliError } from '../../../../core/errors.js';
import { readIndex } from '../../../../hub/index-file.js';
import { LIMITS, type HubSource } from '../../../../hub/source.js';
import { emptyMemory } from '../../../../trust/memory.js';
import { judgeIndex, readSmall } from '../../../catalog/signed-index.js';
import type { TrustSetup } from '../../../catalog/trust-setup.js';
import { badBundle, type BundleManifest, type HubState } from './manifest.js';

const DAY = 86_400_000;

/**
 * Compares a manifest with the index of its hub, and gives what states can be ordered by. That is the index where a
 * trusted key has signed it, and nothing where keys are trusted, but none of them has.
 * @throws BAD_BUNDLE for another index, or a time in the future; what speaks against the index
 */
export async function checkClaims(
  { created, index, files }: BundleManifest,
  { source, file }: { readonly source: HubSource; readonly file: string },
  setup: TrustSetup,
  signal: AbortSignal,
): Promise<HubState | undefined> {
  if (Date.parse(created) > setup.now.getTime() + DAY)
    throw badBundle(file, `it was written at ${created}, which is in the future`);
  if (index === undefined) return { created };
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal);
  const listed = files.find(({ path }) => path === 'index.json');
  if (bytes === undefined || listed?.sha256 !== index.sha256 || sequenceOf(bytes) !== index.sequence)
    throw badBundle(file, 'its index is not the one that its manifest names');
  const { problems, index: verified } = await judgeIndex(
    source,
    { ...setup, memory: emptyMemory(), allowStale: true },
    signal,
  );
  if (problems[0] !== undefined) throw problems[0];
  if (verified !== undefined) return { created, index };
  return setup.policy === 'off' || setup.pinned === 0 ? { created } : undefined;
}

function sequenceOf(bytes: Uint8Array): number | undefined {
  try {
    return readIndex(bytes, 'index.json').sequence;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
