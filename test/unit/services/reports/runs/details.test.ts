import { describe, expect, it } from 'vitest';
import { reportName, startsOf } from '../../../../../src/services/reports/request/report-name.js';
import type { ReportFilter } from '../../../../../src/services/reports/request/request.js';
import { asItIsNow, detailsIn, runRecordsOf } from '../../../../../src/services/reports/runs/details.js';
import { SummaryCount } from '../../../../../src/services/reports/runs/summary.js';
import type { Run } from '../../../../../src/services/reports/runs/window.js';
import { NEVER } from '../../../../support/clock.js';
import { platformWith, type Replies } from '../../pipelines/support.js';

const RUNS = 'GET /v3/namespaces/etl/apps/orders/workflows/Flow/runs';
const run = (id: string, start = 100, more: object = {}): Run => ({
  ...{ namespace: 'etl', application: { name: 'orders', version: 'v' }, type: 'WORKFLOW', program: 'Flow' },
  ...{ run: id, startMethod: 'MANUAL', start, ...more },
});
const record = (runid: string) => ({ runid, status: 'COMPLETED', properties: {} });

describe('the records of the runs of a report', () => {
  const read = async (runs: readonly Run[], replies: Replies) => {
    const { platform, asked } = platformWith(replies);
    return { found: [...(await runRecordsOf(platform, runs, NEVER)).keys()], asked };
  };

  it('are asked for one by one where there are three, which may be gone', async () => {
    const replies = { [`${RUNS}/a`]: { json: record('a') }, [`${RUNS}/c`]: { json: record('c') } };
    const { found, asked } = await read(
      ['a', 'b', 'c'].map((id) => run(id)),
      replies,
    );
    expect([found, asked]).toEqual([['a', 'c'], ['a', 'b', 'c'].map((id) => `${RUNS}/${id}`)]);
  });

  it('are asked for as a list where there are more, and what that lacks by itself', async () => {
    const runs = [run('a', 50), run('b', 40), run('c', 60), run('d', 45)];
    const list = `${RUNS}?limit=104&start=39&end=62`;
    const replies = { [list]: { json: ['x', 'd', 'a', 'b'].map(record) }, [`${RUNS}/c`]: { json: record('c') } };
    const { found, asked } = await read(runs, replies);
    expect([found, asked]).toEqual([
      ['a', 'b', 'c', 'd'],
      [list, `${RUNS}/c`],
    ]);
    const early = await read([run('a', 0), run('b'), run('c'), run('d')], {});
    expect([early.found, early.asked[0]]).toEqual([[], `${RUNS}?limit=104&start=0&end=102`]);
  });

  it('are those of each program by itself', async () => {
    const spark = run('s', 1, { type: 'Spark', program: 'P' });
    const { asked } = await read(
      [run('a'), spark, run('b', 1, { namespace: 'dev' }), run('x', 1, { type: 'ODD' })],
      {},
    );
    expect(asked).toEqual([
      `${RUNS}/a`,
      'GET /v3/namespaces/etl/apps/orders/spark/P/runs/s',
      `${RUNS}/b`.replace('etl', 'dev'),
    ]);
  });

  it('tell more of a run', () => {
    const told = { ...record('a'), version: 'v2', properties: { runtimeArgs: '{"day":"1"}' }, start: 5, end: 9 };
    expect([detailsIn(undefined), detailsIn(told)]).toEqual([{}, { version: 'v2', runtimeArgs: { day: '1' } }]);
    expect(asItIsNow(run('a'), told)).toEqual({ ...run('a'), running: 5, end: 9, status: 'COMPLETED' });
    expect(asItIsNow(run('a'), undefined)).toEqual(run('a'));
  });
});

