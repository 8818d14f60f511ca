import type { ReportRecord } from '../source/record.js';
import type { ReportRequest } from '../request/request.js';
import type { RunCount, ReportSummary } from '../source/source.js';

/** How many records share some texts; null is a text that is not known. */
class Counts<K extends string> {
  readonly #groups = new Map<string, { runs: number } & Partial<Record<K, string>>>();
  readonly #members: readonly (readonly [K, string])[];

  /** `members` are names in the summary with the field that they come from. */
  constructor(members: readonly (readonly [K, string])[]) {
    this.#members = members;
  }

  add(record: ReportRecord): void {
    const key = this.#members.map(([, field]) => String(record[field])).join('\0');
    const known = this.#groups.get(key);
    if (known !== undefined) known.runs += 1;
    else this.#groups.set(key, { runs: 1, ...this.#texts(record) });
  }

  all(): readonly RunCount<K>[] {
    return [...this.#groups.values()];
  }

  #texts(record: ReportRecord): Partial<Record<K, string>> {
    const texts: Partial<Record<K, string>> = {};
    for (const [member, field] of this.#members) {
      const value = record[field];
      if (typeof value === 'string') texts[member] = value;
    }
    return texts;
  }
}

/** Sums up the records of a report while they pass; takes records with all fields. */
export class SummaryCount {
  /** How many were added. */
  records = 0;
  readonly #namespaces = new Counts([['namespace', 'namespace']]);
  readonly #artifacts = new Counts([
    ['name', 'artifactName'],
    ['version', 'artifactVersion'],
    ['scope', 'artifactScope'],
  ]);
  readonly #owners = new Counts([['user', 'user']]);
  readonly #methods = new Counts([['method', 'startMethod']]);
  readonly #durations = { count: 0, sum: 0, min: Infinity, max: -Infinity };
  readonly #starts = { oldest: Infinity, newest: -Infinity };

  add(record: ReportRecord): void {
    this.records += 1;
    for (const counts of [this.#namespaces, this.#artifacts, this.#owners, this.#methods]) counts.add(record);
    const start = Number(record['start']);
    this.#starts.oldest = Math.min(this.#starts.oldest, start);
    this.#starts.newest = Math.max(this.#starts.newest, start);
    const { duration } = record;
    if (typeof duration !== 'number') return;
    this.#durations.count += 1;
    this.#durations.sum += duration;
    this.#durations.min = Math.min(this.#durations.min, duration);
    this.#durations.max = Math.max(this.#durations.max, duration);
  }

  /** The summary as the platform gives it; what has no number is 0 (docs/platform.md 1.7). `now` in milliseconds. */
  summary({ start, end }: ReportRequest, now: number): ReportSummary {
    const { count, sum, min, max } = this.#durations;
    const { oldest, newest } = this.#starts;
    return {
      namespaces: this.#namespaces.all(),
      start,
      end,
      artifacts: this.#artifacts.all(),
      durations: count === 0 ? { min: 0, max: 0, average: 0 } : { min, max, average: sum / count },
      starts: this.records === 0 ? { oldest: 0, newest: 0 } : { oldest, newest },
      owners: this.#owners.all(),
      startMethods: this.#methods.all(),
      recordCount: this.records,
      creationTimeMillis: now,
    };
  }
}
