import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../../src/core/condition.js';
import { readMetrics, type MetricsOptions } from '../../../../src/services/metrics/read.js';
import { fakePlatform, stagesConfig, type FakePipeline } from './fake-platform.js';
import { codeOf } from '../../../support/errors.js';

const { signal } = new AbortController();
const RUN = '5933a68e-e569-11f1-ab56-acde48001122';
const OTHER = '5933a68f-e569-11f1-ab56-acde48001122';
const configuration = stagesConfig('read orders', 'clean', 'write.table');
const plain: MetricsOptions = {
  pipeline: { namespace: 'etl', name: 'orders' },
  metrics: [],
  run: undefined,
  tags: [],
  groupBy: [],
  time: undefined,
  conditions: [],
  gate: '--fail-if',
};

async function look(pipeline: FakePipeline, wanted: Partial<MetricsOptions>) {
  const fake = fakePlatform(pipeline);
  const seen = await readMetrics({ ...plain, ...wanted }, fake.platform, signal);
  return { ...fake, seen };
}

describe('the tags of a query', () => {
  const metrics = ['user.clean.records.in'];
  const counted = { 'user.clean.records.in': 1 };
  const runs = [{ runid: RUN }];
  const app = { namespace: 'etl', app: 'orders' };
  const workflow = 'DataPipelineWorkflow';

  it.for<[string, FakePipeline, Partial<MetricsOptions>, object]>([
    ['of all runs', {}, {}, app],
    ['of a run, which is one of the workflow', {}, { run: RUN }, { ...app, workflow, run: RUN }],
    ['of the latest run', {}, { run: 'latest' }, { ...app, workflow, run: RUN }],
    ['of a run by its beginning', {}, { run: '5933A68E' }, { ...app, workflow, run: RUN }],
    [
      'of a run of a streaming pipeline',
      { program: 'DataStreamsSparkStreaming' },
      { run: RUN },
      { ...app, spark: 'DataStreamsSparkStreaming', run: RUN },
    ],
    ['of groups by run', {}, { groupBy: ['run'] }, { ...app, workflow }],
    [
      'of an inner program',
      {},
      { tags: [{ name: 'spark', value: 'phase-1' }], groupBy: ['run'] },
      { ...app, spark: 'phase-1' },
    ],
    ['of another application', { program: 'Hello' }, { groupBy: ['run'] }, app],
  ])('%s', async ([, pipeline, wanted, tags]) => {
    const { queries } = await look({ configuration, counted, runs, ...pipeline }, { metrics, ...wanted });
    expect(queries).toEqual([{ q0: expect.objectContaining({ tags, timeRange: { aggregate: 'true' } }) as unknown }]);
  });
});

describe('a run', () => {
  const runs = [{ runid: RUN }, { runid: OTHER }];
  const RUNS = { next: 'list-runs', pipeline: 'etl/orders' };

  it.for([
    ['latest', [], 'NOT_FOUND', 'has not run yet'],
    [RUN, [], 'NOT_FOUND', 'has no run 5933'],
    ['5933a680', runs, 'NOT_FOUND', 'no run whose ID starts with'],
    ['5933a68', runs, 'USAGE', 'is not a run'],
    ['5933a68e-zz', runs, 'USAGE', 'is not a run'],
  ] as const)('that is named %s', async ([run, known, code, message]) => {
    await expect(look({ configuration, runs: known }, { run })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as unknown,
    });
  });

  it.for([
    ['deadbeef', runs, [{ next: 'take-latest-run' }, RUNS]],
    [RUN, [], [RUNS]],
  ] as const)('that is not there is answered with where runs are listed: %s', async ([run, known, hints]) => {
    await expect(look({ configuration, runs: known }, { run })).rejects.toMatchObject({ details: { hints } });
  });

  it('is not guessed when several begin so', async () => {
    const twice = [{ runid: RUN }, { runid: RUN.replace('1122', '1133') }];
    await expect(look({ configuration, runs: twice }, { run: '5933a68e' })).rejects.toMatchObject({
      code: 'USAGE',
      all: [{ id: RUN }, { id: RUN.replace('1122', '1133') }],
    });
  });

  it('of an application that is not a pipeline must be named by tags', async () => {
    expect(await codeOf(look({ program: 'Hello' }, { run: 'latest' }))).toBe('USAGE');
  });

  it('has the stages that its version of the pipeline had', async () => {
    const then = [{ runid: RUN, version: 'v1' }];
    const { seen } = await look({ configuration, runs: then, versions: { v1: stagesConfig('old') } }, { run: RUN });
    expect(seen.stages).toEqual([{ stage: 'old' }]);
  });
});

