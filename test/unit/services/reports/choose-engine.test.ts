import { describe, expect, it } from 'vitest';
import { chooseEngine, lateWords, missesRuns, reportsEmpty } from '../../../../src/services/reports/choose-engine.js';
import { reportFreshness } from '../../../../src/services/reports/service/freshness.js';
import { failure } from '../pipelines/support.js';
import { fakePlatform, type FakeAnswer } from './fake-platform.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const SYNC = 'user.run.metadata.last.sync.time.millis';
const { signal } = new AbortController();
const clock = { now: () => 1_700_000_000_000 };

const NOW = clock.now();
const MINUTE = 60_000;

function site(status: FakeAnswer | undefined, synced: readonly number[] | number, runs: readonly object[] = []) {
  return fakePlatform((request) => {
    if (request === `GET ${APP}/status`) return status;
    if (request === `GET ${APP}/methods/health`) return {};
    if (request === 'GET /v3/namespaces') return { body: [{ name: 'default' }] };
    if (request === 'GET /v3/dashboard') return { body: runs };
    if (request !== 'POST /v3/metrics/query') return { body: [] };
    if (typeof synced === 'number') return { status: synced, body: 'no metrics' };
    const series = synced.map((value) => ({ metricName: SYNC, grouping: {}, data: [{ time: 0, value }] }));
    return { body: { service: { startTime: 0, endTime: 1, series, resolution: '2147483647s' } } };
  });
}

const running = { body: { status: 'RUNNING' } };

describe('the choice of an engine', () => {
  const of = (what: string): string => `the report service of the platform ${what}`;
  const untold = `it is unknown what ${of('has collected')}`;
  const cases = [
    ['platform', running, [NOW - 1000], 0, of('runs and collects')],
    ['platform', running, [NOW - 10 * MINUTE], 0, of('runs and collects')],
    ['runs', running, [], 0, of('has collected nothing')],
    ['runs', { body: { status: 'STOPPED' } }, [NOW - 1000], 0, of('is stopped')],
    ['runs', { body: { status: 'STARTING' } }, [NOW - 1000], 0, of('does not respond yet')],
    ['runs', { status: 404 }, [], 0, 'this platform has no report service'],
    ['runs', { status: 403 }, [], 0, `you have no permission to see ${of('').trim()}`],
    // What it has collected, where its collector is dead.
    ['runs', running, [NOW - 4320 * MINUTE], 0, of('last collected runs at 2023-11-11T22:13:20Z')],
    ['platform', running, [NOW - 4320 * MINUTE], 4400, of('runs and collects')],
    ['runs', running, [2 * NOW], 0, of('last collected runs at an unknown time')],
    // Nor are metrics needed for a report.
    ['runs', running, 503, 0, untold],
    ['runs', running, 404, 0, untold],
    ['runs', running, 403, 0, untold],
  ] as const;
  it.each(cases)('by itself is %s for the status %j and the syncs %j', async (engine, status, synced, ago, why) => {
    const question = { wanted: 'auto', end: (NOW - ago * MINUTE) / 1000, now: NOW } as const;
    const choice = await chooseEngine(question, site(status, synced).platform, signal);
    expect(choice).toEqual({ engine, why });
  });

  it('is not the platform where pipelines are named with their namespaces, which it cannot filter by', async () => {
    const { platform, asked } = site(running, [NOW - 1000]);
    const filters = [{ fieldName: 'pipeline', whitelist: ['etl/a', 'dev/b'] }];
    const chosen = (wanted: 'auto' | 'platform' | 'runs') =>
      chooseEngine({ wanted, filters, end: NOW / 1000, now: NOW }, platform, signal);
    const why = of('cannot select different pipelines in different namespaces');
    expect(await chosen('auto')).toEqual({ engine: 'runs', why });
    expect(await chosen('runs')).toEqual({ engine: 'runs' });
    expect(await failure(chosen('platform'))).toEqual({
      ...{ code: 'USAGE', message: why, hints: [{ next: 'leave-engine-open' }] },
    });
    expect(asked).toEqual([]);
    const others = [{ fieldName: 'namespace', whitelist: ['etl'] }];
    const open = chooseEngine({ wanted: 'auto', filters: others, end: NOW / 1000, now: NOW }, platform, signal);
    expect((await open).engine).toBe('platform');
  });

  it('is left open no longer where the platform fails in another way', async () => {
    const question = { wanted: 'auto', end: NOW / 1000, now: NOW } as const;
    expect(await failure(chooseEngine(question, site({ status: 500 }, []).platform, signal))).toMatchObject({
      code: 'REMOTE_FAILED',
    });
    const bug = new TypeError('bug');
    const broken = fakePlatform(() => Promise.reject(bug)).platform;
    await expect(chooseEngine(question, broken, signal)).rejects.toBe(bug);
  });

  it('is told by the time of the last sync, unless that is to come', () => {
    expect([lateWords(NOW, NOW), lateWords(NOW + 1, NOW), lateWords(undefined, NOW)]).toEqual([
      of('last collected runs at 2023-11-14T22:13:20Z'),
      of('last collected runs at an unknown time'),
      of('last collected runs at an unknown time'),
    ]);
  });

  it('is what was asked for, and a service that has stopped to collect is doubted', async () => {
    const choice = async (wanted: 'platform' | 'runs', synced: readonly number[] | number) => {
      const { platform, asked } = site(running, synced);
      const chosen = await chooseEngine({ wanted, end: NOW / 1000, now: NOW }, platform, signal);
      return { ...chosen, asked: asked.length };
    };
    expect(await choice('platform', [NOW])).toEqual({ engine: 'platform', asked: 1 });
    expect(await choice('platform', 404)).toMatchObject({ engine: 'platform' });
    expect(await choice('platform', [])).toEqual({ engine: 'platform', asked: 1 });
    expect(await choice('platform', [NOW - 4320 * MINUTE])).toMatchObject({
      engine: 'platform',
      doubt: `${of('last collected runs at 2023-11-11T22:13:20Z')}: the report does not include later runs`,
    });
    expect(await choice('runs', [])).toEqual({ engine: 'runs', asked: 0 });
  });

  it('goes by what the service has collected', async () => {
    expect(await reportFreshness(site(running, [5]).platform, signal)).toEqual({ lastSync: 5 });
    expect(await reportFreshness(site(running, []).platform, signal)).toEqual({});
  });
});

