import { describe, expect, it } from 'vitest';
import { chooseEngine, missesRuns } from '../../../../src/services/reports/choose-engine.js';
import { reportFreshness } from '../../../../src/services/reports/service-freshness.js';
import { fakePlatform, type FakeAnswer } from './fake-platform.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const SYNC = 'user.run.metadata.last.sync.time.millis';
const { signal } = new AbortController();
const clock = { now: () => 1_700_000_000_000 };

function site(status: FakeAnswer | undefined, synced: readonly number[], runs: readonly object[] = []) {
  return fakePlatform((request) => {
    if (request === `GET ${APP}/status`) return status;
    if (request === `GET ${APP}/methods/health`) return {};
    if (request === 'GET /v3/namespaces') return { body: [{ name: 'default' }] };
    if (request === 'GET /v3/dashboard') return { body: runs };
    if (request !== 'POST /v3/metrics/query') return { body: [] };
    const series = synced.map((value) => ({ metricName: SYNC, grouping: {}, data: [{ time: 0, value }] }));
    return { body: { service: { startTime: 0, endTime: 1, series, resolution: '2147483647s' } } };
  });
}

const running = { body: { status: 'RUNNING' } };

describe('the choice of an engine', () => {
  const cases = [
    ['platform', running, [1_699_999_999_000]],
    ['runs', running, []],
    ['runs', { body: { status: 'STOPPED' } }, [1_699_999_999_000]],
    ['runs', { status: 404 }, []],
    ['runs', { status: 403 }, []],
  ] as const;
  it.each(cases)('by itself is %s for the status %j and the syncs %j', async (engine, status, synced) => {
    const choice = await chooseEngine('auto', site(status, synced).platform, signal);
    expect(choice).toEqual({ engine, why: expect.any(String) as string });
  });

  it('is what was asked for, without a look at the platform', async () => {
    const { platform, asked } = site(running, []);
    expect(await chooseEngine('platform', platform, signal)).toEqual({ engine: 'platform' });
    expect(await chooseEngine('runs', platform, signal)).toEqual({ engine: 'runs' });
    expect(asked).toEqual([]);
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
    ['is not empty with a record', false, [run({})], 1],
  ] as const;
  it.each(cases)('%s', async (_, missed, runs, recordCount) => {
    const { platform } = site(running, [], runs);
    const report = { summary: { ...summary, recordCount }, request: { ...request, filters: failed }, created: 4000 };
    expect(await missesRuns(platform, report, clock, signal)).toBe(missed);
  });
});
