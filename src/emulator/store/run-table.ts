import type { GeneratedRuns, RunPipeline } from './model.js';
import type { RunFact } from './run-fact.js';
import { LEAST_ROOM, LONGEST, numberOf, runsOf } from './launch.js';

/** The kinds of the launches of a group, B for batch and R for real time. Each launch is by another pipeline. */
const SLOTS = 'B R B B B B R B B B B R B B B B B R'.split(' ');
const BATCHES = SLOTS.filter((kind) => kind === 'B').length;
/** The runs of a group: a batch launch makes two. */
const GROUP = SLOTS.length + BATCHES;
/** The groups after which the pipelines begin anew. */
const TURNS = 3;
const DAYS = 28;
const DAY = 86_400;
const BATCH_PROGRAMS = ['DataPipelineWorkflow', 'phase-1'];
const REALTIME_PROGRAMS = ['DataStreamsSparkStreaming'];
const NONE: readonly RunFact[] = [];

/** How many batch and realtime pipelines a table has runs of. */
export const PIPELINES = { batch: TURNS * BATCHES, realtime: TURNS * (SLOTS.length - BATCHES) } as const;

/**
 * Runs that are computed on demand, each from its index alone, so that millions take no memory. They are sorted by
 * start. Runs form groups of equal length in time, and each pipeline has one launch in every third group, so that its
 * runs are found without looking at the others.
 */
export class RunTable {
  readonly shape: GeneratedRuns;
  /** In the order of the launches of three groups. */
  readonly pipelines: readonly RunPipeline[];
  readonly #groups: number;
  /** Seconds of a group. */
  readonly #span: number;
  /** Runs of the first group, which may be smaller than the others. */
  readonly #rest: number;
  readonly #begin: number;
  readonly #stopped = new Map<number, number>();
  #last: { readonly group: number; readonly runs: readonly RunFact[] } = { group: -1, runs: NONE };

  /** Takes as many pipelines as `PIPELINES` says. */
  constructor(shape: GeneratedRuns) {
    this.shape = shape;
    this.#groups = Math.ceil(shape.count / GROUP);
    this.#rest = shape.count - GROUP * (this.#groups - 1);
    this.#span = Math.max(LEAST_ROOM, Math.floor((DAYS * DAY) / Math.max(1, this.#groups)));
    this.#begin = shape.until - this.#groups * this.#span;
    const [batch, realtime] = ['batch', 'realtime'].map((kind) =>
      shape.pipelines.filter((pipeline) => pipeline.kind === kind),
    );
    const next = { B: batch?.values(), R: realtime?.values() };
    this.pipelines = Array.from({ length: TURNS }, () => SLOTS).flatMap((kinds) =>
      kinds.flatMap((kind) => {
        const taken = (kind === 'B' ? next.B : next.R)?.next();
        return taken === undefined || taken.done === true ? [] : [taken.value];
      }),
    );
  }

  get count(): number {
    return this.shape.count;
  }

  /** The run at an index from 0 on; the oldest is the first. */
  runAt(index: number): RunFact | undefined {
    if (index < 0 || index >= this.count) return undefined;
    const behind = index - this.#rest;
    if (behind < 0) return this.#runsOfGroup(0)[index];
    return this.#runsOfGroup(1 + Math.floor(behind / GROUP))[behind % GROUP];
  }

