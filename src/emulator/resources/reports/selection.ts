import type { RunFact } from '../../store/run-fact.js';
import type { FieldValue, ReportField } from './fields.js';
import type { ReportFilter, ReportRequest, RunSource, Selection } from '../../store/report-store.js';
import { Tally } from './summary.js';

/** Some runs behind others. */
export function joined(first: RunSource, others: readonly RunFact[]): RunSource {
  return {
    count: first.count + others.length,
    runAt: (index) => (index < first.count ? first.runAt(index) : others[index - first.count]),
  };
}

/**
 * The runs that overlap the window and pass every filter, sorted if requested (docs/platform.md 1.2). A run whose field
 * is unknown passes no filter.
 */
export function select(request: ReportRequest, source: RunSource, fields: ReadonlyMap<string, ReportField>): Selection {
  const tests = (request.filters ?? []).map((filter) => testOf(filter, readerOf(fields, filter.fieldName)));
  const [tally, places] = [new Tally(), new Places()];
  for (let index = 0; index < source.count; index++) {
    const run = source.runAt(index);
    if (run === undefined || !isInWindow(run, request) || !tests.every((test) => test(run))) continue;
    tally.add(run);
    places.add(index);
  }
  const [sort] = request.sort ?? [];
  const order =
    sort === undefined
      ? undefined
      : sorted(places, source, readerOf(fields, sort.fieldName), sort.order === 'DESCENDING');
  const runAt = (place: number) => {
    return place >= 0 && place < places.count ? source.runAt(order?.[place] ?? places.at(place)) : undefined;
  };
  return { count: places.count, runAt, tally };
}

function isInWindow({ start, end }: RunFact, window: ReportRequest): boolean {
  return start < window.end && (end === undefined || end >= window.start);
}

function readerOf(fields: ReadonlyMap<string, ReportField>, name: string): ReportField['read'] {
  return fields.get(name)?.read ?? (() => undefined);
}

function testOf(filter: ReportFilter, read: ReportField['read']): (run: RunFact) => boolean {
  const { whitelist = [], blacklist = [], range } = filter;
  if (range !== undefined) {
    const { min = -Infinity, max = Infinity } = range;
    return (run) => isBetween(read(run), min, max);
  }
  const [wanted, unwanted] = [new Set<FieldValue>(whitelist), new Set<FieldValue>(blacklist)];
  return (run) => {
    const value = read(run);
    if (value === undefined) return false;
    return wanted.size > 0 ? wanted.has(value) : !unwanted.has(value);
  };
}

function isBetween(value: FieldValue, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value < max;
}

/** The places in order of a number. A run without one stands before all when ascending, behind all when descending. */
function sorted(places: Places, source: RunSource, read: ReportField['read'], isDescending: boolean): Uint32Array {
  const keys = new Float64Array(places.count);
  for (let place = 0; place < places.count; place++) {
    const run = source.runAt(places.at(place));
    const value = run === undefined ? undefined : read(run);
    keys[place] = typeof value === 'number' ? value : -Infinity;
  }
  const keyOf = (place: number) => keys[place] ?? -Infinity;
  const order = Uint32Array.from({ length: places.count }, (_, place) => place);
  const direction = isDescending ? -1 : 1;
  order.sort((a, b) => (keyOf(a) === keyOf(b) ? a - b : keyOf(a) < keyOf(b) ? -direction : direction));
  return order.map((place) => places.at(place));
}

/** Growing indices, each larger than the one before. As long as none is left out between them they take no memory. */
class Places {
  count = 0;
  #first = 0;
  #listed: Uint32Array | undefined;

  add(index: number): void {
    if (this.count === 0) this.#first = index;
    if (this.#listed === undefined && index !== this.#first + this.count) {
      this.#listed = new Uint32Array(Math.max(1024, 2 * this.count)).map((_, place) => this.#first + place);
    }
    if (this.#listed !== undefined) this.#put(this.#listed, index);
    this.count += 1;
  }

  at(place: number): number {
    return this.#listed === undefined ? this.#first + place : (this.#listed[place] ?? 0);
  }

  #put(listed: Uint32Array, index: number): void {
    let room = listed;
    if (this.count === listed.length) {
      room = new Uint32Array(2 * listed.length);
      room.set(listed);
      this.#listed = room;
    }
    room[this.count] = index;
  }
}
