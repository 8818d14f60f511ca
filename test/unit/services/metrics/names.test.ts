import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../../src/core/condition.js';
import { heldConditions, sumOf } from '../../../../src/services/metrics/gate.js';
import { listMetricNames, listMetricTags, type NameOptions } from '../../../../src/services/metrics/list.js';
import { checkMetricName } from '../../../../src/services/metrics/names.js';
import { parsePipelineName, stagesOf } from '../../../../src/services/metrics/pipeline.js';
import { groupText, readSeries, resolutionText } from '../../../../src/services/metrics/query.js';
import { stageMetrics, stagesIn } from '../../../../src/services/metrics/stages.js';
import { checkTagName, parseTag, tagsOf, tagsOfPipeline } from '../../../../src/services/metrics/tags.js';
import { readMetrics } from '../../../../src/services/metrics/read.js';
import { NEVER } from '../../../support/clock.js';
import { failure, ORDERS, platformWith, RUN, type Replies } from '../pipelines/support.js';
import { fakePlatform } from './fake-platform.js';

const APP = 'GET /v3/namespaces/etl/apps/orders';
const detail = {
  ...{ name: 'orders', artifact: { name: 'a', version: '1', scope: 'SYSTEM' } },
  programs: [{ type: 'Workflow', name: 'DataPipelineWorkflow' }],
};
const SEARCH = 'POST /v3/metrics/search?target=metric&tag=namespace:etl&tag=app:orders';
const found: Replies = {
  [APP]: { json: detail },
  [`GET ${ORDERS}/runs/${RUN}`]: { json: { runid: RUN, status: 'X' } },
};
const names = ['user.b.out', 'system.app.log.info', 'user.a.in', 'user.b.out'];

describe('the names of metrics', () => {
  const listed = async (wanted: Partial<NameOptions>, search = SEARCH) => {
    const { platform } = platformWith({ ...found, [search]: { json: names } });
    const pipeline = { namespace: 'etl', name: 'orders' };
    const all = { pipeline, run: undefined, tags: [], scope: undefined, match: undefined, ...wanted };
    return (await listMetricNames(all, platform, NEVER)).map(({ name, scope }) => `${scope} ${name}`);
  };
  const [info, a, b] = ['system system.app.log.info', 'user user.a.in', 'user user.b.out'];

  it.each<[string, Partial<NameOptions>, readonly (string | undefined)[]]>([
    ['all, each once', {}, [info, a, b]],
    ['of the user', { scope: 'user' }, [a, b]],
    ['of the system', { scope: 'system' }, [info]],
    ['that match', { match: '*.i*' }, [info, a]],
    ['that match in a scope', { match: '*.i*', scope: 'user' }, [a]],
  ])('are listed by name: %s', async (_, wanted, expected) => {
    expect(await listed(wanted)).toEqual(expected);
  });

  it('are those of a run, and of tags that were given', async () => {
    expect(await listed({ run: RUN }, `${SEARCH}&tag=workflow:DataPipelineWorkflow&tag=run:${RUN}`)).toHaveLength(3);
    expect(await listed({ tags: [{ name: 'spark', value: 'phase-1' }] }, `${SEARCH}&tag=spark:phase-1`)).toHaveLength(
      3,
    );
  });

  it.each([' ', '', 'a'.repeat(1001), 'a\u0000', 'a\u001f', 'a\u007f'])('are not %j', async (text) => {
    expect(await failure(Promise.resolve().then(() => checkMetricName(text)))).toEqual({
      ...{ code: 'USAGE', message: `${JSON.stringify(text.slice(0, 60))} is not a metric name` },
      hints: [{ next: 'list-metrics' }],
    });
  });

  it.each(['a', ' a ', 'a'.repeat(1000), 'ä b'])('may be %j', (text) => {
    expect(checkMetricName(text)).toBe(text);
  });
});