  /** The index of the first run that was asked for at an epoch second or later. `count` when there is none. */
  firstFrom(second: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.runAt(middle)?.start ?? Infinity) < second) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The runs that were asked for at `from` or later and before `to`, oldest first. */
  *between(from: number, to: number): Generator<RunFact> {
    for (let index = this.firstFrom(from); index < this.count; index++) {
      const run = this.runAt(index);
      if (run === undefined || run.start >= to) return;
      yield run;
    }
  }

  /** The runs that touch a window, both of its ends included, oldest first. */
  *touching(from: number, to: number): Generator<RunFact> {
    const earliest = Math.min(from, this.shape.until) - LONGEST - LEAST_ROOM;
    const early = Math.min(this.firstFrom(earliest), Math.max(0, this.count - GROUP));
    for (let index = early; index < this.count; index++) {
      const run = this.runAt(index);
      if (run === undefined || run.start > to) return;
      if (run.end === undefined || run.end >= from) yield run;
    }
  }

  /** The run with an id. */
  run(id: string): RunFact | undefined {
    const number = numberOf(id);
    if (number === undefined) return undefined;
    const launch = Math.floor(number / 2);
    const [group, slot] = [Math.floor(launch / SLOTS.length), launch % SLOTS.length];
    return this.#runsOfSlot(group, slot).find((run) => run.id === id);
  }

  /** The runs of one program, newest first, from those on that were asked for before an epoch second. */
  *runsOfProgram(place: ProgramName, before = Infinity): Generator<RunFact> {
    for (const { group, slot } of this.#launches(place, before)) {
      for (const run of this.#runsOfSlot(group, slot)) {
        if (run.program === place.program && run.start < before) yield run;
      }
    }
  }

  /** The runs of a program that have not come to their end. */
  active(place: ProgramName): RunFact[] {
    const active: RunFact[] = [];
    for (const run of this.runsOfProgram(place)) {
      if (run.end === undefined) active.push(run);
      if (run.start < this.shape.until - LONGEST - LEAST_ROOM) break;
    }
    return active;
  }

  /** Ends a run and what runs inside it, or around it. */
  stop(id: string, second: number): void {
    const number = numberOf(id);
    if (number !== undefined) this.#stopped.set(Math.floor(number / 2), second);
    this.#last = { group: -1, runs: NONE };
  }

  /** How many runs a program has. */
  countOf(place: ProgramName): number {
    const launches = this.#placeOf(place);
    if (launches === undefined) return 0;
    const { turn, slot } = launches;
    const later = Math.floor((this.#groups - 1 - turn) / TURNS) + (turn === 0 ? 0 : 1);
    const first = turn === 0 ? this.#runsOfSlot(0, slot).length : 0;
    return later + Math.min(1, first);
  }

  *#launches(place: ProgramName, before: number): Generator<{ readonly group: number; readonly slot: number }> {
    const found = this.#placeOf(place);
    if (found === undefined) return;
    const { turn, slot } = found;
    const last = Math.min(this.#groups - 1, Math.floor((before - this.#begin) / this.#span));
    for (let group = last - ((last - turn + TURNS) % TURNS); group >= 0; group -= TURNS) yield { group, slot };
  }

  #placeOf({ namespace, application, program }: ProgramName): { turn: number; slot: number } | undefined {
    const index = this.pipelines.findIndex((one) => one.name === application && one.namespace === namespace);
    if (index < 0) return undefined;
    const [turn, slot] = [Math.floor(index / SLOTS.length), index % SLOTS.length];
    const programs = SLOTS[slot] === 'B' ? BATCH_PROGRAMS : REALTIME_PROGRAMS;
    return programs.includes(program) ? { turn, slot } : undefined;
  }

  #runsOfGroup(group: number): readonly RunFact[] {
    if (this.#last.group !== group) {
      const runs = SLOTS.flatMap((_, slot) => this.#runsOfSlot(group, slot)).sort((a, b) => a.start - b.start);
      this.#last = { group, runs };
    }
    return this.#last.runs;
  }

  #runsOfSlot(group: number, slot: number): readonly RunFact[] {
    const pipeline = this.pipelines[(group % TURNS) * SLOTS.length + slot];
    if (pipeline === undefined || group < 0 || group >= this.#groups) return NONE;
    if (group === 0 && !this.#isInFirst(slot)) return NONE;
    const isLast = group === this.#groups - 1;
    const number = group * SLOTS.length + slot;
    return runsOf({
      number,
      pipeline,
      from: this.#begin + group * this.#span,
      room: this.#span,
      open: isLast && (slot === 0 || pipeline.kind === 'realtime'),
      until: this.shape.until,
      stopped: this.#stopped.get(number),
    });
  }

  /** Whether a launch has its place in the first group: those that fill it exactly. */
  #isInFirst(wanted: number): boolean {
    let left = this.#rest;
    for (const [slot, kind] of SLOTS.entries()) {
      const size = kind === 'B' ? 2 : 1;
      const fits = size <= left;
      if (slot === wanted) return fits;
      if (fits) left -= size;
    }
    return false;
  }
}

/** A program by its application. */
export interface ProgramName {
  readonly namespace: string;
  readonly application: string;
  readonly program: string;
}

/** A table without runs. */
export const NO_RUNS = new RunTable({ count: 0, until: 0, pipelines: [] });
