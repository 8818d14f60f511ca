import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import { runToEnd } from '../pipeline-run.js';
import {
  detailOf,
  differences,
  GENERATIONS,
  makePipeline,
  oddText,
  openUpgradeSite,
  pipelineOf,
  surroundings,
  through,
  upgrade,
  uploadPlugin,
  type Detail,
  type Generation,
  type Schedule,
  type UpgradeItem,
  type UpgradeSite,
} from './upgrade-site.js';

// A run takes up to a minute when the platform is cold.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const GONE = /Plugin named 'Gone' of type 'transform' not found/u;
const DAILY = { schedule: '0 3 * * *' };
/** What the plugin JavaScript of the system wants of its stage. */
const SCRIPT = { script: 'function transform(input, emitter, context) { emitter.emit(input); }' };
const PIPELINES = ['orders', 'clicks', 'ticks', 'loose', 'gone'];

const states = ({ pipelines }: UpgradeItem): Record<string, string> =>
  Object.fromEntries(pipelines.map(({ name, state }) => [name, state]));

/** The requests of the tool that change something; asking for the statuses of programs is a POST. */
const changes = ({ proxy, namespace }: UpgradeSite): readonly string[] =>
  proxy
    .writes()
    .map((write) => write.replace(`/v3/namespaces/${namespace}`, ''))
    .filter((write) => write !== 'POST /status')
    .sort();

/** A schedule of its own that is on, one more that is on and one that is off, preferences and runtime arguments. */
async function furnish({ call }: UpgradeSite, name: string): Promise<void> {
  const path = `/apps/${name}/schedules`;
  const [own] = await call<Schedule[]>('GET', path);
  for (const added of ['extra', 'idle']) await call('PUT', `${path}/${added}`, { ...own, name: added });
  for (const active of ['dataPipelineSchedule', 'extra']) await call('POST', `${path}/${active}/resume`);
  await call('PUT', `/apps/${name}/preferences`, { colour: 'blue' });
  await call('PUT', `/apps/${name}/workflows/DataPipelineWorkflow/runtimeargs`, { day: 'monday' });
}

/** Starts a run and waits until the platform tells of it; gives what becomes of it. */
async function startRun(site: UpgradeSite, name: string): Promise<{ readonly end: Promise<string> }> {
  const end = runToEnd(site, name);
  end.catch(() => undefined);
  await vi.waitFor(async () => {
    const { status } = await site.call<{ status: string }>(
      'GET',
      `/apps/${name}/workflows/DataPipelineWorkflow/status`,
    );
    expect(status).not.toBe('STOPPED');
  }, 120_000);
  return { end };
}

async function makePipelines(site: UpgradeSite): Promise<void> {
  const { generation } = site;
  for (const plugin of ['Gone', 'Loose']) await uploadPlugin(site, plugin, '1.0.0');
  const orders = pipelineOf(generation, 'orders', DAILY);
  await makePipeline(site, 'orders', orders, oddText(orders, generation.old[1]));
  await makePipeline(site, 'clicks', pipelineOf(generation, 'clicks', DAILY));
  await makePipeline(site, 'ticks', pipelineOf(generation, 'ticks', { schedule: '* * * * *' }));
  for (const plugin of ['Gone', 'Loose']) {
    const name = plugin.toLowerCase();
    await makePipeline(site, name, through(pipelineOf(generation, name, DAILY), plugin));
  }
  await uploadPlugin(site, 'Loose', '1.1.0');
  for (const name of ['gone', 'loose']) await site.call('DELETE', `/artifacts/${name}/versions/1.0.0`);
  await furnish(site, 'orders');
}

/** What is expected of a configuration: the versions of the plugins of the platform, and no other byte. */
const withVersions = (configuration: string, { old, now }: Generation): string =>
  configuration.replace(
    /("name":\s*"core-plugins",\s*"version":\s*")([\d.]+)(?=")/gu,
    (text, front: string, version: string) => (version === old[1] ? front + now[1] : text),
  );

