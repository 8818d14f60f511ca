import { expect, it } from 'vitest';
import { startCli } from '../../support/processes/running-cli.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';
import { openSettingsSite, type SettingsSite } from '../../support/sites/settings-site.js';
import { startStallingProxy, type StallingProxy } from '../../support/stalling-proxy.js';

const PATH = '/namespaces/dev/preferences';
const SET = ['preferences', 'set', '-n', 'dev', '--set', 'region=eu', '-y'];

interface Scene {
  readonly site: SettingsSite;
  readonly proxy: StallingProxy;
}

/** `act` is done once the preferences were read for the first time, before that is answered. */
async function withScene(use: (scene: Scene) => Promise<void>, act?: (site: SettingsSite) => Promise<unknown>) {
  const site = await openSettingsSite();
  let left = 1;
  const proxy = await startStallingProxy(site.emulator.url, async (method, path) => {
    if (method === 'GET' && path.endsWith(PATH) && left-- === 1) await act?.(site);
  });
  try {
    await site.call('PUT', PATH, { region: 'us' });
    await use({ site, proxy });
  } finally {
    await proxy.close();
    await site.close();
  }
}

it('P43: leaves a value that was set after the values were shown', () =>
  withScene(
    async ({ site, proxy }) => {
      const { code, stderr } = await runCli([...SET, '-u', proxy.url]);
      expect([code, stderr]).toEqual([6, expect.stringContaining('[CHANGED_MEANWHILE]')]);
      expect(stderr).toContain('region  us -> eu');
      expect(await site.call('GET', PATH)).toEqual({ region: 'ap' });
      expect(proxy.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    },
    (site) => site.call('PUT', PATH, { region: 'ap' }),
  ));

it('L26: sends nothing where Ctrl-C comes while the values are read once more', () =>
  withScene(async ({ site, proxy }) => {
    await withTempDir(async (home) => {
      const reached = proxy.arm({ n: 2, of: /^GET .*\/preferences$/u, stall: 'unsent' });
      const run = startCli([...SET, '-u', proxy.url], { home, env: {}, timeout: 20_000 });
      await Promise.race([reached, run.ended]);
      run.kill('SIGINT');
      expect((await run.ended).code, run.said()).toBe(130);
      expect(await site.call('GET', PATH)).toEqual({ region: 'us' });
      expect(proxy.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    });
  }));