describe('the tags of metrics', () => {
  it('that come next are listed by name and value, each once', async () => {
    const json = [
      { name: 'run', value: 'b', more: 1 },
      { name: 'app', value: 'z' },
      { name: 'run', value: 'a' },
      { name: 'run', value: 'b' },
    ];
    const { platform } = platformWith({ 'POST /v3/metrics/search?target=tag&tag=namespace:etl': { json } });
    expect(await listMetricTags([{ name: 'namespace', value: 'etl' }], platform, NEVER)).toEqual([
      { name: 'app', value: 'z' },
      { name: 'run', value: 'a' },
      { name: 'run', value: 'b' },
    ]);
  });

  it.each([
    ['app=orders', { name: 'app', value: 'orders' }],
    ['run=*', { name: 'run', value: '*' }],
    ['a=b=c', { name: 'a', value: 'b=c' }],
    ['a= b:c', { name: 'a', value: ' b:c' }],
  ])('%s is one', (text, tag) => {
    expect(parseTag(text)).toEqual(tag);
  });

  it.each(['', 'app', '=x', 'app=', 'a b=c', 'a:b=c', 'a=\u0000', 'a=\u007f', 'a'.repeat(90)])(
    '%j is none',
    async (text) => {
      expect(await failure(Promise.resolve().then(() => parseTag(text)))).toEqual({
        ...{ code: 'USAGE', message: `${JSON.stringify(text.slice(0, 80))} is not a tag` },
        hints: ['write NAME=VALUE: app=orders, run=*'],
      });
    },
  );

  it('have known names', async () => {
    expect(['namespace', 'run', 'stream', 'flowlet'].map(checkTagName)).toEqual([
      'namespace',
      'run',
      'stream',
      'flowlet',
    ]);
    const error = await failure(Promise.resolve().then(() => checkTagName('sparc')));
    const known =
      'known: namespace, app, program, programtype, workflow, spark, service, worker, mapreduce, tasktype, run, ' +
      'instance, component, handler, method, dataset, producer, consumer, profile, profilescope, flow, flowlet, stream';
    expect(error).toEqual({
      ...{ code: 'USAGE', message: '"sparc" is not a metric tag', lines: [known], hints: ['Did you mean "spark"?'] },
    });
    expect(await failure(Promise.resolve().then(() => checkTagName('x'.repeat(61))))).toMatchObject({
      message: `"${'x'.repeat(60)}" is not a metric tag`,
    });
  });

  const own = { namespace: 'etl', name: 'orders' };
  const program = { type: 'workflows', name: 'Flow', tag: 'workflow' } as const;
  const base = { namespace: 'etl', app: 'orders' };
  it.each<[string, Parameters<typeof tagsOf>[1], object]>([
    ['nothing more', {}, base],
    ['a run', { run: 'r' }, { ...base, workflow: 'Flow', run: 'r' }],
    ['a run as a tag', { given: [{ name: 'run', value: 'r' }] }, { ...base, workflow: 'Flow', run: 'r' }],
    ['groups by run', { groupBy: ['run'] }, { ...base, workflow: 'Flow' }],
    ['groups by run and program', { groupBy: ['run', 'spark'] }, base],
    ['other groups', { groupBy: ['dataset'] }, base],
    ...['workflow', 'spark', 'mapreduce', 'service', 'worker', 'flow', 'program'].map(
      (name): [string, Parameters<typeof tagsOf>[1], object] => [
        `a run of a ${name}`,
        { run: 'r', given: [{ name, value: 'x' }] },
        { ...base, run: 'r', [name]: 'x' },
      ],
    ),
    ['another namespace', { given: [{ name: 'namespace', value: '*' }] }, { ...base, namespace: '*' }],
  ])('of a pipeline with %s', (_, selection, tags) => {
    expect(tagsOf({ ...own, program }, selection)).toEqual(tags);
  });

  it('of an application that is no pipeline have no program', () => {
    expect(tagsOf({ ...own, program: undefined }, { run: 'r' })).toEqual({ ...base, run: 'r' });
    expect(tagsOfPipeline(own)).toEqual([
      { name: 'namespace', value: 'etl' },
      { name: 'app', value: 'orders' },
    ]);
  });
});

