import { describe, expect, it } from 'vitest';
import type { RunFact } from '../../../src/emulator/store/run-fact.js';
import { PIPELINES, RunTable } from '../../../src/emulator/store/run-table.js';
import type { RunPipeline } from '../../../src/emulator/store/model.js';

const UNTIL = 1_795_000_000;
const DAY = 86_400;
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;
const kinds = (kind: RunPipeline['kind'], count: number): RunPipeline[] =>
  Array.from({ length: count }, (_, index) => ({
    namespace: index % 2 === 0 ? 'default' : 'etl',
    name: `${kind}-${index}`,
    kind,
    version: '1',
    artifact,
  }));
const tableOf = (count: number): RunTable =>
  new RunTable({
    count,
    until: UNTIL,
    pipelines: [...kinds('batch', PIPELINES.batch), ...kinds('realtime', PIPELINES.realtime)],
  });
const all = (table: RunTable): RunFact[] =>
  Array.from({ length: table.count }, (_, index) => table.runAt(index)).filter((run) => run !== undefined);
const ids = (runs: Iterable<RunFact>): string[] => [...runs].map(({ id }) => id);

describe('a table of generated runs', () => {
  it.each([0, 1, 2, 3, 10, 30, 31, 32, 33, 63, 64, 100, 1000, 5000])('of %i has that many, each once', (count) => {
    const runs = all(tableOf(count));
    expect(runs).toHaveLength(count);
    expect(new Set(ids(runs)).size).toBe(count);
    expect(tableOf(count).runAt(count)).toBeUndefined();
    expect(tableOf(count).runAt(-1)).toBeUndefined();
  });

  it('is sorted by start, ends before the second that was given, and lies within some weeks', () => {
    const starts = all(tableOf(5000)).map(({ start }) => start);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(starts.at(-1)).toBeLessThan(UNTIL);
    expect(starts[0]).toBeGreaterThanOrEqual(UNTIL - 28 * DAY);
  });

  it('gives the same run for the same index, whatever was asked before', () => {
    const table = tableOf(1000);
    const backwards = Array.from({ length: 1000 }, (_, index) => table.runAt(999 - index)).reverse();
    expect(backwards).toEqual(all(tableOf(1000)));
  });

  it('has every status, start method and sort of user, and runs in time', () => {
    const runs = all(tableOf(20_000));
    const of = (name: keyof RunFact) => new Set(runs.map((run) => run[name]));
    expect(of('status')).toEqual(new Set(['COMPLETED', 'FAILED', 'KILLED', 'RUNNING']));
    expect(of('startMethod')).toEqual(new Set(['MANUAL', 'SCHEDULED', 'TRIGGERED']));
    expect(of('user')).toContain(undefined);
    expect(of('user').size).toBeGreaterThan(3);
    expect(runs.filter(({ running, start }) => running !== undefined && running < start)).toEqual([]);
    expect(runs.filter(({ running, end, start }) => end !== undefined && end < (running ?? start))).toEqual([]);
    expect(runs.filter(({ status, end }) => (status === 'RUNNING') !== (end === undefined))).toEqual([]);
    expect(runs.filter(({ end }) => end !== undefined && end >= UNTIL)).toEqual([]);
  });

  it('has completed runs for the most part', () => {
    const runs = all(tableOf(5000));
    expect(runs.filter(({ status }) => status === 'COMPLETED').length).toBeGreaterThan(3000);
  });

  it('gives each workflow one Spark inside, which names it', () => {
    const runs = all(tableOf(2000));
    const byId = new Map(runs.map((run) => [run.id, run]));
    for (const run of runs.filter(({ inner }) => inner !== undefined)) {
      const inner = byId.get(run.inner ?? '');
      expect(inner).toMatchObject({ program: 'phase-1', type: 'Spark', outer: run.id, application: run.application });
      expect(inner?.start).toBe(run.running);
      expect(inner?.end).toBe(run.end);
    }
    expect(runs.filter(({ outer }) => outer !== undefined && !byId.has(outer))).toEqual([]);
  });

  it('finds the runs of a window as looking at all does', () => {
    const table = tableOf(3000);
    for (const [from, to] of [
      [UNTIL - 3600, UNTIL],
      [UNTIL - 20 * DAY, UNTIL - 19 * DAY],
      [UNTIL - 60 * DAY, UNTIL - 27 * DAY],
      [UNTIL + 10 * DAY, UNTIL + 11 * DAY],
      [0, 2_000_000_000],
    ] as const) {
      const touching = all(table).filter(({ start, end = Infinity }) => start <= to && end >= from);
      expect(ids(table.touching(from, to))).toEqual(ids(touching));
      const between = all(table).filter(({ start }) => start >= from && start < to);
      expect(ids(table.between(from, to))).toEqual(ids(between));
    }
    expect(table.firstFrom(0)).toBe(0);
    expect(table.firstFrom(UNTIL)).toBe(3000);
  });

  it.each([5, 33, 1000, 3001])('of %i finds the runs of a program, their number and each by its id', (count) => {
    const table = tableOf(count);
    const runs = all(table);
    let found = 0;
    for (const { namespace, name: application } of table.pipelines) {
      for (const program of ['DataPipelineWorkflow', 'phase-1', 'DataStreamsSparkStreaming', 'Nope']) {
        const place = { namespace, application, program };
        const own = runs.filter((run) => run.application === application && run.program === program).reverse();
        expect(ids(table.runsOfProgram(place))).toEqual(ids(own));
        expect(table.countOf(place)).toBe(own.length);
        const middle = own[Math.floor(own.length / 2)]?.start ?? 0;
        expect(ids(table.runsOfProgram(place, middle))).toEqual(ids(own.filter(({ start }) => start < middle)));
        expect(ids(table.active(place))).toEqual(ids(own.filter(({ end }) => end === undefined)));
        found += own.length;
      }
    }
    expect(found).toBe(count);
    for (const run of runs) expect(table.run(run.id)).toEqual(run);
    expect(table.run('5d9c0a70-8f6b-11ee-9d5d-acde48001122')).toBeUndefined();
  });

  it('ends a run that is stopped, with the one inside it', () => {
    const table = tableOf(1000);
    const running = all(table).find(({ status, inner }) => status === 'RUNNING' && inner !== undefined);
    table.stop(running?.id ?? '', UNTIL + 5);
    const ended = { status: 'KILLED', end: UNTIL + 5 };
    expect(table.run(running?.id ?? '')).toMatchObject(ended);
    expect(table.run(running?.inner ?? '')).toMatchObject(ended);
    expect(ids(table.touching(UNTIL + 6, UNTIL + 7))).not.toContain(running?.id);
  });

  it('has arguments that are awkward in files', () => {
    const texts = all(tableOf(2000)).flatMap(({ runtimeArguments }) => Object.values(runtimeArguments));
    for (const awkward of ['"', ',', '\n', '=SUM', '東京', '😀', '\t', '\\']) {
      expect(
        texts.some((text) => text.includes(awkward)),
        awkward,
      ).toBe(true);
    }
  });

  it('answers for ten million without having made them', () => {
    const table = tableOf(10_000_000);
    expect(table.runAt(9_999_999)?.start).toBeLessThan(UNTIL);
    expect(table.runAt(0)?.start).toBeGreaterThan(UNTIL - 60 * DAY);
    expect([...table.between(UNTIL - 100, UNTIL)].length).toBeGreaterThan(100);
  });
});
