import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test as base, vi } from 'vitest';
import type { Platform } from '../../src/emulator/store/generation.js';
import { appHub, shopJar } from '../support/sites/app-hub.js';
import { writeHubTree } from '../support/sites/hub-tree.js';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.js';
import { callPlatform, installJson, trustHub, withNamespace, type Install } from './site.js';

/** Each platform, and whose JARs it takes. */
const PLATFORMS = (
  [
    ['6.11.0', '6.11.0', 'CDAPCTL_CONTRACT_URL'],
    ['6.4.1', '6.11.0', 'CDAPCTL_CONTRACT_URL_6_4'],
    ['6.1.1', '6.1.1', 'CDAPCTL_CONTRACT_URL_6_1'],
    ['4.3.5', '4.3.5', 'CDAPCTL_CONTRACT_URL_4_3'],
  ] as const satisfies readonly (readonly [string, Platform, string])[]
).map(([version, platform, name]) => [version, platform, (process.env[name] ?? '').replace(/\/+$/u, '')] as const);
const NOTHING: string[] = [];
/** A schedule that an administrator adds; it fires at no time that a test meets. */
const YEARLY = {
  name: 'yearly',
  program: { programType: 'WORKFLOW', programName: 'Nightly' },
  trigger: { type: 'TIME', cronExpression: '0 0 1 1 *' },
};

interface App {
  readonly name: string;
  readonly artifact: { readonly name: string; readonly version: string };
}

interface Site {
  readonly namespace: string;
  readonly home: string;
  readonly proxy: RecordingProxy;
  readonly install: (what: string, code: number, ...flags: readonly string[]) => Promise<Install>;
  readonly call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

const state = ({ item }: Install): unknown => [item?.state, ...(item?.actions ?? []).map((action) => action.state)];

/** A namespace of a platform that one case owns, and a home that trusts the hub of the application. */
async function withSite(platform: Platform, url: string, use: (site: Site) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'cdapctl-apps-'));
  const proxy = await startRecordingProxy(url);
  try {
    const { files, publicKey, fingerprint } = await appHub(platform);
    await writeHubTree(join(home, 'hub'), files);
    const keyFile = join(home, 'key.asc');
    await writeFile(keyFile, publicKey);
    await trustHub(home, 'apps', join(home, 'hub'), { keyFile, fingerprint });
    await withNamespace(url, async (namespace) => {
      const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
        callPlatform(`${url}/v3/namespaces/${namespace}${path}`, method, body);
      const install = async (what: string, code: number, ...flags: readonly string[]): Promise<Install> => {
        const { run, document } = await installJson(home, proxy.url, [`apps/${what}`, '-n', namespace, '-y', ...flags]);
        expect(run.code, `${run.stderr}${run.stdout}`).toBe(code);
        return document;
      };
      await use({ namespace, home, proxy, install, call });
    });
  } finally {
    await proxy.close();
    await rm(home, { recursive: true, force: true });
  }
}

const applications = async ({ call }: Site): Promise<readonly string[]> =>
  (await call<App[]>('GET', '/apps')).map(({ name, artifact }) => `${name} ${artifact.name} ${artifact.version}`);

/** Starts the workflow of the application and waits for the end of its run. */
async function runToEnd({ call }: Site): Promise<void> {
  await call('POST', '/apps/Shop/workflows/Nightly/start');
  await vi.waitFor(
    async () => {
      const runs = await call<{ status: string }[]>('GET', '/apps/Shop/workflows/Nightly/runs');
      expect(runs.map(({ status }) => status)).toEqual(['COMPLETED']);
    },
    { timeout: 600_000, interval: 500 },
  );
}