describe('what stages have counted', () => {
  const counted = {
    'system.app.log.error': 8,
    'user.clean.records.in': 3,
    'user.clean.records.error': 1,
    'user.clean.process.time.avg': 1100,
    'user.clean.process.time.total': 1000,
    'user.clean.connector.records.in': 3,
    'user.write.table.records.in': 2,
    'user.read orders.records.out': 3,
    'user.gone.records.out': 9,
  };

  it.each([
    [{}, ['user.clean.process.time.avg']],
    [{ run: RUN }, []],
    [{ groupBy: ['run'] }, []],
    [{ metrics: ['user.clean.records.in'] }, []],
  ])('is no average of an average, of several runs: %j', async (wish, summed) => {
    const metrics = ['user.clean.process.time.avg', 'user.clean.process.time.total'];
    expect(
      (await look({ configuration, counted, runs: [{ runid: RUN, version: 'v1' }] }, { metrics, ...wish })).seen.summed,
    ).toEqual(summed);
  });

  it('stands in the order of the configuration, then by name, without connectors', async () => {
    const { seen, queries } = await look({ configuration, counted }, {});
    expect(seen.stages).toEqual([
      { stage: 'read orders', recordsOut: 3 },
      { stage: 'clean', recordsIn: 3, errors: 1, processTimeAvgMicros: 333.3 },
      { stage: 'write.table', recordsIn: 2 },
      { stage: 'gone', recordsOut: 9 },
    ]);
    expect(queries).toHaveLength(1);
  });

  it.for([
    [{ run: RUN }, 1100],
    [{ tags: [{ name: 'run', value: RUN }] }, 1100],
    [{ tags: [{ name: 'run', value: '*' }] }, 333.3],
  ] as const)('has the average time of one run as the platform has it: %j', async ([wanted, time]) => {
    const { seen } = await look({ configuration, counted, runs: [{ runid: RUN }] }, wanted);
    expect(seen.stages?.find(({ stage }) => stage === 'clean')).toMatchObject({ processTimeAvgMicros: time });
  });

  it.for([undefined, '', 'not json', '{"stages":7}'])('stands by name when the configuration is %j', async (text) => {
    const { seen } = await look({ counted, ...(text !== undefined && { configuration: text }) }, {});
    expect(seen.stages?.map(({ stage }) => stage)).toEqual([
      'clean',
      'clean.connector',
      'gone',
      'read orders',
      'write.table',
    ]);
  });

  it('is asked for in queries of a bounded size, all in one request', async () => {
    const many = stagesConfig(...Array.from({ length: 120 }, (_, at) => `s${at}`));
    const { queries, seen } = await look({ configuration: many, counted: { 'user.s119.records.in': 4 } }, {});
    expect(queries.map((query) => Object.values(query).map(({ metrics }) => metrics.length))).toEqual([[200, 200, 80]]);
    expect(seen.stages?.at(-1)).toEqual({ stage: 's119', recordsIn: 4 });
  });
});