describe('the name of a pipeline', () => {
  it.each([
    ['orders', { namespace: 'etl', name: 'orders' }],
    ['sales/orders', { namespace: 'sales', name: 'orders' }],
  ])('%s', (text, name) => {
    expect(parsePipelineName(text, 'etl')).toEqual(name);
  });

  it.each(['', '/a', 'a/', 'a/b/c', 'x/'.repeat(50)])('is not %j', async (text) => {
    expect(await failure(Promise.resolve().then(() => parsePipelineName(text, 'etl')))).toEqual({
      ...{ code: 'USAGE', message: `${JSON.stringify(text.slice(0, 80))} is not a pipeline` },
      hints: ['use NAME or NAMESPACE/NAME'],
    });
  });
});

describe('stages', () => {
  it.each([
    ['{"stages":[{"name":"b"},{"name":"a"},{"name":"b"}]}', ['b', 'a']],
    ['{"stages":[{"name":7}]}', undefined],
    ['{}', undefined],
    ['{', undefined],
    [undefined, undefined],
  ])('of the configuration %s', (configuration, stages) => {
    expect(stagesOf({ ...(configuration !== undefined && { configuration }) })).toEqual(stages);
  });

  it('are found in the names of what they count', () => {
    const metrics = [
      ...['user.z.records.in', 'user.b c.d.records.out', 'user.y.records.error', 'user.x.process.time.avg'],
      ...[
        'user.w.records.alert',
        'user.v.process.time.max',
        'system.u.records.in',
        'user..records.in',
        'user.records.in',
      ],
      ...['user.a.connector.records.in', 'user.q.connector.records.in', 'user.t.records.inx', 'xuser.s.records.in'],
    ];
    expect(stagesIn(metrics, ['b', 'a'])).toEqual(['b', 'a', 'b c.d', 'q.connector', 'x', 'y', 'z']);
    expect(stagesIn(['user.a.records.in'])).toEqual(['a']);
  });

  it('have names for what they may count', () => {
    const counts = [
      ...['records.in', 'records.out', 'records.error', 'records.alert', 'process.time.total', 'process.time.avg'],
      ...['process.time.min', 'process.time.max', 'process.time.stddev', 'aggregator.groups', 'joiner.keys'],
    ];
    expect(stageMetrics(['a', 'b'])).toEqual(
      ['a', 'b'].flatMap((stage) => counts.map((name) => `user.${stage}.${name}`)),
    );
  });
});

