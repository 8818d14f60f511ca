import { describe, expect, it } from 'vitest';
import { withEmulator } from './emulator.js';

interface Result {
  readonly series: readonly {
    readonly metricName: string;
    readonly grouping: Readonly<Record<string, string>>;
    readonly data: readonly { readonly time: number; readonly value: number }[];
  }[];
}
interface Listed {
  readonly namespace: string;
  readonly application: { readonly name: string };
  readonly program: string;
  readonly run: string;
  readonly status: string;
}

const NOW = Date.UTC(2026, 10, 21, 20);
const SECOND = NOW / 1000;
const seeded = (count: number) => ({ now: () => NOW, seed: { runs: { count } } }) as const;
const post = async <T>(url: string, query: string, body?: object): Promise<T> => {
  const sent = { method: 'POST', body: body === undefined ? null : JSON.stringify(body) };
  return (await (await fetch(`${url}/v3/metrics/${query}`, sent)).json()) as T;
};
const asked = async (url: string, query: object): Promise<Result> =>
  (await post<{ q: Result }>(url, 'query', { q: query })).q;
const values = ({ series }: Result): number[] => series.flatMap(({ data }) => data.map(({ value }) => value));
const sum = (result: Result): number => values(result).reduce((total, value) => total + value, 0);

describe('metrics of generated runs', () => {
  it('of a pipeline are those of its runs together, however they are asked for', async () => {
    await withEmulator(async ({ url }) => {
      const tags = { namespace: 'default', app: 'orders-load', workflow: 'DataPipelineWorkflow' };
      const metrics = ['user.source.records.out'];
      const all = sum(await asked(url, { tags, metrics }));
      expect(all).toBeGreaterThan(0);
      const byRun = await asked(url, { tags, metrics, groupBy: ['run'] });
      expect(byRun.series.length).toBeGreaterThan(5);
      expect(sum(byRun)).toBe(all);
      const hours = { start: String(SECOND - 40 * 86_400), end: String(SECOND), resolution: '1h' };
      const series = await asked(url, { tags, metrics, timeRange: hours });
      expect(sum(series)).toBe(all);
      const [run = ''] = byRun.series.map(({ grouping }) => grouping['run']);
      const one = byRun.series.find(({ grouping }) => grouping['run'] === run);
      expect(values(await asked(url, { tags: { ...tags, run }, metrics }))).toEqual([one?.data[0]?.value]);
    }, seeded(2000));
  });

  it('say as many ended runs as the dashboard', async () => {
    await withEmulator(async ({ url }) => {
      const window = `start=0&duration=${SECOND}&namespace=etl`;
      const runs = (await (await fetch(`${url}/v3/dashboard?${window}`)).json()) as Listed[];
      for (const status of ['completed', 'failed', 'killed']) {
        const metrics = [`system.program.${status}.runs`];
        const wanted = runs.filter((run) => run.status === status.toUpperCase()).length;
        expect(sum(await asked(url, { tags: { namespace: 'etl' }, metrics }))).toBe(wanted);
      }
    }, seeded(1500));
  });

  it('lose on the way what its errors are', async () => {
    await withEmulator(async ({ url }) => {
      const tags = { namespace: 'default' };
      const of = async (name: string): Promise<number> => sum(await asked(url, { tags, metrics: [name] }));
      const errors = await of('user.project.records.error');
      expect(errors).toBeGreaterThan(0);
      expect((await of('user.project.records.in')) - (await of('user.project.records.out'))).toBe(errors);
      expect(await of('user.table.records.in')).toBe(await of('user.project.records.out'));
    }, seeded(2000));
  });

  it('are filled up between points when that is asked for', async () => {
    await withEmulator(async ({ url }) => {
      const tags = { namespace: 'default', app: 'orders-load' };
      const ask = async (more: object): Promise<Result> => {
        const timeRange = { start: String(SECOND - 28 * 86_400), end: String(SECOND), resolution: '1h', ...more };
        return asked(url, { tags, metrics: ['user.source.records.out'], timeRange });
      };
      const [plain, step, short] = await Promise.all([
        ask({}),
        ask({ interpolate: 'step' }),
        ask({ interpolate: 'linear', maxInterpolateGap: '1' }),
      ]);
      const [first, last] = [plain.series[0]?.data[0]?.time ?? 0, plain.series[0]?.data.at(-1)?.time ?? 0];
      expect(values(step)).toHaveLength((last - first) / 3600 + 1);
      expect(values(short)).toHaveLength(values(step).length);
      expect(sum(short)).toBe(sum(plain));
      expect(sum(step)).toBeGreaterThan(sum(plain));
      const thinned = await ask({ aggregate: 'SUM', count: '3' });
      expect(values(thinned)).toHaveLength(3);
      expect(sum(thinned)).toBe(sum(plain));
    }, seeded(2000));
  });

  it('are found by searching tag after tag', async () => {
    await withEmulator(async ({ url }) => {
      const next = (...tags: string[]): Promise<{ name: string; value: string }[]> =>
        post(url, `search?target=tag${tags.map((tag) => `&tag=${tag}`).join('')}`);
      expect(await next()).toContainEqual({ name: 'namespace', value: 'etl' });
      expect(await next('namespace:default')).toContainEqual({ name: 'app', value: 'orders-load' });
      expect(await next('namespace:default', 'app:orders-load')).toEqual([
        { name: 'profilescope', value: 'SYSTEM' },
        { name: 'spark', value: 'phase-1' },
        { name: 'workflow', value: 'DataPipelineWorkflow' },
      ]);
      const runs = await next('namespace:default', 'app:orders-load', 'spark:phase-1');
      expect(runs.length).toBeGreaterThan(2);
      expect(new Set(runs.map(({ name }) => name))).toEqual(new Set(['run']));
      expect(await next('nope:x')).toEqual([]);
    }, seeded(1000));
  });
});

describe('metrics of the report service', () => {
  const tags = { namespace: 'system', app: 'ReportGenerationApp' };
  const metrics = ['user.run.metadata.last.sync.time.millis', 'user.program.status.processed'];

  it.each([
    ['6.1.1', true, 2],
    ['6.1.1', false, 0],
    ['6.11.0', true, 0],
  ] as const)('on a platform %s, running: %s, have %i series', async (platform, running, count) => {
    await withEmulator(
      async ({ url }) => {
        const found = await asked(url, { tags, metrics });
        expect(found.series).toHaveLength(count);
        if (count > 0) expect(values(found)).toContain(NOW);
      },
      { platform, now: () => NOW, seed: { runs: { count: 100 }, reports: { running } } },
    );
  });
});
