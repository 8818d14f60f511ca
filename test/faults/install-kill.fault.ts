import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, sampleHub, type Site } from '../support/install-site.js';
import { environmentOf, STARTER } from '../support/run-cli.js';
import { startStallingProxy, type Stall, type StallingProxy, type StallPoint } from '../support/stalling-proxy.js';

/** `all` runs every request of the install in every way; the sample is every write before and after its effect, and a few reads. */
const POINTS = process.env['CDAPCTL_KILL_POINTS'] === 'all' ? 'all' : 'sample';
const STALLS: readonly Stall[] = ['unsent', 'unanswered', 'half'];
const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };

interface Scene {
  readonly site: Site;
  readonly proxy: StallingProxy;
  readonly words: readonly string[];
  close(): Promise<void>;
}

interface State {
  readonly artifacts: readonly unknown[];
  readonly configuration: string;
  readonly versions: number;
  readonly schedules: readonly string[];
}

/** A platform that has the pipeline of the package already, older and with its schedule at work; whatever deploys it suspends that schedule, as some platforms do. */
async function scene(): Promise<Scene> {
  const site = await openSite();
  await site.pin(await sampleHub());
  const { files } = await sampleHub();
  const jar = files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '';
  const older = files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString('utf8');
  await site.call('PUT', '/apps/OrderImport', { artifact: BATCH, config: older });
  await site.call('POST', '/apps/OrderImport/schedules/dataPipelineSchedule/resume');
  await site.forget();
  const proxy = await startStallingProxy(site.url, async (method, path) => {
    if (method === 'PUT' && path.endsWith('/apps/OrderImport'))
      await site.call('POST', '/apps/OrderImport/schedules/dataPipelineSchedule/suspend');
  });
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: site.line(['example-order-import', '--jar', `2=${await site.file('driver.jar', jar)}`, '-y', '--json']),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

async function stateOf(site: Site): Promise<State> {
  const list = await site.call<{ name: string; version: string }[]>('GET', '/artifacts?scope=user');
  const artifacts = await Promise.all(
    list.map(({ name, version }) => site.call('GET', `/artifacts/${name}/versions/${version}`)),
  );
  return {
    artifacts: artifacts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    configuration: (await site.pipeline('OrderImport')).configuration,
    versions: (await site.call<unknown[]>('GET', '/apps/OrderImport/versions')).length,
    schedules: await site.schedules('OrderImport'),
  };
}

/** What reached the platform and had an effect, with the bodies. */
async function effects(site: Site): Promise<readonly string[]> {
  return (await site.requests())
    .filter(
      ({ method, status, headers }) =>
        method !== 'GET' && status === 200 && headers['user-agent']?.startsWith('cdapctl/'),
    )
    .map(({ method, path, headers, bodySha256, bytes }) => {
      // The parent version is another one in every scene.
      const body = path.endsWith('/apps/OrderImport') ? String(bytes) : bodySha256;
      return `${method} ${path} ${headers['artifact-version'] ?? ''} ${body}`;
    });
}

async function killAt({ site, proxy, words }: Scene, point: StallPoint): Promise<void> {
  const reached = proxy.arm(point);
  const child = spawn(process.execPath, [STARTER, ...words], {
    env: environmentOf(site.home),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await Promise.race([reached, ended]);
  expect(child.exitCode, 'the run ended before it was killed').toBe(null);
  child.kill('SIGKILL');
  await ended;
}

interface Undisturbed {
  readonly state: State;
  readonly effects: readonly string[];
  readonly requests: readonly string[];
}

let undisturbed: Undisturbed;

beforeAll(async () => {
  const calm = await scene();
  void calm.proxy.arm();
  const { code, stdout } = await calm.site.cdapctl(calm.words);
  expect(code, stdout).toBe(0);
  undisturbed = {
    state: await stateOf(calm.site),
    effects: await effects(calm.site),
    requests: [...calm.proxy.requests],
  };
  await calm.close();
});

/** The points to try, among the requests of an undisturbed run. */
function pointsOf(requests: readonly string[], which: 'all' | 'sample'): readonly StallPoint[] {
  const all = requests.flatMap((request, at) => STALLS.map((stall) => ({ n: at + 1, stall, request })));
  if (which === 'all') return all;
  const isKept = ({ n, stall, request }: (typeof all)[number]): boolean =>
    request.startsWith('GET ') ? stall === 'unsent' && n % 6 === 0 : stall !== 'half' || request.includes('/apps/');
  return all.filter(isKept);
}

describe('an install that is killed', () => {
  it('is judged by an undisturbed one that did what it should', () => {
    expect(undisturbed.effects.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'POST /v3/namespaces/default/artifacts/example-orders-driver',
      'POST /v3/namespaces/default/artifacts/example-order-tools',
      'PUT /v3/namespaces/default/artifacts/example-order-tools/versions/2.0.1/properties',
      'PUT /v3/namespaces/default/apps/OrderImport',
      'POST /v3/namespaces/default/apps/OrderImport/schedules/dataPipelineSchedule/resume',
    ]);
    expect(undisturbed.state).toMatchObject({ versions: 2, schedules: ['dataPipelineSchedule SCHEDULED'] });
  });

  it(
    `is finished by the same command, and nothing is applied twice (${POINTS} points)`,
    { timeout: 600_000 },
    async () => {
      const points = pointsOf(undisturbed.requests, POINTS);
      expect(points.length).toBeGreaterThan(12);
      const waiting = [...points];
      const worker = async (): Promise<void> => {
        for (let point = waiting.pop(); point !== undefined; point = waiting.pop()) await tryPoint(point);
      };
      await Promise.all([worker(), worker()]);
    },
  );
});

async function tryPoint(point: StallPoint): Promise<void> {
  const place = `request ${point.n} (${undisturbed.requests[point.n - 1] ?? ''}) ${point.stall}`;
  const disturbed = await scene();
  const { site, proxy, words } = disturbed;
  try {
    await killAt(disturbed, point);
    void proxy.arm();
    const { code, stdout } = await site.cdapctl(words);
    expect(code, `${place}: ${stdout}`).toBe(0);
    expect(await stateOf(site), place).toEqual(undisturbed.state);
    expect(await effects(site), place).toEqual(undisturbed.effects);
    void proxy.arm();
    await site.forget();
    expect((await site.cdapctl(words)).code, place).toBe(0);
    expect(await effects(site), `${place}: a third run`).toEqual([]);
  } finally {
    await disturbed.close();
  }
}

/** A platform that has the snapshot of the package from another machine, with its properties. */
async function snapshotScene(): Promise<Scene> {
  const site = await openSite();
  await site.pin(await sampleHub());
  const line = site.line(['example-early-metrics', '-y', '--json']);
  expect((await site.cdapctl(line, { home: `${site.home}/elsewhere` })).code).toBe(0);
  await site.forget();
  const proxy = await startStallingProxy(site.url);
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: site.line(['example-early-metrics', '-y', '--json']),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

describe('a replacement of a snapshot that is killed', () => {
  const NAME = '/v3/namespaces/default/artifacts/example-early-metrics';
  const WRITES = [`POST ${NAME}`, `PUT ${NAME}/versions/0.2.0-SNAPSHOT/properties`];
  const written = async (site: Site): Promise<readonly string[]> =>
    (await effects(site)).map((line) => line.split(' ').slice(0, 2).join(' '));

  it('is finished by the same command with one upload, wherever it was killed', async () => {
    const calm = await snapshotScene();
    void calm.proxy.arm();
    expect((await calm.site.cdapctl(calm.words)).code).toBe(0);
    expect(await written(calm.site)).toEqual(WRITES);
    const requests = [...calm.proxy.requests];
    await calm.close();
    const upload = requests.findIndex((request) => request.startsWith('POST '));
    expect(requests[upload - 1]).toMatch(/^GET .*example-early-metrics/u);
    const points = requests.flatMap((request, at) =>
      (request.startsWith('GET ') ? (['unsent'] as const) : (['unsent', 'unanswered'] as const)).map((stall) => ({
        n: at + 1,
        stall,
      })),
    );
    for (const point of points.filter(({ n }) => n >= upload)) {
      const disturbed = await snapshotScene();
      const { site, proxy, words } = disturbed;
      await killAt(disturbed, point);
      void proxy.arm();
      const { code, stdout } = await site.cdapctl(words);
      expect(code, `request ${point.n} ${point.stall}: ${stdout}`).toBe(0);
      expect(await written(site), `request ${point.n} ${point.stall}`).toEqual(WRITES);
      await disturbed.close();
    }
  });
});
