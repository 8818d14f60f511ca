import { recordKey, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import { plannedAs, type PlannedPipeline } from './plan.js';
import { gone } from '../pipeline-errors.js';

/** What an artifact is called of which nothing is known any more. */
const UNKNOWN = { name: '', version: '', scope: 'USER' } as const;

/** Pipelines that an earlier run did not finish and the platform no longer lists, as GONE. See docs/faults.md P20. */
export async function goneSince(
  planned: readonly PlannedPipeline[],
  records: ReadonlyMap<string, UpgradeRecord>,
): Promise<readonly PlannedPipeline[]> {
  const listed = new Set(planned.map(({ ref }) => recordKey(ref.namespace, ref.name)));
  const missing: PlannedPipeline[] = [];
  for (const [key, { state, namespace, pipeline: name, sending }] of records) {
    if (state === 'done' || listed.has(key)) continue;
    const sent = await sending().catch(() => undefined);
    const artifact = sent?.before.artifact ?? UNKNOWN;
    const error = gone({ namespace, name }, 'tried');
    missing.push(plannedAs({ namespace, name, artifact, version: undefined }, 'failed', { error }));
  }
  return missing;
}
