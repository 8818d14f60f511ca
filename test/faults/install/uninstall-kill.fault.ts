import { describe, expect, it } from 'vitest';
import { openAppSite } from '../../support/sites/app-hub.js';
import { openSite, sampleHub, type Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { itIsFinished, killAt, placeOf, type KillCase, type KillPoint, type Scene, type Undisturbed } from '../kill.js';

async function installOrders(site: Site): Promise<void> {
  const { files } = await sampleHub();
  const jar = files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '';
  const { code, stdout } = await site.install(
    'example-order-import',
    '--jar',
    `2=${await site.file('driver.jar', jar)}`,
    '-y',
  );
  expect(code, stdout).toBe(0);
}

/** A package of four actions that is installed, and a pipeline of somebody else that uses nothing of it. */
async function scene(): Promise<Scene> {
  const site = await openSite();
  await site.pin(await sampleHub());
  const proxy = await startStallingProxy(site.url);
  site.through = proxy.url;
  await installOrders(site);
  await site.call('PUT', '/apps/Mine', {
    artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
    config: (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString('utf8'),
  });
  await site.forget();
  return {
    site,
    proxy,
    words: ['installed', 'uninstall', 'example-order-import', '-u', proxy.url, '-y', '--json'],
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

async function stateOf(site: Site): Promise<unknown> {
  const named = async (path: string): Promise<readonly string[]> =>
    (await site.call<{ name: string; version: string }[]>('GET', path)).map(({ name }) => name).sort();
  return { artifacts: await named('/artifacts?scope=user'), applications: await named('/apps') };
}

const REMOVAL: KillCase = { scene, stateOf };
const ORDERS = [
  'DELETE /v3/namespaces/default/apps/OrderImport 200',
  'DELETE /v3/namespaces/default/artifacts/example-order-tools/versions/2.0.1 200',
  'DELETE /v3/namespaces/default/artifacts/example-orders-driver/versions/1.0.0 200',
];

/** Kills at a point, runs the same command to its end: everything is gone, nothing was removed twice, and the package can be installed again. */
async function expectRemoved(point: KillPoint, undisturbed: Undisturbed): Promise<void> {
  const place = placeOf(point, undisturbed);
  const killed = await scene();
  const { site, proxy, words } = killed;
  try {
    await killAt(killed, point);
    void proxy.arm();
    const { code, stdout } = await site.cdapctl(words);
    expect(code, `${place}: ${stdout}`).toBe(0);
    expect(await stateOf(site), place).toEqual(undisturbed.state);
    expect(await site.writes(), place).toEqual(ORDERS);
    const list = await site.cdapctl(['installed', 'list', '--json']);
    expect(JSON.parse(list.stdout), place).toMatchObject({ items: [] });
    await installOrders(site);
    expect(await stateOf(site), place).toEqual({
      artifacts: ['example-order-tools', 'example-orders-driver'],
      applications: ['Mine', 'OrderImport'],
    });
  } finally {
    await killed.close();
  }
}

describe('an uninstall that is killed', () => {
  itIsFinished({
    tried: REMOVAL,
    judge: ({ state, writes }) => {
      expect(state).toEqual({ artifacts: [], applications: ['Mine'] });
      expect(writes.length).toBeGreaterThan(2 * 7 - 1);
    },
    expectEnd: expectRemoved,
  });
});

describe('an uninstall of an application that is killed', () => {
  const SPACE = '/v3/namespaces/default';
  const SHOP = [`DELETE ${SPACE}/apps/Shop`, `DELETE ${SPACE}/artifacts/shop/versions/1.0.0`];

  it.each(SHOP.flatMap((request) => (['unsent', 'unanswered'] as const).map((stall) => ({ request, stall }))))(
    'at $request $stall is finished by the same command, and it can be installed again',
    { timeout: 120_000 },
    async ({ request, stall }) => {
      const site = await openAppSite();
      const proxy = await startStallingProxy(site.url);
      const words = ['installed', 'uninstall', 'shop', '-u', proxy.url, '-y', '--json'];
      try {
        site.through = proxy.url;
        const install = async (): Promise<void> => {
          expect((await site.install('shop@1.0.0', '-y')).code).toBe(0);
        };
        await install();
        void proxy.arm();
        // The requests of a run that ends are those of the run that is killed.
        expect((await site.cdapctl(words)).code).toBe(0);
        const n = proxy.requests.indexOf(request) + 1;
        void proxy.arm();
        await install();
        await site.forget();
        await killAt({ site, proxy, words, close: async () => undefined }, { n, stall });
        void proxy.arm();
        const { code, stdout } = await site.cdapctl(words);
        expect(code, stdout).toBe(0);
        expect(await site.writes()).toEqual(SHOP.map((line) => `${line} 200`));
        expect(await stateOf(site)).toEqual({ artifacts: [], applications: [] });
        await install();
      } finally {
        await proxy.close();
        await site.close();
      }
    },
  );
});

describe('an install that is killed', () => {
  it.each(['unsent', 'unanswered'] as const)(
    'claims what it made and no more: an upload %s, then an uninstall, then the install again',
    { timeout: 120_000 },
    async (stall) => {
      const site = await openSite();
      await site.pin(await sampleHub());
      const proxy = await startStallingProxy(site.url);
      try {
        site.through = proxy.url;
        const words = site.line(['example-trim-fields@1.10.0', '-y', '--json']);
        void proxy.arm();
        expect((await site.cdapctl([...words, '--dry-run'])).code).toBe(0);
        const before = proxy.requests.length;
        const install = async (): Promise<number> => {
          void proxy.arm();
          expect((await site.cdapctl(words, { home: `${site.home}/elsewhere` })).code).toBe(0);
          return proxy.requests.findIndex((request) => request.startsWith('POST ')) + 1;
        };
        const n = await install();
        expect(n).toBeGreaterThan(before - 2);
        await site.call('DELETE', '/artifacts/example-trim-fields/versions/1.10.0');
        await killAt({ site, proxy, words, close: async () => undefined }, { n, stall });
        void proxy.arm();
        await site.forget();
        const removal = ['installed', 'uninstall', 'example-trim-fields', '-u', proxy.url, '-y', '--json'];
        const { code, stdout } = await site.cdapctl(removal);
        expect(code, stdout).toBe(stall === 'unsent' ? 0 : 6);
        // What may be its own is not removed, and not forgotten.
        expect(await site.writes()).toEqual([]);
        const fate = stall === 'unsent' ? { state: 'gone' } : { state: 'left', reason: 'unsure' };
        expect(JSON.parse(stdout)).toMatchObject({ item: { items: [fate] } });
        expect((await site.cdapctl(words)).code).toBe(0);
        expect(JSON.parse((await site.cdapctl(removal)).stdout)).toMatchObject({ item: { state: 'removed' } });
      } finally {
        await proxy.close();
        await site.close();
      }
    },
  );
});