describe('numbers of metrics', () => {
  it('stand in the order they were asked for, points by time, resolutions in words', async () => {
    const counted = {
      'user.b.x': 2,
      'user.a.x': [
        {
          grouping: { run: 'r2' },
          data: [
            { time: 120, value: 1 },
            { time: 60, value: 'NaN' },
          ],
        },
        { grouping: { run: 'r1' }, data: [] },
      ],
    };
    const { seen } = await look({ counted }, { metrics: ['user.b.x', 'user.a.x'], time: { start: '0', end: '200' } });
    expect(seen.found.series).toEqual([
      { metricName: 'user.b.x', grouping: {}, resolution: '60s', data: [{ time: 0, value: 2 }] },
      { metricName: 'user.a.x', grouping: { run: 'r1' }, resolution: '60s', data: [] },
      {
        metricName: 'user.a.x',
        grouping: { run: 'r2' },
        resolution: '60s',
        data: [
          { time: 60, value: 'NaN' },
          { time: 120, value: 1 },
        ],
      },
    ]);
    const { seen: total } = await look({ counted }, { metrics: ['user.b.x'] });
    expect(total.found.series[0]?.resolution).toBe('total');
  });

  it.for([
    ['user.clean.records.error', { known: true }],
    ['system.app.log.error', { known: true }],
    ['user.else.total', { known: true }],
    ['user.clean.record.error', { known: false, near: 'user.clean.records.error' }],
    ['user.else.totals', { known: false, near: 'user.else.total' }],
    // A part that only one name begins or ends with.
    ['user.els', { known: false, near: 'user.else.total' }],
    ['else.total', { known: false, near: 'user.else.total' }],
    ['user.clean', { known: false, near: undefined }],
    ['nothing.like.it', { known: false }],
  ] as const)('that are missing are explained: %s', async ([name, expected]) => {
    const counted = { 'user.else.total': [] };
    const { seen } = await look({ configuration, counted }, { metrics: [name] });
    expect(seen.missing).toEqual([{ name, ...expected }]);
    expect(seen.found.series).toEqual([]);
  });
});

describe('a condition', () => {
  const counted = {
    'user.clean.records.error': 3,
    'user.by.run': [
      {
        grouping: { run: 'r1' },
        data: [
          { time: 60, value: 1 },
          { time: 120, value: 1 },
        ],
      },
      { grouping: { run: 'r2' }, data: [{ time: 60, value: 5 }] },
    ],
    'user.odd.value': 'NaN',
  };
  const held = async (...texts: readonly string[]) => {
    const { seen } = await look(
      { configuration, counted },
      { conditions: texts.map((text) => parseCondition(text, 'failed>0')) },
    );
    return seen.held.flatMap(({ found }) => found);
  };

  it.for([
    ['user.clean.records.error>0', ['user.clean.records.error is 3']],
    ['user.clean.records.error>3', []],
    ['user.write.table.records.error>0', []],
    ['user.write.table.records.in<1', ['user.write.table.records.in is 0']],
    ['user.by.run>=5', ['user.by.run is 5 for run=r2']],
    ['user.by.run=2', ['user.by.run is 2 for run=r1']],
    ['user.odd.value>0', ['user.odd.value is NaN']],
  ] as const)('%s', async ([text, expected]) => {
    expect(await held(text)).toEqual(expected);
  });

  it('is looked at beside the stages, and shown only when it was asked for', async () => {
    const conditions = [parseCondition('user.clean.records.error>0', 'failed>0')];
    const { seen } = await look({ configuration, counted }, { conditions });
    expect(seen.found.series).toEqual([]);
    expect(seen.stages).toHaveLength(3);
  });

  it('does not look at groups, which a metric may not have', async () => {
    const conditions = [parseCondition('user.clean.records.error>0', 'failed>0')];
    const wanted = { metrics: ['user.by.run'], groupBy: ['dataset'], conditions };
    const { queries, seen } = await look({ configuration, counted }, wanted);
    expect(queries.map(({ q0 }) => [q0?.metrics, q0?.groupBy])).toEqual([
      [['user.by.run'], ['dataset']],
      [['user.clean.records.error'], undefined],
    ]);
    expect(seen.held).toHaveLength(1);
    expect(new Set(seen.found.series.map(({ metricName }) => metricName))).toEqual(new Set(['user.by.run']));
  });

  it('about a metric that does not exist is no green gate', async () => {
    await expect(held('user.claen.records.error>0', 'user.clean.records.error>5')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: '--fail-if: pipeline "orders" has no metric "user.claen.records.error"',
      details: {
        hints: ['Did you mean "user.clean.records.error"?', { next: 'list-metrics', pipeline: 'etl/orders' }],
      },
    });
  });
});

