import { describe, expect, it } from 'vitest';
import { openSite, sampleHub, type Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { itIsFinished, killAt, sendsOf, type KillCase, type Scene } from '../kill.js';

const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };

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

async function stateOf(site: Site): Promise<unknown> {
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

const ORDERS: KillCase = {
  scene,
  stateOf,
  // The parent version is another one in every scene.
  contentOf: ({ path, bodySha256, bytes }) => (path.endsWith('/apps/OrderImport') ? String(bytes) : bodySha256),
};

describe('L24: an install that is killed', () => {
  itIsFinished({
    tried: ORDERS,
    judge: ({ sends, state, writes }) => {
      expect(sends.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
        'POST /v3/namespaces/default/artifacts/example-orders-driver',
        'POST /v3/namespaces/default/artifacts/example-order-tools',
        'PUT /v3/namespaces/default/artifacts/example-order-tools/versions/2.0.1/properties',
        'PUT /v3/namespaces/default/apps/OrderImport',
        'POST /v3/namespaces/default/apps/OrderImport/schedules/dataPipelineSchedule/resume',
      ]);
      expect(state).toMatchObject({ versions: 2, schedules: ['dataPipelineSchedule SCHEDULED'] });
      expect(writes.length).toBeGreaterThan(2 * 4 * 2);
    },
  });
});

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
    (await sendsOf({}, site)).map((line) => line.split(' ').slice(0, 2).join(' '));

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