describe('an empty report of the platform', () => {
  const run = (more: object) => ({
    namespace: 'default',
    application: { name: 'orders', version: '-SNAPSHOT' },
    type: 'WORKFLOW',
    program: 'DataPipelineWorkflow',
    run: 'a',
    startMethod: 'MANUAL',
    start: 2000,
    end: 2010,
    status: 'FAILED',
    ...more,
  });
  const request = { name: 'x', start: 1000, end: 5000, fields: ['status'], filters: [] };
  const failed = [{ fieldName: 'status', whitelist: ['FAILED'] }];
  const summary = { recordCount: 0 } as NonNullable<Parameters<typeof missesRuns>[1]['summary']>;
  const cases = [
    ['misses a run that passes', true, [run({})], 0],
    ['misses nothing when no run passes', false, [run({ status: 'COMPLETED' })], 0],
    ['misses nothing when nothing ran', false, [], 0],
    ['does not miss what began after it was made', false, [run({ start: 4500, end: 4600 })], 0],
    ['does not miss what came to pass the filter after it was made', false, [run({ end: 4100 })], 0],
    ['misses a run that began when it was made', true, [run({ start: 4000, end: 4000 })], 0],
    ['does not miss a run of which the service has not heard', false, [run({ status: 'REJECTED' })], 0],
    ['is not empty with a record', false, [run({})], 1],
  ] as const;
  it.each(cases)('%s', async (_, missed, runs, recordCount) => {
    const { platform } = site(running, [], runs);
    const report = { summary: { ...summary, recordCount }, request: { ...request, filters: failed }, created: 4000 };
    expect(await missesRuns(platform, report, clock, signal)).toBe(missed);
  });

  it('is not judged before it has a summary', async () => {
    const report = { request: { ...request, filters: failed }, created: 4000 };
    expect(await missesRuns(site(running, [], [run({})]).platform, report, clock, signal)).toBe(false);
  });

  it.each([
    [undefined, 'the report', undefined],
    ['x', 'the report x', { report: 'x' }],
  ])('%s is an error that tells how to have it from the runs', (id, named, target) => {
    const { code, message, details } = reportsEmpty(id);
    expect({ code, message, ...details }).toEqual({
      code: 'REPORTS_EMPTY',
      message: `${named} of the platform has no runs, although there were runs in its time window`,
      hints: [{ next: 'make-from-runs', like: id }, { next: 'report-service' }],
      target,
    });
    expect('target' in details).toBe(id !== undefined);
  });

  it('misses a run that still went on when it was made, where no filter is about how runs go on', async () => {
    const { platform } = site(running, [], [run({ end: 4100 })]);
    const filters = [{ fieldName: 'programType', whitelist: ['Workflow'] }];
    const report = { summary: { ...summary, recordCount: 0 }, request: { ...request, filters }, created: 4000 };
    expect(await missesRuns(platform, report, clock, signal)).toBe(true);
  });
});
