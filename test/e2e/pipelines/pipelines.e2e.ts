import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';

interface Run {
  readonly runid: string;
  readonly status: string;
  readonly starting: number;
  readonly startingAt: string;
  readonly end?: number;
  readonly runtimeArgs?: Readonly<Record<string, string>>;
}
interface Pipeline {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly artifact: { readonly version: string };
  readonly program: { readonly type: string };
  readonly status: string;
  readonly lastRun?: Run;
  readonly schedule?: { readonly nextRunAt: string };
}

const itemsOf = ({ stdout }: RunResult): readonly Pipeline[] => (JSON.parse(stdout) as { items: Pipeline[] }).items;
const linesOf = ({ stdout }: RunResult): readonly string[] => stdout.trimEnd().split('\n');

describe.each(['6.11.0', '6.1.1'] as const)('pipelines of %s', (platform) => {
  let emulator: RunningEmulator;

  beforeAll(async () => {
    const seed = { pipelines: [{ count: 40 }], runs: { count: 6000 } };
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
  });

  afterAll(async () => {
    await emulator.close();
  });

  const pipeline = (...args: readonly string[]): Promise<RunResult> =>
    runCli(['pipeline', ...args, '-u', emulator.url]);
  const ask = async (path: string): Promise<unknown> => (await fetch(`${emulator.url}/v3/namespaces/${path}`)).json();
  const runsPath = (name: string): string => `etl/apps/${name}/workflows/DataPipelineWorkflow/runs`;

  it('are listed with what the platform says of each', async () => {
    const items = itemsOf(await pipeline('list', '-A', '--json'));
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['batch', 'realtime']));
    expect(new Set(items.map(({ namespace }) => namespace)).size).toBeGreaterThan(2);
    const ran = items.filter(({ namespace, kind }) => namespace === 'etl' && kind === 'batch');
    expect(ran.length).toBeGreaterThan(3);
    for (const { name, lastRun, status, artifact } of ran) {
      const [newest] = (await ask(`${runsPath(name)}?limit=1`)) as Run[];
      expect(lastRun).toMatchObject({ runid: newest?.runid, status: newest?.status, starting: newest?.starting });
      expect(Date.parse(lastRun?.startingAt ?? '')).toBe((newest?.starting ?? 0) * 1000);
      const told = (await ask(`etl/apps/${name}/workflows/DataPipelineWorkflow/status`)) as { status: string };
      expect(status).toBe(told.status);
      const app = (await ask(`etl/apps/${name}`)) as { artifact: { version: string } };
      expect(artifact.version).toBe(app.artifact.version);
    }
    const planned = items.filter(({ schedule }) => schedule !== undefined);
    // The older one has no list of starts to come (docs/platform.md 8.2).
    expect(planned.length > 0).toBe(platform === '6.11.0');
  });

  it('are listed by name, and say their namespace where the line names none', async () => {
    const { stdout, stderr } = await pipeline('list', '-o', 'wide', '--no-headers');
    const names = linesOf({ stdout } as RunResult).map((line) => line.split(' ', 1)[0] ?? '');
    expect(names).toEqual([...names].sort());
    expect(stderr).toContain('namespace default; -A for all');
    expect((await pipeline('list', '-n', 'default', '-o', 'wide')).stderr).toBe('');
    const none = await pipeline('list', '-n', 'default', '-p', 'nope*');
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'no pipelines found\n']);
    expect(JSON.parse((await pipeline('list', '-p', 'nope*', '--json')).stdout)).toMatchObject({ items: [] });
  });

  it('are refused outside of a namespace on the line', async () => {
    const { code, stderr } = await pipeline('show', 'etl/orders', '-n', 'default');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('pipeline etl/orders is not in the selected namespace default'),
    ]);
  });

  it('are asked for in bulk, however many there are', async () => {
    await fetch(`${emulator.url}/emulator/requests`, { method: 'DELETE' });
    expect(linesOf(await pipeline('list', '-n', 'default', '-o', 'name')).length).toBeGreaterThan(40);
    const log = await (await fetch(`${emulator.url}/emulator/requests`)).text();
    const asked = log
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path: string }).path.replace(/\?.*/u, ''));
    const about = asked.filter((path) => path.startsWith('/v3/namespaces/default/'));
    expect(about.sort()).toEqual(
      ['apps', 'nextruntime', 'runs', 'status'].map((path) => `/v3/namespaces/default/${path}`),
    );
  });

  it('are selected by kind, status, pattern and version', async () => {
    const all = itemsOf(await pipeline('list', '-A', '--json'));
    const names = async (...flags: readonly string[]): Promise<readonly string[]> =>
      linesOf(await pipeline('list', '-A', '-o', 'name', ...flags));
    const those = (keep: (one: Pipeline) => boolean): readonly string[] =>
      all.filter(keep).map(({ namespace, name }) => `${namespace}/${name}`);
    expect(await names('--kind', 'realtime')).toEqual(those(({ kind }) => kind === 'realtime'));
    const failed = those(({ lastRun }) => lastRun?.status === 'FAILED');
    expect(failed.length).toBeGreaterThan(0);
    expect(await names('--status', 'failed')).toEqual(failed);
    expect(await names('-p', 'etl/*')).toEqual(those(({ namespace }) => namespace === 'etl'));
    const [{ artifact: { version } } = { artifact: { version: '' } }] = all;
    expect(await names('--artifact-version', version)).toEqual(those(({ artifact }) => artifact.version === version));
  });

  it.each([
    ['list', '-A'],
    ['runs', 'etl/mails-load'],
  ])('refuse a status that there is not, and write numbers into csv: %s %s', async (...line) => {
    const wrong = await pipeline(...line, '--status', 'COMPLETED,FAILD');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('"FAILD" is not a status');
    expect(wrong.stderr).toContain('FAILED');
    const [head = '', ...rows] = (await pipeline(...line, '--status', 'COMPLETED', '-o', 'csv')).stdout.split('\r\n');
    const at = head.split(',').indexOf('durationSeconds');
    const lengths = rows.filter((row) => row !== '').map((row) => row.split(',')[at]);
    expect(lengths.length).toBeGreaterThan(0);
    expect(lengths.filter((length) => !/^\d+$/u.test(length ?? ''))).toEqual([]);
  });

  it('have runs, newest first, all of them once, whatever the pages', async () => {
    const told = ((await ask(`${runsPath('mails-load')}?limit=5000`)) as Run[]).map(({ runid }) => runid);
    expect(told.length).toBeGreaterThan(20);
    const ids = async (...flags: readonly string[]): Promise<readonly string[]> =>
      linesOf(await pipeline('runs', 'etl/mails-load', '-o', 'name', ...flags));
    expect(await ids()).toEqual(told.slice(0, 20));
    expect(await ids('--all-pages')).toEqual(told);
    const failed = ((await ask(`${runsPath('mails-load')}?limit=5000&status=failed`)) as Run[]).map(
      ({ runid }) => runid,
    );
    expect(failed.length).toBeGreaterThan(2);
    expect(await ids('--status', 'FAILED', '--limit', '2')).toEqual(failed.slice(0, 2));
  });

  it('are shown with stages, schedules and the last run', async () => {
    const { stdout, code } = await pipeline('show', 'etl/mails-load', '--json');
    expect(code).toBe(0);
    const { item } = JSON.parse(stdout) as { item: Pipeline & { stages: { name: string }[] } };
    const { configuration } = (await ask('etl/apps/mails-load')) as { configuration: string };
    const { stages } = JSON.parse(configuration) as { stages: { name: string }[] };
    expect(item.stages.map(({ name }) => name)).toEqual(stages.map(({ name }) => name));
    const [newest] = (await ask(`${runsPath('mails-load')}?limit=1`)) as Run[];
    expect(item.lastRun?.runid).toBe(newest?.runid);
    expect((await pipeline('show', 'etl/mails-load', '--config')).stdout).toBe(`${configuration}\n`);
  });

  it('say what they do, with a gate', async () => {
    const stopped = await pipeline('status', 'etl/mails-load', '--expect', 'STOPPED');
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringMatching(/mails-load +etl +batch +STOPPED/u)]);
    const gate = await pipeline('status', 'etl/mails-load', '--expect', 'RUNNING', '--json');
    expect(gate.code).toBe(11);
    expect(JSON.parse(gate.stdout)).toMatchObject({ error: { code: 'GATE' }, item: [{ status: 'STOPPED', runs: [] }] });
  });

  it('that are not there are named with those that may be meant', async () => {
    const missing = await pipeline('show', 'etl/mails-lod');
    expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('mails-load')]);
    expect((await pipeline('list', '-n', 'nope')).code).toBe(5);
  });
});
