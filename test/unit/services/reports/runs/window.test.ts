import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { runSlices, type RunWindow } from '../../../../../src/services/reports/runs/window.js';
import { fakePlatform } from '../fake-platform.js';
import { codeOf } from '../../../../support/errors.js';

interface Ran {
  readonly id: string;
  readonly start: number;
  readonly end?: number | undefined;
  readonly namespace?: string;
  /** Gives no sign of life: it is pending or suspended. */
  readonly isSilent?: boolean;
}

const { signal } = new AbortController();
const NOW = 2_000_000_000_000;
const dashboardOf = ({ id, start, end, namespace = 'default' }: Ran) => ({
  namespace,
  application: { name: 'orders', version: '-SNAPSHOT' },
  type: 'WORKFLOW',
  program: 'DataPipelineWorkflow',
  run: id,
  startMethod: 'MANUAL',
  start,
  ...(end !== undefined && { end }),
  status: end === undefined ? 'RUNNING' : 'COMPLETED',
});

/** A dashboard; `most` records make an answer too large. As platforms have it: runs that something happened to in the window, or that gave a sign of life there, as they were at its end; `whole`: all that touch the window, as they are now. */
function dashboard(runs: readonly Ran[], { most = Infinity, future = [] as readonly object[], whole = false } = {}) {
  return fakePlatform((request, query) => {
    if (request !== 'GET /v3/dashboard') return undefined;
    const start = Number(query.get('start'));
    const end = start + Number(query.get('duration'));
    const found = runs.flatMap((run): readonly Ran[] => {
      const { end: ended = Infinity } = run;
      if (run.start > end || ended < start) return [];
      if (whole) return [run];
      const latest = Math.min(end, ended, NOW / 1000);
      const lastSign = run.isSilent ? run.start : run.start + Math.floor((latest - run.start) / 1800) * 1800;
      if (Math.max(run.start, ended <= end ? ended : lastSign) < start) return [];
      return [{ ...run, end: ended <= end ? run.end : undefined }];
    });
    if (found.length > most) throw new CliError('TOO_LARGE', 'the answer is larger than 16 MB');
    return { body: [...found.map(dashboardOf), ...future] };
  });
}

async function idsOf(
  site: ReturnType<typeof dashboard>,
  window: Omit<RunWindow, 'namespaces'>,
  wanted = 100,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const slices = runSlices(site.platform, { namespaces: ['default'], ...window }, { now: NOW, wanted }, signal);
  for await (const { runs } of slices) ids.push(...runs.map(({ run }) => run));
  return ids;
}

