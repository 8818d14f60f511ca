import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import { callPlatform } from './site.js';
import { runToEnd } from './pipeline-run.js';
import { GENERATIONS, makePipeline, openUpgradeSite, pipelineOf, type UpgradeSite } from './upgrade/upgrade-site.js';

// A run takes up to a minute when the platform is cold.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

interface Point {
  readonly time: number;
  readonly value: number;
}
interface Series {
  readonly metricName: string;
  readonly grouping: Readonly<Record<string, string>>;
  readonly data: readonly Point[];
}
interface Answer {
  readonly startTime: number;
  readonly endTime: number;
  readonly series: readonly Series[];
}
interface Stage {
  readonly stage: string;
  readonly recordsIn?: number;
  readonly recordsOut?: number;
  readonly errors: number;
  readonly processTimeAvgMicros?: number;
}
interface Document<T> {
  readonly items: readonly T[];
  readonly startTime: number;
  readonly endTime: number;
  readonly error?: { readonly code: string };
}

const WORKFLOW = { workflow: 'DataPipelineWorkflow' };
const COUNTS = {
  recordsIn: 'records.in',
  recordsOut: 'records.out',
  errors: 'records.error',
  processTimeAvgMicros: 'process.time.avg',
  total: 'process.time.total',
} as const;