/** The configuration that was sent over a pipeline, as the platform reads it from the request. */
function sentOver({ proxy, namespace, generation }: UpgradeSite, name: string): string | undefined {
  const bodies = proxy.requests.flatMap(({ method, path, body }) =>
    method === 'PUT' && path === `/v3/namespaces/${namespace}/apps/${name}` ? [body ?? ''] : [],
  );
  expect(bodies).toHaveLength(1);
  const [body = ''] = bodies;
  if (generation.keepsText) return (JSON.parse(body) as { config: string }).config;
  return /"config":(.*)\}$/su.exec(body)?.[1];
}

describe.each(GENERATIONS)('an upgrade on a real platform $platform', (generation) => {
  const it = base.skipIf(generation.url === '');
  let site: UpgradeSite;
  let failed: string;
  let before: ReadonlyMap<string, Detail>;
  let around: Readonly<Record<string, unknown>>;
  let done: UpgradeItem;
  let ended: number;
  let inFlight: Awaited<ReturnType<typeof startRun>>;

  const index = async (): Promise<readonly Record<string, string>[]> =>
    (JSON.parse(await readFile(join(failed, 'index.json'), 'utf8')) as { files: Record<string, string>[] }).files;

  beforeAll(async () => {
    site = await openUpgradeSite(generation);
    failed = join(site.home, 'failed');
    await mkdir(failed);
    await makePipelines(site);
    before = new Map(await Promise.all(PIPELINES.map(async (name) => [name, await detailOf(site, name)] as const)));
    around = await surroundings(site, 'orders');
  });
  afterAll(() => site.close());

  it('is judged before: what is gone is blocked, what is lost is risky, and nothing is written', async () => {
    const { pipelines } = await upgrade(site, 11, '--check');
    expect(Object.fromEntries(pipelines.map(({ name, verdict }) => [name, verdict]))).toEqual({
      orders: 'safe',
      clicks: 'safe',
      ticks: 'safe',
      loose: 'risky',
      gone: 'blocked',
    });
    expect(changes(site)).toEqual([]);
  });

  it('does all but the blocked one, which it keeps in a folder with the verdict', async () => {
    inFlight = await startRun(site, 'clicks');
    await site.call('POST', '/apps/ticks/schedules/dataPipelineSchedule/resume');
    site.proxy.forget();
    done = await upgrade(site, 10, '-e', failed);
    ended = Date.now();
    expect(states(done)).toEqual({
      orders: 'upgraded',
      clicks: 'upgraded',
      ticks: 'upgraded',
      loose: 'upgraded',
      gone: 'blocked',
    });
    expect(done.pipelines.find(({ name }) => name === 'loose')).toMatchObject({
      verdict: 'risky',
      detail: 'stage "pass": property "colour" is unknown in loose 1.1.0 and is ignored',
    });
    expect(done.pipelines.find(({ name }) => name === 'clicks')).toMatchObject({
      running: true,
      detail: 'is running; the new version applies from the next start',
    });
    expect(changes(site)).toEqual(['clicks', 'loose', 'orders', 'ticks'].map((name) => `PUT /apps/${name}`));
    expect(await index()).toMatchObject([
      {
        file: `${site.namespace}-gone.json`,
        pipeline: 'gone',
        stage: 'pass',
        message: expect.stringContaining('no version of gone (user scope) is available') as string,
      },
    ]);
    expect(await detailOf(site, 'gone')).toEqual(before.get('gone'));
  });

  it('sends back what it read but for the versions, byte for byte, and the platform shows just that', async () => {
    for (const name of ['orders', 'clicks', 'ticks']) {
      const { configuration } = before.get(name) ?? { configuration: '' };
      const expected = withVersions(configuration, generation);
      expect(sentOver(site, name), name).toBe(expected);
      const after = await detailOf(site, name);
      expect(after.artifact.version).toBe(generation.now[0]);
      expect(after.configuration, name).toBe(expected);
      const stages = done.pipelines.find((one) => one.name === name)?.changes ?? [];
      expect(differences(JSON.parse(configuration), JSON.parse(after.configuration))).toEqual(
        stages.map((_, at) => `/stages/${at}/plugin/artifact/version "${generation.old[1]}" -> "${generation.now[1]}"`),
      );
    }
  });

  it('leaves schedules, preferences and runtime arguments as they were', async () => {
    expect(around).toMatchObject({
      schedules: [
        { name: 'dataPipelineSchedule', status: 'SCHEDULED' },
        { name: 'extra', status: 'SCHEDULED' },
        { name: 'idle', status: 'SUSPENDED' },
      ],
      preferences: { colour: 'blue' },
      runtimeArguments: { day: 'monday' },
    });
    expect(await surroundings(site, 'orders')).toEqual(around);
  });

  it('leaves pipelines that run to COMPLETED, also by their schedule, and a run in progress to its end', async () => {
    const byHand = Promise.all(['orders', 'loose'].map((name) => runToEnd(site, name)));
    const path = '/apps/ticks/workflows/DataPipelineWorkflow/runs';
    await vi.waitFor(
      async () => {
        const runs = await site.call<{ start: number }[]>('GET', path);
        expect(runs.some(({ start }) => start * 1000 >= ended)).toBe(true);
      },
      { timeout: 600_000, interval: 500 },
    );
    await site.call('POST', '/apps/ticks/schedules/dataPipelineSchedule/suspend');
    await vi.waitFor(
      async () => {
        const runs = await site.call<{ status: string }[]>('GET', path);
        expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
      },
      { timeout: 600_000, interval: 500 },
    );
    expect(await byHand).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await inFlight.end).toBe('COMPLETED');
  });

  it('has nothing to do a second time, and writes nothing', async () => {
    site.proxy.forget();
    const again = await upgrade(site, 0, '--exclude', 'gone');
    expect(again.summary).toMatchObject({ total: 4, current: 4 });
    expect(again).not.toHaveProperty('journal');
    expect(changes(site)).toEqual([]);
  });

  it('sends a blocked one when forced, and keeps what the platform said', async () => {
    site.proxy.forget();
    expect(states(await upgrade(site, 10, '-p', 'gone', '--force', '-e', failed))).toEqual({ gone: 'failed' });
    expect(changes(site)).toEqual(['PUT /apps/gone']);
    expect(await index()).toMatchObject([{ pipeline: 'gone', serverSaid: expect.stringMatching(GONE) as string }]);
    const kept = await readFile(join(failed, `${site.namespace}-gone.json`), 'utf8');
    await expect(site.call('PUT', '/apps/gone', kept)).rejects.toThrow(GONE);
    expect(await detailOf(site, 'gone')).toEqual(before.get('gone'));
  });

  if (generation.drops !== undefined)
    it('is left to the platform on request; what it moved and dropped is told', async () => {
      // The system has a plugin of that name and type, too, and of a higher version.
      await uploadPlugin(site, 'JavaScript', '1.0.0');
      const plain = pipelineOf(generation, 'served', { ...DAILY, description: 'mine' });
      const request = generation.movesPlugins ? through(plain, 'JavaScript', SCRIPT) : plain;
      await makePipeline(site, 'served', request, oddText(request, generation.old[1]));
      await furnish(site, 'served');
      const [old, near] = [await detailOf(site, 'served'), await surroundings(site, 'served')];
      site.proxy.forget();
      const item = await upgrade(site, 0, '-p', 'served', '--engine', 'server');
      expect(states(item)).toEqual({ served: 'upgraded' });
      expect(changes(site)).toEqual(['POST /apps/served/upgrade']);
      const { artifact, configuration } = await detailOf(site, 'served');
      expect(artifact.version).toBe(generation.now[0]);
      const newest = { name: 'core-plugins', version: generation.now[1], scope: 'SYSTEM' };
      expect(JSON.parse(configuration)).toMatchObject({
        stages: Array.from(request.config.stages, () => ({ plugin: { artifact: newest } })),
      });
      expect(configuration).not.toContain('__ui__');
      const [{ changes: told, notes } = { changes: [], notes: [] }] = item.pipelines;
      expect(told.map(({ stage, from, to }) => [stage, from, to])).toEqual(
        request.config.stages.map(({ name, plugin }) => [name, plugin.artifact.version, generation.now[1]]),
      );
      const moved = `the platform moved it from javascript 1.0.0 to core-plugins ${generation.now[1]} SYSTEM`;
      if (generation.movesPlugins) expect(notes).toContainEqual({ stage: 'pass', message: moved });
      const dropped = notes.map(({ message }) => message.replace(/ (?:is gone|has another value)$/u, ''));
      expect(dropped).toEqual(expect.arrayContaining([...(generation.drops ?? [])]));
      expect(dropped.includes('description')).toBe(generation.drops?.includes('description'));
      expect(await surroundings(site, 'served')).toEqual(near);
      site.proxy.forget();
      expect(await upgrade(site, 0, '-p', 'served', '--engine', 'server')).toMatchObject({ summary: { current: 1 } });
      expect(changes(site)).toEqual([]);
      const back = await site.cdapctl('upgrade', 'rollback', item.journal ?? '', '-y', '-u', site.proxy.url, '--json');
      expect(back.code, back.stderr).toBe(0);
      expect(await detailOf(site, 'served')).toMatchObject({
        configuration: old.configuration,
        artifact: old.artifact,
      });
      expect(await surroundings(site, 'served')).toEqual(near);
    });

  if (generation.platform === '6.1.1')
    it('is not left to a platform that cannot do it', async () => {
      site.proxy.forget();
      const run = await site.cdapctl('upgrade', '-u', site.proxy.url, '-n', site.namespace, '--engine', 'server');
      expect(run).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('platform 6.1.1 does not support --engine server') as string,
      });
      expect(changes(site)).toEqual([]);
    });

  it('is taken back but for what somebody changed since, and what the platform no longer takes', async () => {
    await site.call('PUT', '/apps/clicks', pipelineOf(generation, 'clicks', { description: 'changed by hand' }));
    const changed = await detailOf(site, 'clicks');
    const sources = await surroundings(site, 'orders');
    site.proxy.forget();
    const run = await site.cdapctl('upgrade', 'rollback', done.journal ?? '', '-y', '-u', site.proxy.url, '--json');
    expect(run.code, run.stderr).toBe(10);
    const { item } = JSON.parse(run.stdout) as { item: UpgradeItem };
    expect(states(item)).toEqual({ orders: 'rolled-back', ticks: 'rolled-back', clicks: 'failed', loose: 'failed' });
    const details = item.pipelines.map(({ name, detail = '' }) => [name, detail] as const);
    expect(Object.fromEntries(details)).toMatchObject({
      clicks: 'pipeline clicks was changed by someone else since the upgrade; it is not rolled back',
      loose: expect.stringMatching(/Plugin named 'Loose' of type 'transform' not found/u) as string,
    });
    expect(changes(site)).toEqual(['loose', 'orders', 'ticks'].map((name) => `PUT /apps/${name}`));
    for (const name of ['orders', 'ticks']) {
      const { configuration, artifact } = before.get(name) ?? { configuration: '', artifact: { version: '' } };
      expect(sentOver(site, name)).toBe(configuration);
      expect(await detailOf(site, name)).toMatchObject({ configuration, artifact });
    }
    expect(await detailOf(site, 'clicks')).toEqual(changed);
    expect(await surroundings(site, 'orders')).toEqual(sources);
    expect(await runToEnd(site, 'orders')).toBe('COMPLETED');
  });
});