describe.each(PLATFORMS)('applications on a real platform %s', (version, platform, url) => {
  const it = base.skipIf(url === '');

  it('are deployed from the JAR of the package and run; a second install writes nothing', () =>
    withSite(platform, url, async (site) => {
      expect(state(await site.install('shop@1.0.0', 0))).toEqual(['installed', 'done']);
      expect(site.proxy.writes()).toEqual([`POST /v3/namespaces/${site.namespace}/apps`]);
      expect(await applications(site)).toEqual(['Shop shop 1.0.0']);
      await runToEnd(site);
      site.proxy.forget();
      expect(state(await site.install('shop@1.0.0', 0))).toEqual(['already-present', 'already-present']);
      await site.install('shop@1.0.0', 0, '--again');
      expect(site.proxy.requests).not.toEqual([]);
      expect(site.proxy.writes()).toEqual(NOTHING);
    }));

  it('are deployed from a JAR of the user and run', () =>
    withSite(platform, url, async (site) => {
      const jar = join(site.home, 'shop-1.5.0.jar');
      await writeFile(jar, shopJar(platform));
      expect(await site.install('shop-ask', 2)).toMatchObject({ error: { code: 'INPUT_MISSING' } });
      expect(site.proxy.writes()).toEqual(NOTHING);
      expect(state(await site.install('shop-ask', 0, '--jar', `1=${jar}`))).toEqual(['installed', 'done']);
      expect(await applications(site)).toEqual(['Shop shop 1.5.0']);
      await runToEnd(site);
    }));

  it('are not deployed where their artifact is there without one, until it is deleted', () =>
    withSite(platform, url, async (site) => {
      await site.install('shop@1.0.0', 0);
      await site.call('DELETE', '/apps/Shop');
      site.proxy.forget();
      expect(await site.install('shop@1.0.0', 6)).toMatchObject({ error: { code: 'CONFLICT' } });
      expect(site.proxy.writes()).toEqual(NOTHING);
      await site.call('DELETE', '/artifacts/shop/versions/1.0.0');
      expect(state(await site.install('shop@1.0.0', 0))).toEqual(['installed', 'done']);
    }));

  it('are deployed over by another release, once, and keep their schedules where the platform can', () =>
    withSite(platform, url, async (site) => {
      await site.install('shop@1.0.0', 0);
      await site.call('PUT', '/apps/Shop/schedules/yearly', YEARLY);
      await site.call('POST', '/apps/Shop/schedules/yearly/resume');
      site.proxy.forget();
      expect(await site.install('shop@2.0.0', 0)).toMatchObject({
        item: { actions: [{ effect: 'overwrite application Shop (made from shop 1.0.0)' }] },
      });
      expect(site.proxy.writes()).toEqual([`POST /v3/namespaces/${site.namespace}/apps`]);
      expect(await applications(site)).toEqual(['Shop shop 2.0.0']);
      const schedules = await site.call<{ name: string; status: string }[]>('GET', '/apps/Shop/schedules');
      const kept = version === '6.11.0' ? ['yearly SCHEDULED'] : NOTHING;
      expect(schedules.map(({ name, status }) => `${name} ${status}`)).toEqual(kept);
      expect(await site.install('shop@1.0.0', 6)).toMatchObject({ error: { code: 'CONFLICT' } });
    }));

  it('may be snapshots, which are deployed again only when the journal does not know them', () =>
    withSite(platform, url, async (site) => {
      await site.install('shop@3.0.0', 0);
      site.proxy.forget();
      expect(state(await site.install('shop@3.0.0', 0))).toEqual(['already-present', 'already-present']);
      expect(site.proxy.writes()).toEqual(NOTHING);
      expect(state(await site.install('shop@3.0.0', 0, '--again'))).toEqual(['installed', 'done']);
      expect(await applications(site)).toEqual(['Shop shop 3.0.0-SNAPSHOT']);
      await runToEnd(site);
    }));

  it.each([
    ['shop-other', 'needs the class'],
    ['shop-no-app', '400'],
  ])('leave nothing behind when the platform refuses them: %s', (name, words) =>
    withSite(platform, url, async (site) => {
      const refused = await site.install(name, 11);
      expect(refused).toMatchObject({ item: { state: 'failed' }, error: { code: 'REMOTE_FAILED' } });
      expect(refused.error?.message).toContain(words);
      expect(await site.call('GET', '/artifacts?scope=user')).toEqual([]);
      expect(await applications(site)).toEqual([]);
    }),
  );
});