describe.each(GENERATIONS)('metrics on a real platform $platform', (generation) => {
  const it = base.skipIf(generation.url === '');
  let site: UpgradeSite;
  let runs: readonly string[];
  let stages: readonly string[];

  beforeAll(async () => {
    if (generation.url === '') return;
    site = await openUpgradeSite(generation);
    const request = pipelineOf(generation, 'orders', {});
    stages = request.config.stages.map(({ name }) => name);
    await makePipeline(site, 'orders', request);
    // One after the other: both write to the same place.
    for (const run of ['first', 'second']) {
      if (run === 'second') await makePipeline(site, 'orders', pipelineOf(generation, 'orders', {}));
      expect(await runToEnd(site, 'orders'), run).toBe('COMPLETED');
    }
    const path = '/apps/orders/workflows/DataPipelineWorkflow/runs';
    runs = (await site.call<{ runid: string }[]>('GET', path)).map(({ runid }) => runid);
    // What was counted last is there a moment after the run has ended.
    await vi.waitFor(
      async () => {
        const { series } = await asked({ ...WORKFLOW, run: runs[0] }, [`user.${stages.at(-1) ?? ''}.records.in`]);
        expect(series[0]?.data[0]?.value).toBeGreaterThan(0);
      },
      { timeout: 300_000, interval: 500 },
    );
  });
  afterAll(() => (generation.url === '' ? undefined : site.close()));

  /** The platform's own answer to a query about the pipeline. */
  async function asked(tags: object, metrics: readonly string[], more: object = {}): Promise<Answer> {
    const query = { tags: { namespace: site.namespace, app: 'orders', ...tags }, metrics, ...more };
    return (await callPlatform<{ query: Answer }>(`${generation.url}/v3/metrics/query`, 'POST', { query })).query;
  }

  async function told<T>(code: number, ...args: readonly string[]): Promise<Document<T>> {
    const run = await site.cdapctl('metrics', ...args, '-u', site.proxy.url, '-n', site.namespace, '--json');
    expect(run.code, `${run.stderr}${run.stdout}`).toBe(code);
    return JSON.parse(run.stdout) as Document<T>;
  }

  const inOrder = (series: readonly Series[]): readonly Series[] =>
    series.toSorted((a, b) =>
      JSON.stringify([a.metricName, a.grouping]) < JSON.stringify([b.metricName, b.grouping]) ? -1 : 1,
    );

  it('are the numbers of every stage, of all runs and of each run', async () => {
    for (const [flags, tags] of [
      [[], {}],
      ...runs.map((run) => [['--run', run], { ...WORKFLOW, run }] as const),
    ] as const) {
      const { items } = await told<Stage>(0, 'get', 'orders', ...flags);
      expect(items.map(({ stage }) => stage)).toEqual(stages);
      const names = stages.flatMap((stage) => Object.values(COUNTS).map((count) => `user.${stage}.${count}`));
      const { series } = await asked(tags, names);
      const value = (name: string): number | undefined =>
        series.find(({ metricName }) => metricName === name)?.data[0]?.value;
      for (const item of items) {
        expect(item.recordsOut).toBeGreaterThan(0);
        const own = (count: keyof typeof COUNTS): number | undefined => value(`user.${item.stage}.${COUNTS[count]}`);
        expect([item.recordsIn, item.recordsOut]).toEqual([own('recordsIn'), own('recordsOut')]);
        const average = (own('total') ?? 0) / (own('recordsIn') ?? own('recordsOut') ?? 0);
        expect(item.processTimeAvgMicros).toBe(
          'run' in tags ? own('processTimeAvgMicros') : Math.round(average * 10) / 10,
        );
        expect(item.errors).toBe(own('errors'));
      }
    }
  });

  it('by run are those of the runs of the pipeline, and add up to its total', async () => {
    const name = `user.${stages[0] ?? ''}.records.out`;
    const { items } = await told<Series>(0, 'get', 'orders', name, '--group-by', 'run');
    expect(items.map(({ grouping }) => grouping['run']).toSorted()).toEqual(runs.toSorted());
    const total = await told<Series>(0, 'get', `${site.namespace}/orders`, name);
    const sum = items.reduce((all, { data }) => all + (data[0]?.value ?? 0), 0);
    expect(total.items[0]?.data).toEqual([{ time: 0, value: sum }]);
  });

  it('over time have the points that the platform has', async () => {
    const names = stages.map((stage) => `user.${stage}.records.in`);
    for (const resolution of ['1s', '1m', '1h']) {
      const shown = await told<Series>(0, 'get', 'orders', ...names, '--start', 'now-3h', '--resolution', resolution);
      const timeRange = { start: String(shown.startTime), end: String(shown.endTime), resolution };
      const { series } = await asked({}, names, { timeRange });
      const plain = shown.items.map(({ metricName, grouping, data }) => ({ metricName, grouping, data }));
      expect(inOrder(plain)).toEqual(inOrder(series));
      expect(series.length).toBeGreaterThan(0);
    }
  });

  it('have the names and the tags that the platform finds', async () => {
    const tags = `namespace:${site.namespace}&tag=app:orders`;
    const search = (target: string, tag: string): Promise<unknown[]> =>
      callPlatform(`${generation.url}/v3/metrics/search?target=${target}&tag=${tag}`, 'POST');
    const [run = ''] = runs;
    for (const [flags, tag] of [
      [[], tags],
      [['--run', 'latest'], `${tags}&tag=workflow:DataPipelineWorkflow&tag=run:${run}`],
    ] as const) {
      const { items } = await told<{ name: string }>(0, 'list', 'orders', ...flags);
      expect(items.map(({ name }) => name)).toEqual(((await search('metric', tag)) as string[]).toSorted());
    }
    const { items } = await told(0, 'tags', `namespace=${site.namespace}`, 'app=orders');
    expect(items).toEqual(expect.arrayContaining(await search('tag', tags)));
  });

  it('gate', async () => {
    const [first = ''] = stages;
    await told(0, 'get', 'orders', '--run', 'latest', '--fail-if', `user.${first}.records.error>0`);
    expect((await told(11, 'top', 'orders', '--fail-if', `user.${first}.records.out>0`)).error?.code).toBe('GATE');
    await told(5, 'get', 'orders', '--fail-if', `user.${first}.record.error>0`);
  });

  it('of unknown tags and wrong times are refused before anything is sent', async () => {
    const before = site.proxy.requests.length;
    await told(2, 'get', 'orders', 'user.x', '--tag', 'nope=1');
    await told(2, 'get', 'orders', 'user.x', '--start', 'now', '--end', 'now-1h');
    await told(2, 'get', 'orders', 'user.x', '--start', 'now-1h', '--resolution', '5m');
    expect(site.proxy.requests.length).toBe(before);
  });
});