describe('the runs of a window', () => {
  it.each([false, true])(
    'come exactly once each, whatever the slices, and none that does not touch the window (%s)',
    async (whole) => {
      const time = fc.integer({ min: 0, max: 100_000 });
      const lasts = fc.option(fc.nat(60_000), { nil: undefined });
      const ran = fc.record({ start: time, lasts, isSilent: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(ran, { maxLength: 60 }),
          time,
          fc.integer({ min: 1, max: 90_000 }),
          async (all, start, length) => {
            const runs = all.map(({ start: began, lasts: seconds, isSilent }, at) => ({
              id: `r${at}`,
              start: began,
              end: seconds === undefined ? undefined : began + seconds,
              // Of a run that was silent all through the window the platform tells nothing.
              isSilent: isSilent && began >= start,
            }));
            const end = start + length;
            const expected = runs.filter((run) => run.start < end && (run.end === undefined || run.end >= start));
            const ids = await idsOf(dashboard(runs, { whole }), { start, end }, 3);
            expect([...ids].sort()).toEqual(expected.map(({ id }) => id).sort());
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('are those that begin before its end', async () => {
    const runs = [199, 200].flatMap((start) => [
      { id: `${start} ended`, start, end: 201 },
      { id: `${start} on`, start },
    ]);
    const ids = await idsOf(dashboard(runs, { whole: true }), { start: 100, end: 200 });
    expect(ids.toSorted()).toEqual(['199 ended', '199 on']);
  });

  it('are asked for in few requests over empty years and in short ones where there are many', async () => {
    const year = 31_536_000;
    const runs = Array.from({ length: 2000 }, (_, at) => ({ id: `r${at}`, start: year + at, end: year + at + 1 }));
    const site = dashboard(runs);
    expect(await idsOf(site, { start: 0, end: 10 * year })).toHaveLength(2000);
    expect(site.asked.length).toBeLessThan(60);
  });

  it('are asked for again in shorter slices when an answer is too large', async () => {
    const runs = Array.from({ length: 500 }, (_, at) => ({ id: `r${at}`, start: 1000 + at, end: 1001 + at }));
    const ids = await idsOf(dashboard(runs, { most: 50 }), { start: 0, end: 7200 }, 1000);
    expect(ids).toEqual(runs.map(({ id }) => id));
    // In the last hour of the window, too.
    expect(await idsOf(dashboard(runs, { most: 50 }), { start: 1200, end: 1600 })).toHaveLength(301);
  });

  it('are not asked for in ever shorter slices where many run for long', async () => {
    const runs = Array.from({ length: 300 }, (_, at) => ({ id: `r${at}`, start: at }));
    const site = dashboard(runs);
    expect(await idsOf(site, { start: 86_400, end: 30 * 86_400 }, 10)).toHaveLength(300);
    expect(site.asked.length).toBeLessThan(10);
  });

  it('that go on beyond a short window are found by their last sign of life, and told apart from those that ended', async () => {
    const runs = [
      { id: 'long', start: 1000, end: 90_000 },
      { id: 'short', start: 9000, end: 9005 },
      { id: 'over', start: 1000, end: 8999 },
    ];
    const slices = runSlices(
      dashboard(runs).platform,
      { namespaces: ['default'], start: 9000, end: 9010 },
      { now: NOW, wanted: 10 },
      signal,
    );
    const found: unknown[] = [];
    for await (const { runs: some, isOpen } of slices) found.push(...some.map(({ run }) => [run, isOpen]));
    expect(found).toEqual([
      ['short', false],
      ['long', true],
    ]);
  });

  it('that gave no sign of life since they were suspended are found where they were', async () => {
    const runs = [
      { id: 'suspended', start: 50_000, isSilent: true },
      { id: 'pending', start: 40_000, isSilent: true },
      { id: 'woken', start: 45_000, end: 80_000, isSilent: true },
    ];
    const ids = await idsOf(dashboard(runs), { start: 30_000, end: 90_000 }, 1);
    expect(ids).toEqual(['woken', 'pending', 'suspended']);
  });

  it('do not include starts to come, nor is the platform asked for them', async () => {
    const { run, ...scheduled } = dashboardOf({ id: run0, start: NOW / 1000 + 60 });
    const site = dashboard([{ id: 'ran', start: NOW / 1000 - 60 }], { future: [scheduled] });
    expect(run).toBe(run0);
    expect(await idsOf(site, { start: NOW / 1000 - 3600, end: NOW / 1000 + 100 * 86_400 })).toEqual(['ran']);
    expect(site.asked).toHaveLength(2);
  });

  it('end with the error of a platform that is away after a few shorter tries', async () => {
    const site = fakePlatform(() => ({ status: 500, body: 'out of memory' }));
    expect(await codeOf(idsOf(site, { start: 0, end: 3600 }))).toBe('REMOTE_FAILED');
    expect(site.asked).toHaveLength(1);
  });

  it('are asked for in several requests when the namespaces do not fit into one address', async () => {
    const namespaces = Array.from({ length: 300 }, (_, at) => `namespace_number_${at}`);
    const site = dashboard([]);
    const slices = runSlices(site.platform, { namespaces, start: 0, end: 60 }, { now: NOW, wanted: 10 }, signal);
    for await (const { runs } of slices) expect(runs).toEqual([]);
    const asked = site.asked.flatMap((url) => new URL(url.slice(4), 'http://x').searchParams.getAll('namespace'));
    expect(asked).toEqual(namespaces);
    expect(Math.max(...site.asked.map(({ length }) => length))).toBeLessThan(4000);
  });
});

const run0 = 'never';
