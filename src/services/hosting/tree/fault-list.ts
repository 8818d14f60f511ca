import type { TreeFault } from './source-tree.js';

/** Most faults of a tree that are listed (`docs/limits.md`). */
export const MOST_FAULTS = 20_000;

/** Gathers the faults of a tree; beyond a limit they are only counted. */
export class FaultList {
  count = 0;
  readonly #kept: TreeFault[] = [];

  add(faults: readonly TreeFault[]): void {
    this.count += faults.length;
    for (const fault of faults) if (this.#kept.length < MOST_FAULTS) this.#kept.push(fault);
  }

  /** Sorted by file. */
  sorted(): readonly TreeFault[] {
    return this.#kept.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  }

  /** A line of each, and how many are not listed. */
  lines(): readonly string[] {
    return faultLines(this.sorted(), this.count);
  }
}

/** A line of each fault, and one that counts those that are not listed. */
export function faultLines(faults: readonly TreeFault[], count: number): readonly string[] {
  const lines = faults.map(({ file, message }) => `${file}: ${message}`);
  return count === faults.length ? lines : [...lines, `and ${count - faults.length} more`];
}