describe('a condition on what has no series', () => {
  const counted = { 'user.clean.records.in': 3 };
  const conditions = [parseCondition('user.clean.records.error>0', 'failed>0')];

  it('counts as 0, and that is told', async () => {
    const { seen } = await look({ configuration, counted }, { conditions, tags: [{ name: 'run', value: RUN }] });
    expect(seen).toMatchObject({ held: [], missing: [] });
    expect(seen.judgedMissing).toEqual([{ name: 'user.clean.records.error', known: true }]);
  });

  it('is told also where a pattern has named it without a series', async () => {
    const some = { ...counted, 'user.clean.records.error': [] };
    const { seen } = await look({ configuration, counted: some }, { metrics: ['user.*'], conditions });
    expect(seen.missing).toEqual([]);
    expect(seen.judgedMissing).toEqual([{ name: 'user.clean.records.error', known: true }]);
  });

  it('is no green gate under a tag that nothing was counted for', async () => {
    const tags = [{ name: 'run', value: 'TYPO' }];
    const looking = look({ configuration, counted, strayTag: 'run:TYPO' }, { conditions, tags });
    await expect(looking).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: '--fail-if: no data for tag run=TYPO',
      details: { hints: [{ next: 'list-metric-tags', namespace: 'etl', pipeline: 'orders' }] },
    });
  });
});

describe('a condition on a pipeline that nothing was ever counted for', () => {
  const conditions = [parseCondition('user.clean.records.error>0', 'failed>0')];

  it('is no green gate', async () => {
    await expect(look({ configuration }, { conditions })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: '--fail-if: no data for pipeline "orders", which may never have run',
    });
    const looking = look({ configuration, runs: [{ runid: RUN }] }, { conditions, run: 'latest' });
    await expect(looking).rejects.toMatchObject({ message: `--fail-if: no data for run ${RUN}` });
  });

  it('may hold later where a run is watched from its beginning', async () => {
    expect((await look({ configuration }, { conditions, mayBeEarly: true })).seen.held).toEqual([]);
  });
});

describe('a pattern for names of metrics', () => {
  const counted = { 'user.clean.records.in': 3, 'user.clean.records.out': 2, 'system.app.log.error': 1 };

  it('stands for what it fits', async () => {
    const { seen } = await look({ configuration, counted }, { metrics: ['user.*', 'user.clean.records.in'] });
    expect(seen.found.series.map(({ metricName }) => metricName)).toEqual([
      'user.clean.records.in',
      'user.clean.records.out',
    ]);
    expect(seen.missing).toEqual([]);
  });

  it('tells of no single metric that has no numbers, but where none of them has any', async () => {
    const some = { 'user.clean.records.in': 3, 'user.clean.records.out': [] };
    const { seen } = await look({ configuration, counted: some }, { metrics: ['user.*'] });
    expect(seen.missing).toEqual([]);
    const { seen: none } = await look({ configuration, counted: some }, { metrics: ['*.out'] });
    expect(none.missing).toEqual([{ name: '*.out', known: true }]);
  });

  it('that fits nothing is told, and asks for nothing', async () => {
    const { seen } = await look({ configuration, counted }, { metrics: ['nope.*'] });
    expect(seen).toMatchObject({ missing: [{ name: 'nope.*', known: false }], stages: undefined });
    expect(seen.found.series).toEqual([]);
  });
});

describe('a pipeline that is not there', () => {
  it.for([
    ['etl', 'order', 'namespace "etl" has no pipeline "order"', ['Did you mean "orders"?']],
    ['etl', 'zzz', 'namespace "etl" has no pipeline "zzz"', [{ next: 'list-pipelines', namespace: 'etl' }]],
    ['etl', 'billing', 'namespace "etl" has no pipeline "billing"', ['Did you mean "default/billing"?']],
    ['default', 'biling', 'namespace "default" has no pipeline "biling"', ['Did you mean "billing"?']],
    ['elt', 'orders', 'the platform has no namespace "elt"', ['Did you mean "etl"?', { next: 'list-namespaces' }]],
  ] as const)('%s/%s', async ([namespace, name, message, hints]) => {
    await expect(look({}, { pipeline: { namespace, name } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message,
      details: { hints },
    });
  });
});
