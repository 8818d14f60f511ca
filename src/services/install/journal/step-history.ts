import { createHash } from 'node:crypto';
import type { InstallEntry } from '../../../state/install-journal.js';
import type { PreparedAction, StagedJar, StepHistory } from '../action.js';

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}

/**
 * The key of a step in the journal (docs/conventions.md D11). It is a SHA-256 over the resolved arguments and the
 * digest of the JAR.
 */
export function stepKey({ type, step }: PreparedAction, jar: StagedJar | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical({ type, material: step?.material, jar: jar?.sha256 })))
    .digest('hex');
}

/** A history that grows while the step works. */
export interface OpenHistory extends StepHistory {
  readonly facts: Map<string, unknown>;
}

/**
 * What the journal knows of the step `n` with this key. Facts of an attempt that was cut off or failed still hold;
 * those of one that ended well are history.
 */
export function historyOf(entries: readonly InstallEntry[], n: number, key: string): OpenHistory {
  let [own, begun, done] = [false, false, false];
  let facts = new Map<string, unknown>();
  for (const entry of entries) {
    if (entry.type === 'again' && entry.state === 'begun')
      [own, begun, done, facts] = [false, false, false, new Map<string, unknown>()];
    if (!('n' in entry) || entry.n !== n) continue;
    if (entry.type === 'target') {
      // What is removed has to be made anew, whatever was done before.
      if (entry.state === 'removing') [own, begun, done, facts] = [false, false, false, new Map<string, unknown>()];
      continue;
    }
    if (entry.type === 'fact') {
      if (own) facts.set(entry.name, entry.value);
      continue;
    }
    own = entry.key === key;
    begun = own;
    done = own && entry.state === 'done';
    if (!own || done) facts = new Map<string, unknown>();
  }
  return { begun, done, facts };
}
