import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import { runToEnd } from './pipeline-run.js';
import { GENERATIONS, makePipeline, openUpgradeSite, pipelineOf, type UpgradeSite } from './upgrade/upgrade-site.js';

// A run takes up to a minute when the platform is cold.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

interface Item {
  readonly pipeline: string;
  readonly type: string;
  readonly run?: string;
  readonly status?: string;
  readonly start: number;
  readonly running?: number;
  readonly end?: number;
}

interface Dashboard {
  readonly items: readonly Item[];
  readonly summary: Readonly<Record<string, number | null>>;
  readonly schedulesNotJudged: number | null;
}

interface RunRecord {
  readonly runid: string;
  readonly status: string;
  readonly starting: number;
  readonly start?: number;
  readonly end?: number;
}

const WORKFLOW = '/apps/orders/workflows/DataPipelineWorkflow';

describe.each(GENERATIONS)('a dashboard of a real platform $platform', (generation) => {
  const it = base.skipIf(generation.url === '');
  let site: UpgradeSite;

  const dashboard = async (...flags: readonly string[]): Promise<Dashboard> => {
    const window = ['--last', '1h', '--next', '3d'];
    const run = await site.cdapctl(
      'dashboard',
      '-u',
      site.proxy.url,
      '-n',
      site.namespace,
      ...window,
      ...flags,
      '--json',
    );
    expect(run.code, run.stderr).toBe(0);
    return JSON.parse(run.stdout) as Dashboard;
  };

  beforeAll(async () => {
    if (generation.url === '') return;
    site = await openUpgradeSite(generation);
    await makePipeline(site, 'orders', pipelineOf(generation, 'orders', { schedule: '17 3 * * *' }));
    await runToEnd(site, 'orders');
    await runToEnd(site, 'orders');
    await site.call('POST', '/apps/orders/schedules/dataPipelineSchedule/resume');
  });

  afterAll(async () => {
    if (generation.url !== '') await site.close();
  });

  it('has the runs that the list of the program has, with the same times and ends', async () => {
    const records = await site.call<RunRecord[]>('GET', `${WORKFLOW}/runs`);
    const { items, summary } = await dashboard();
    const runs = items.filter(({ run }) => run !== undefined);
    expect(records).toHaveLength(2);
    expect(new Set(runs.map(({ run, status, start, running, end }) => [run, status, start, running, end]))).toEqual(
      new Set(records.map(({ runid, status, starting, start, end }) => [runid, status, starting, start, end])),
    );
    // Two runs may meet in one output folder, where the platform lets the second one fail.
    const count = (wanted: string): number => records.filter(({ status }) => status === wanted).length;
    expect(summary).toMatchObject({ total: 2, completed: count('COMPLETED'), failed: count('FAILED') });
    expect(count('COMPLETED') + count('FAILED')).toBe(2);
  });

  it('has the coming starts of an active schedule, each once, from the next one on', async () => {
    const [next] = await site.call<{ time: number }[]>('GET', `${WORKFLOW}/nextruntime`);
    const coming = (await dashboard()).items.filter(({ run }) => run === undefined).map(({ start }) => start);
    const day = 86_400;
    const first = (next?.time ?? 0) / 1000;
    expect(coming).toEqual([first, first + day, first + 2 * day]);
  });

  it('counts programs inside a pipeline only when it is asked to', async () => {
    const { items } = await dashboard('--type', 'SPARK', '--type', 'MAPREDUCE');
    expect(items.map(({ type }) => type)).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/^(?:SPARK|MAPREDUCE)$/u) as string),
    );
  });

  it('knows whether it can tell what schedules missed', async () => {
    const { schedulesNotJudged, summary } = await dashboard();
    const known = generation.platform === '6.1.1' ? null : 0;
    expect([schedulesNotJudged, summary['missed']]).toEqual([known, known]);
    const place = ['-u', site.proxy.url, '-n', site.namespace];
    const gate = await site.cdapctl('dashboard', ...place, '--last', '1h', '--fail-if', 'missed>1000', '--json');
    expect(gate.code, gate.stderr).toBe(known === null ? 6 : 0);
  });
});
