import { createHash } from 'node:crypto';
import type { InstallEntry } from '../../state/install-journal.js';
import type { PreparedAction, StagedJar, StepHistory } from './action.js';

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}

/** The journal's key of a step: SHA-256 over its resolved arguments and the digest of its JAR (decision 11). */
export function stepKey({ type, step }: PreparedAction, jar: StagedJar | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical({ type, material: step?.material, jar: jar?.sha256 })))
    .digest('hex');
}

/** A history that grows while the step works. */
export interface OpenHistory extends StepHistory {
  readonly facts: Map<string, unknown>;
}

/** What the journal knows of the step `n` with this key: its last beginning, and the facts noted since. */
export function historyOf(entries: readonly InstallEntry[], n: number, key: string): OpenHistory {
  let [own, begun, failed, done] = [false, false, false, false];
  let facts = new Map<string, unknown>();
  for (const entry of entries) {
    if (entry.type === 'finished' || entry.n !== n) continue;
    if (entry.type === 'fact') {
      if (own) facts.set(entry.name, entry.value);
      continue;
    }
    own = entry.key === key;
    if (!own) {
      [begun, failed, done, facts] = [false, false, false, new Map<string, unknown>()];
    } else if (entry.state === 'started') {
      [begun, failed] = [true, false];
      // Facts of an attempt that ended well are history; those of one that was cut off still hold.
      if (done) [done, facts] = [false, new Map<string, unknown>()];
    } else {
      [failed, done] = [entry.state === 'failed', entry.state === 'done'];
    }
  }
  return { begun, failed, done, facts };
}