describe('the summary of a report', () => {
  it('counts by all that it sums up', () => {
    const summed = new SummaryCount();
    const one = {
      ...{ namespace: 'etl', user: 'joe', startMethod: 'MANUAL', start: 10, duration: 4 },
      ...{ artifactName: 'a', artifactVersion: '1', artifactScope: null },
    };
    summed.add(one);
    summed.add({ ...one, user: null, start: 5, duration: null });
    summed.add({ ...one, namespace: 'dev', artifactVersion: '2', start: 7, duration: 8, startMethod: 'SCHEDULED' });
    const request = { name: 'x', start: 1, end: 20, fields: [], filters: [] };
    expect(summed.summary(request, 99)).toEqual({
      ...{ start: 1, end: 20, recordCount: 3, creationTimeMillis: 99 },
      namespaces: [
        { runs: 2, namespace: 'etl' },
        { runs: 1, namespace: 'dev' },
      ],
      artifacts: [
        { runs: 2, name: 'a', version: '1' },
        { runs: 1, name: 'a', version: '2' },
      ],
      durations: { min: 4, max: 8, average: 6 },
      starts: { oldest: 5, newest: 10 },
      owners: [{ runs: 2, user: 'joe' }, { runs: 1 }],
      startMethods: [
        { runs: 2, method: 'MANUAL' },
        { runs: 1, method: 'SCHEDULED' },
      ],
    });
  });
});

describe('the name of a report', () => {
  const START = Date.UTC(2024, 4, 1, 22) / 1000;
  const END = START + 86_400;
  const window = '2024-05-01 22:00 to 2024-05-02 22:00 UTC';
  const named = (...filters: readonly ReportFilter[]) => reportName({ start: START, end: END, fields: [], filters });
  const white = (fieldName: string, ...whitelist: readonly string[]): ReportFilter => ({ fieldName, whitelist });
  const range = (fieldName: string, given: object): ReportFilter => ({ fieldName, range: given });

  it.each<[string, readonly ReportFilter[]]>([
    ['all runs', []],
    ['all runs', [white('program', 'DataPipelineWorkflow', 'DataStreamsSparkStreaming')]],
    ['program=DataPipelineWorkflow', [white('program', 'DataPipelineWorkflow')]],
    ['all runs', [{ fieldName: 'namespace', blacklist: ['system'] }]],
    ['namespace!=system,etl', [{ fieldName: 'namespace', blacklist: ['system', 'etl'] }]],
    ['status!=system', [{ fieldName: 'status', blacklist: ['system'] }]],
    [
      'etl orders FAILED joe',
      [white('user', 'joe'), white('status', 'FAILED'), white('applicationName', 'orders'), white('namespace', 'etl')],
    ],
    ['KILLED', [white('status', 'KILLED', 'STOPPED')]],
    ['a b c', [white('namespace', 'a', 'b', 'c')]],
    ['a b c and more', [white('namespace', 'a', 'b', 'c', 'd')]],
    ['startMethod=MANUAL', [white('startMethod', 'MANUAL')]],
    ['duration>=60', [range('duration', { min: 60 })]],
    ['duration<60', [range('duration', { max: 60 })]],
    ['duration=60..90', [range('duration', { min: 60, max: 90 })]],
    ['end>=2024-05-01 22:00 running<2024-05-02 22:00', [range('end', { min: START }), range('running', { max: END })]],
  ])('says %s', (words, filters) => {
    expect(named(...filters)).toBe(`${words} ${window}`);
  });

  it('has the time that filters leave of the window', () => {
    expect(named(range('start', { min: START + 3600 }))).toBe('all runs 2024-05-01 23:00 to 2024-05-02 22:00 UTC');
    expect(named(range('start', { max: END - 3600 }))).toBe('all runs 2024-05-01 22:00 to 2024-05-02 21:00 UTC');
    expect(named(range('start', { min: START - 1, max: END + 1 }))).toBe(`all runs ${window}`);
    expect(named(range('start', { min: END }))).toBe(`all runs ${window}`);
  });

  it('has the narrowest of several times', () => {
    expect(
      startsOf([range('start', { min: 1, max: 9 }), range('start', { min: 3, max: 5 }), range('end', { min: 7 })]),
    ).toEqual({
      ...{ min: 3, max: 5 },
    });
    expect(Object.keys(startsOf([range('start', {})]))).toEqual([]);
  });
});