describe('the numbers of a query', () => {
  const time = { start: '1', end: '2' };
  const series = (metricName: string, grouping = {}) => ({
    metricName,
    grouping,
    data: [{ time: 1, value: 2, more: 3 }],
  });
  const ask = (json: object, wanted: object = {}) => {
    const { platform, asked } = platformWith({ 'POST /v3/metrics/query': { json } });
    const all = { tags: { app: 'x' }, metrics: ['b', 'a', 'b'], groupBy: [], time: undefined, ...wanted };
    return { read: readSeries(all, platform, NEVER), asked };
  };
  const result = (startTime: number, endTime: number, ...all: readonly object[]) => ({
    ...{ startTime, endTime, resolution: 60, series: all },
  });

  it('are asked for once each, and come in the order in which they were asked for', async () => {
    const json = { q0: result(5, 9, series('z'), series('a'), series('b', { run: '2' }), series('b', { run: '1' })) };
    const { read, asked } = ask(json, { groupBy: ['run', 'run'], time });
    const { series: all, ...times } = await read;
    expect([all.map((one) => `${one.metricName} ${groupText(one)}`.trim()), times]).toEqual([
      ['b run=1', 'b run=2', 'a', 'z'],
      { startTime: 5, endTime: 9 },
    ]);
    expect(all[0]).toEqual({
      metricName: 'b',
      grouping: { run: '1' },
      resolution: '60s',
      data: [{ time: 1, value: 2 }],
    });
    const query = { q0: { tags: { app: 'x' }, metrics: ['b', 'a'], groupBy: ['run'], timeRange: time } };
    expect(asked).toEqual([`POST /v3/metrics/query ${JSON.stringify(query)}`]);
  });

  it('are asked for two hundred at a time, and cover the time of all answers', async () => {
    const metrics = Array.from({ length: 201 }, (_, at) => `m${at}`);
    const { read, asked } = ask({ q0: result(5, 9, series('m7')), q200: result(3, 8, series('m200')) }, { metrics });
    expect(await read).toMatchObject({
      startTime: 3,
      endTime: 9,
      series: [{ metricName: 'm7' }, { metricName: 'm200' }],
    });
    expect(asked[0]).toContain('"q200":{"tags":{"app":"x"},"metrics":["m200"],"timeRange":{"aggregate":"true"}}');
    const one = ask({ q0: result(1, 2) }, { metrics: metrics.slice(0, 200) });
    await one.read;
    expect(one.asked[0]).not.toContain('q200');
  });

  it('are not asked for where there are none', async () => {
    const { read, asked } = ask({}, { metrics: [] });
    expect([await read, asked]).toEqual([{ series: [], startTime: 0, endTime: 0 }, []]);
  });

  it('are an error where only some came', async () => {
    expect(await failure(ask({}).read)).toEqual({
      ...{ code: 'BAD_ANSWER', message: 'the platform returned only some of the requested metrics' },
    });
  });

  it.each([
    [2_147_483_647, 'total'],
    ['2147483647s', 'total'],
    ['2147483647', 'total'],
    [3600, '3600s'],
    ['60', '60s'],
    ['60s', '60s'],
    ['x60', 'x60'],
    ['60x', '60x'],
  ])('have the resolution %j: %s', (resolution, text) => {
    expect(resolutionText(resolution)).toBe(text);
  });

  it('are added up over time, and named by their group in conditions', () => {
    const data = [
      { time: 1, value: 2 },
      { time: 2, value: '3' },
    ];
    const all = [
      { metricName: 'a', grouping: { run: 'r', spark: 's' }, resolution: 'total', data },
      { metricName: 'b', grouping: {}, resolution: 'total', data },
    ];
    expect([sumOf({ data }), sumOf({ data: [] })]).toEqual([5, 0]);
    const conditions = ['a>4', 'a>5', 'b>4', 'c<1', 'c>0'].map((text) => parseCondition(text, 'x>0'));
    expect(heldConditions(conditions, all)).toEqual([
      { condition: 'a>4', found: ['a is 5 for run=r,spark=s'] },
      { condition: 'b>4', found: ['b is 5'] },
      { condition: 'c<1', found: ['c is 0'] },
    ]);
  });
});

describe('a gate that would always be green', () => {
  const options = {
    ...{ pipeline: { namespace: 'etl', name: 'orders' }, metrics: [], run: undefined, groupBy: [], time: undefined },
    gate: '--fail-if',
  };
  const gate = (tags: readonly { readonly name: string; readonly value: string }[], ...texts: readonly string[]) => {
    const conditions = texts.map((text) => parseCondition(text, 'x>0'));
    return failure(readMetrics({ ...options, tags, conditions }, fakePlatform({}).platform, NEVER));
  };
  const LIST = { next: 'list-metrics', pipeline: 'etl/orders' };

  it('is refused with the metrics that do not exist', async () => {
    const target = { namespace: 'etl', pipeline: 'orders', metric: 'x.y' };
    expect(await gate([], 'x.y>0')).toEqual({
      ...{ code: 'NOT_FOUND', message: '--fail-if: pipeline "orders" has no metric "x.y"', hints: [LIST], target },
    });
    expect(await gate([], 'x.y>0', 'system.app.log.eror>0')).toEqual({
      ...{ code: 'NOT_FOUND', message: '--fail-if: pipeline "orders" has no metrics x.y, system.app.log.eror', target },
      hints: ['Did you mean "system.app.log.error"?', LIST],
    });
  });

  it.each([
    [[], 'pipeline "orders", which may never have run'],
    [[{ name: 'run', value: '*' }], 'tag run=*'],
    [
      [
        { name: 'run', value: '*' },
        { name: 'spark', value: 'p' },
      ],
      'tag run=* tag spark=p',
    ],
  ])('is refused where nothing was counted for %j', async (tags, what) => {
    expect(await gate(tags, 'system.app.log.error>0')).toEqual({
      ...{ code: 'NOT_FOUND', message: `--fail-if: no data for ${what}` },
      hints: [{ next: 'list-metric-tags', namespace: 'etl', pipeline: 'orders' }],
      target: { namespace: 'etl', pipeline: 'orders' },
    });
  });
});
