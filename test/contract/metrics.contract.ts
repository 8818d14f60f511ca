import { describe, expect, vi } from 'vitest';
import { deployOrders, GENERATIONS, runOrders } from './ran.js';
import { casesOn, expectText, json, JSON_TYPE, NO_TYPE, type Answer, type Call } from './suite.js';

interface Result {
  readonly startTime: number;
  readonly endTime: number;
  readonly series: readonly {
    readonly metricName: string;
    readonly grouping: Readonly<Record<string, string>>;
    readonly data: readonly { readonly time: number; readonly value: number }[];
  }[];
  readonly resolution: string;
}

const LONG = 600_000;
const QUERY = '/v3/metrics/query';
const METRIC = 'user.src.records.out';
const asked = (call: Call, query: object): Promise<Answer> => call('POST', QUERY, { body: { q: query } });
const result = async (call: Call, query: object): Promise<Result> => {
  const { q } = json<{ q: Result }>(await asked(call, query));
  return q;
};
const total = ({ series }: Result): number | undefined => series[0]?.data[0]?.value;
const typed = (text: string): Answer => ({ status: 400, type: JSON_TYPE, text });

const CASES = GENERATIONS.map(([name, open]) => [name, casesOn(open)] as const);

describe.each(CASES)('metrics (%s)', (_, it) => {
  it('are searched with a target', async ({ call }) => {
    expect(await call('POST', '/v3/metrics/search')).toEqual(typed('Required target param is missing'));
    expect(await call('POST', '/v3/metrics/search?target=nope')).toEqual(typed('Unknown target param value: nope'));
    const path = '/v3/metrics/search?target=tag';
    expect(await call('GET', path)).toEqual({ status: 405, type: NO_TYPE, text: path });
    expect(json(await call('POST', '/v3/metrics/search?target=tag&tag=namespace:nope_nope&tag=app:nope'))).toEqual([]);
  });

  it('are asked for by name', async ({ call }) => {
    const text = 'Missing metrics parameter in the query';
    expectText(await asked(call, { tags: { namespace: 'default' } }), 400, text);
    expectText(await asked(call, { tags: { namespace: 'default' }, metrics: [] }), 400, text);
    expectText(await call('POST', `${QUERY}?tag=namespace:default`), 400, text);
    expect(await call('POST', QUERY)).toEqual(typed('Batch request with empty content'));
    expectText(await call('POST', QUERY, { body: '{"q"' }), 500, 'Internal error while querying for metrics');
    expect(json(await call('POST', QUERY, { body: [] }))).toEqual({});
    expect(json(await call('POST', QUERY, { body: {} }))).toEqual({});
  });

  it.for([
    [{ start: 'yesterday', end: 'now' }, 'invalid time format yesterday'],
    [{ start: 'yesterday' }, 'invalid time format yesterday'],
    [{ start: 'now-1h 5m', end: 'now' }, 'invalid time format now-1h 5m'],
    [{ start: 'now-1h' }, 'At least two of count/start/end parameters are required for time-range queries '],
    [{ end: 'now' }, 'At least two of count/start/end parameters are required for time-range queries '],
    [
      { start: 'now-1h', end: 'now', resolution: '5m' },
      'Resolution interval not supported, only 1 second, 1 minute and 1 hour resolutions are supported currently',
    ],
    [
      { start: 'now-1h', count: '0', resolution: '1m' },
      'Invalid metrics aggregation request, the limit must be greater than 0',
    ],
    [{ start: 'now-1h', count: 'x' }, 'For input string: "x"'],
    [{ start: '2000', end: '1000' }, 'The start time 2000 should not be larger than the end time 1000'],
    [{ aggregate: 'maybe' }, 'No enum constant io.cdap.cdap.api.dataset.lib.cube.AggregationOption.MAYBE'],
  ] as const)('are not looked for in the time %j', async ([timeRange, text], { call }) => {
    expectText(await asked(call, { tags: { namespace: 'default' }, metrics: [METRIC], timeRange }), 400, text);
  });

  it('are not found by a tag that nothing is counted by', async ({ call }) => {
    const cube =
      `aggregation=null, startTs=0, endTs=0, resolution=2147483647, limit=1, measurements={${METRIC}=SUM}, ` +
      'dimensionValues={nope=x}, groupByDimensions=[], interpolator=null';
    expectText(
      await asked(call, { tags: { nope: 'x' }, metrics: [METRIC] }),
      400,
      `There's no data aggregated for specified dimensions to satisfy the query: CubeQuery{${cube}}`,
    );
  });

  it('are not found by it between two times either', async ({ call }) => {
    const cube =
      `aggregation=null, startTs=1000, endTs=2000, resolution=1, limit=1001, measurements={${METRIC}=SUM}, ` +
      'dimensionValues={nope=x}, groupByDimensions=[], interpolator=null';
    const timeRange = { start: '1000', end: '2000', resolution: '1s' };
    expectText(
      await asked(call, { tags: { nope: 'x' }, metrics: [METRIC], timeRange }),
      400,
      `There's no data aggregated for specified dimensions to satisfy the query: CubeQuery{${cube}}`,
    );
  });

  it.for([
    [{ start: '1000000', end: '1000600' }, 1_000_000, 1_000_600, '1s'],
    [{ start: '1000000', end: '1000601' }, 1_000_000, 1_000_601, '60s'],
    [{ start: '1000000', end: '1036000' }, 1_000_000, 1_036_000, '60s'],
    [{ start: '1000000', end: '1036001' }, 1_000_000, 1_036_001, '3600s'],
    [{ start: 1_000_000, end: 1_000_100, resolution: 'auto' }, 1_000_000, 1_000_100, '1s'],
    [{ start: '1000000', count: '5' }, 1_000_000, 1_000_005, '1s'],
    [{ start: '1000000', count: '5', resolution: '1h' }, 1_000_000, 1_018_000, '3600s'],
    [{ end: '1000000', count: '5', resolution: '1m' }, 999_700, 1_000_000, '60s'],
  ] as const)('that are not there have no series, in the time %j', async ([time, start, end, unit], { call }) => {
    const query = { tags: { namespace: 'default', app: 'nope_nope' }, metrics: ['user.nope'], timeRange: time };
    expect(await result(call, query)).toEqual({ startTime: start, endTime: end, series: [], resolution: unit });
  });

  it('of a batch are refused together', async ({ call }) => {
    const good = { tags: { namespace: 'default' }, metrics: [METRIC] };
    const body = { good, bad: { ...good, timeRange: { start: 'never', end: 'now' } } };
    expectText(await call('POST', QUERY, { body }), 400, 'invalid time format never');
  });

  it('of a run are counted by its stages', { timeout: LONG }, async ({ call, space }) => {
    const { stages, innerType } = await deployOrders(call, space);
    const run = await runOrders(space);
    const app = { namespace: space.name, app: 'orders' };
    const [source, sink] = stages;
    const metrics = [`user.${source}.records.out`, `user.${sink}.records.in`];
    const counted = await vi.waitFor(
      async () => {
        const found = await result(call, { tags: app, metrics });
        expect(found.series.map(({ metricName }) => metricName).sort()).toEqual(metrics.toSorted());
        return found;
      },
      { timeout: 300_000, interval: 300 },
    );
    expect(counted).toMatchObject({ startTime: 0, resolution: '2147483647s' });
    const records = total(counted) ?? 0;
    expect(records).toBeGreaterThan(0);
    expect(counted.series.map(({ grouping, data }) => ({ grouping, data }))).toEqual(
      metrics.map(() => ({ grouping: {}, data: [{ time: 0, value: records }] })),
    );

    const workflow = { ...app, workflow: 'DataPipelineWorkflow' };
    const one = { metrics: [metrics[0]] };
    expect(total(await result(call, { tags: { ...workflow, run: run.runid }, ...one }))).toBe(records);
    expect((await result(call, { tags: { ...app, run: run.runid }, ...one })).series).toEqual([]);
    const grouped = await result(call, { tags: { ...workflow, run: '*' }, ...one, groupBy: ['run'] });
    expect(grouped.series).toMatchObject([{ grouping: { run: run.runid } }]);
    const byRun = await result(call, { tags: { ...app, run: '*' }, ...one, groupBy: ['run'] });
    const inner = innerType === 'SPARK' ? [{ grouping: { run: run.properties['phase-1'] } }] : [];
    expect(byRun.series).toMatchObject(inner);

    const minutes = await result(call, {
      tags: app,
      ...one,
      timeRange: { start: 'now-1h', end: 'now', resolution: '1m' },
    });
    expect(minutes.resolution).toBe('60s');
    const points = minutes.series.flatMap(({ data }) => data);
    expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(records);
    expect(points.filter(({ time }) => time % 60 !== 0)).toEqual([]);
    const query = `tag=namespace:${space.name}&tag=app:orders&metric=${metrics[0] ?? ''}`;
    expect(total(json<Result>(await call('POST', `${QUERY}?${query}&aggregate=true`)))).toBe(records);
    expect((await result(call, { tags: app, metrics: [`user.${source}.records.error`] })).series).toEqual([]);

    const search = (target: string, more = ''): string =>
      `/v3/metrics/search?target=${target}&tag=namespace:${space.name}&tag=app:orders${more}`;
    expect(json<string[]>(await call('POST', search('metric')))).toEqual(
      expect.arrayContaining([...metrics, `user.${sink}.process.time.total`, 'system.app.log.info']) as string[],
    );
    expect(json(await call('POST', search('tag')))).toEqual(
      expect.arrayContaining([
        { name: innerType.toLowerCase(), value: 'phase-1' },
        { name: 'workflow', value: 'DataPipelineWorkflow' },
      ]) as object[],
    );
    const completed = { tags: app, metrics: ['system.program.completed.runs'], groupBy: ['program'] };
    await vi.waitFor(
      async () => {
        const { series } = await result(call, completed);
        expect(series.map(({ grouping, data }) => [grouping['program'], data[0]?.value]).sort()).toEqual([
          ['DataPipelineWorkflow', 1],
          ['phase-1', 1],
        ]);
      },
      { timeout: 300_000, interval: 300 },
    );
    expect(json(await call('POST', search('tag', '&tag=workflow:DataPipelineWorkflow')))).toEqual(
      expect.arrayContaining([{ name: 'run', value: run.runid }]) as object[],
    );
  });
});
