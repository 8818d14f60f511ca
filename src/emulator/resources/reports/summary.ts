import type { RunFact } from '../../store/run-fact.js';
import { durationOf } from './fields.js';
import type { ReportRequest } from '../../store/report-store.js';

/** Counts runs as they go by. */
export class Tally {
  readonly #namespaces = new Map<string, number>();
  readonly #artifacts = new Map<RunFact['artifact'], number>();
  readonly #owners = new Map<string | undefined, number>();
  readonly #startMethods = new Map<string, number>();
  readonly #starts = new Extent();
  readonly #durations = new Extent();

  add(run: RunFact): void {
    count(this.#namespaces, run.namespace);
    count(this.#artifacts, run.artifact);
    count(this.#owners, run.user);
    count(this.#startMethods, run.startMethod);
    this.#starts.add(run.start);
    const duration = durationOf(run);
    if (duration !== undefined) this.#durations.add(duration);
  }

  /**
   * The summary of a report about these runs (docs/platform.md 1.7). Without a run it names the namespaces that were
   * asked for.
   */
  summary({ start, end, filters = [] }: ReportRequest, scope: 'USER' | undefined): object {
    const asked = filters.find(({ fieldName }) => fieldName === 'namespace')?.whitelist ?? [];
    const namespaces = this.#starts.count > 0 ? [...this.#namespaces] : asked.map((name) => [name, 0] as const);
    const durations = this.#durations;
    return {
      namespaces: namespaces.map(([namespace, runs]) => ({ namespace, runs })),
      start,
      end,
      artifacts: this.#artifactCounts(scope),
      durations: { min: durations.least, max: durations.most, average: durations.average },
      starts: { oldest: this.#starts.least, newest: this.#starts.most },
      owners: [...this.#owners].map(([user, runs]) => ({ user, runs })),
      startMethods: [...this.#startMethods].map(([method, runs]) => ({ method, runs })),
      recordCount: this.#starts.count,
    };
  }

  #artifactCounts(scope: 'USER' | undefined): object[] {
    const known = new Map<string, { name: string; version: string; scope: string; runs: number }>();
    for (const [artifact, runs] of this.#artifacts) {
      const { name, version } = artifact;
      const key = JSON.stringify([name, version, artifact.scope]);
      const entry = known.get(key) ?? { name, version, scope: scope ?? artifact.scope, runs: 0 };
      entry.runs += runs;
      known.set(key, entry);
    }
    return [...known.values()];
  }
}

/** The ends and the middle of some numbers; 0 when there are none. */
class Extent {
  count = 0;
  #sum = 0;
  #least = Infinity;
  #most = -Infinity;

  add(value: number): void {
    this.count += 1;
    this.#sum += value;
    if (value < this.#least) this.#least = value;
    if (value > this.#most) this.#most = value;
  }

  get least(): number {
    return this.count === 0 ? 0 : this.#least;
  }

  get most(): number {
    return this.count === 0 ? 0 : this.#most;
  }

  get average(): number {
    return this.count === 0 ? 0 : this.#sum / this.count;
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
