import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import { openAppSite } from '../../support/sites/app-hub.js';
import type { Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { DEPTH } from '../depth.js';
import { itIsFinished, killAt, sendsOf, undisturbedRun, type KillCase, type Scene } from '../kill.js';

const SCHEDULE = {
  name: 'hourly',
  program: { programType: 'WORKFLOW', programName: 'Nightly' },
  trigger: { type: 'TIME', cronExpression: '0 * * * *' },
};

/** A platform with what an earlier install made, and the command for the next one; `afterDeploy` is what the platform does besides. */
async function sceneOf(
  platform: Platform,
  before: readonly string[],
  what: string,
  prepare: (site: Site) => Promise<void> = async () => undefined,
  afterDeploy: (site: Site) => Promise<unknown> = async () => undefined,
): Promise<Scene> {
  const site = await openAppSite(platform);
  for (const earlier of before) {
    // From another machine: the journal of this one knows nothing of it.
    const { code, stderr } = await site.cdapctl(site.line([earlier, '-y', '--verify', 'off']), {
      home: `${site.home}/elsewhere`,
    });
    expect(code, stderr).toBe(0);
  }
  await prepare(site);
  await site.forget();
  const proxy = await startStallingProxy(site.url, async (method, path) => {
    if (method === 'POST' && path.endsWith('/apps')) await afterDeploy(site);
  });
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: site.line([what, '-y', '--json']),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

async function stateOf(site: Site): Promise<unknown> {
  const made = async (path: string): Promise<unknown> => {
    const list = await site.call<{ name: string; version: string; artifact?: unknown }[]>('GET', path);
    return list.map(({ name, artifact, version }) => [name, artifact ?? version]);
  };
  return {
    artifacts: await made('/artifacts?scope=user'),
    applications: await made('/apps'),
    versions: (await site.call<unknown[]>('GET', '/apps/Shop/versions')).length,
    schedules: await site.schedules('Shop'),
  };
}

/** A platform that has an older release whose schedule is at work, and that suspends it with the deploy of the next one, as some do. */
async function withSchedule(): Promise<Scene> {
  const act = (site: Site, verb: string): Promise<unknown> => site.call('POST', `/apps/Shop/schedules/hourly/${verb}`);
  const atWork = async (site: Site): Promise<void> => {
    await site.call('PUT', '/apps/Shop/schedules/hourly', SCHEDULE);
    await act(site, 'resume');
  };
  return sceneOf('6.11.0', ['shop@1.0.0'], 'shop@2.0.0', atWork, (site) => act(site, 'suspend'));
}

const DEPLOY = 'POST /v3/namespaces/default/apps';
const RESUME = 'POST /v3/namespaces/default/apps/Shop/schedules/hourly/resume';

const ALWAYS = [
  ['of a release', () => sceneOf('6.11.0', [], 'shop@1.0.0'), [DEPLOY], 1],
  ['over an application with a schedule', withSchedule, [DEPLOY, RESUME], 2],
] as const;
const SOMETIMES = [
  ['of a release on 4.3.5', () => sceneOf('4.3.5', [], 'shop@1.0.0'), [DEPLOY], 1],
  ['over an application on 6.1.1', () => sceneOf('6.1.1', ['shop@1.0.0'], 'shop@2.0.0'), [DEPLOY], 1],
  ['of a snapshot again', () => sceneOf('6.11.0', ['shop@3.0.0'], 'shop@3.0.0'), [DEPLOY], 2],
] as const;

describe.each(DEPTH !== 'sample' ? [...ALWAYS, ...SOMETIMES] : ALWAYS)(
  'a deploy %s that is killed',
  (_, scene, sends, versions) => {
    itIsFinished({
      tried: { scene, stateOf },
      judge: (undisturbed) => {
        expect(undisturbed.sends.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(sends);
        const schedules = sends.length === 2 ? ['hourly SCHEDULED'] : [];
        expect(undisturbed.state).toMatchObject({ versions, schedules });
      },
    });
  },
);

const deploys = async (site: Site): Promise<number> => (await sendsOf({}, site)).length;

describe('a deploy of a snapshot again where versions are not counted', () => {
  it('is not repeated blindly after a kill at its answer: 16, and --again', async () => {
    const tried: KillCase = { scene: () => sceneOf('6.1.1', ['shop@3.0.0'], 'shop@3.0.0'), stateOf };
    const { requests } = await undisturbedRun(tried);
    const n = requests.findIndex((request) => request.startsWith('POST ')) + 1;
    const scene = await tried.scene();
    const { site, proxy, words } = scene;
    await killAt(scene, { n, stall: 'unanswered' });
    void proxy.arm();
    const { code, stdout } = await site.cdapctl(words);
    expect(code, stdout).toBe(16);
    expect(await deploys(site)).toBe(1);
    expect((await site.cdapctl([...words, '--again'])).code).toBe(0);
    await scene.close();
  });
});

const LOST = { match: { method: 'POST', path: '/apps$' } };
const shop = ['shop@1.0.0', '-y'] as const;

describe('an answer to a deploy that is lost', () => {
  it.for([
    ['6.11.0', 'reset', 'after', 1],
    ['6.11.0', 'cut', 'after', 1],
    ['6.11.0', 'status', 'after', 1],
    ['6.11.0', 'reset', 'before', 2],
    ['6.11.0', 'status', 'before', 2],
    ['4.3.5', 'reset', 'after', 1],
    ['4.3.5', 'reset', 'before', 2],
  ] as const)('on %s, %s %s the effect: read back, sent %i time(s)', async ([platform, kind, when, times]) => {
    const site = await openAppSite(platform);
    await site.fail({ ...LOST, kind, when });
    expect((await site.install(...shop)).item?.state).toBe('installed');
    expect(await deploys(site)).toBe(times);
    expect(await site.call('GET', '/apps/Shop/versions')).toHaveLength(1);
    await site.forget();
    expect((await site.install(...shop)).item?.state).toBe('already-present');
    expect(await deploys(site)).toBe(0);
    await site.close();
  });

  it('and cannot be read back is 16, and the next run finds it done', async () => {
    const site = await openAppSite();
    const proxy = await startStallingProxy(site.url, async (method) => {
      if (method !== 'POST') return;
      const reads = { method: 'GET', path: '/(?:apps|artifacts)' };
      await site.fail({ match: reads, kind: 'status', status: 500, when: 'before', times: 99 });
      throw new Error('the answer is lost');
    });
    site.through = proxy.url;
    void proxy.arm();
    const { error, item } = await site.install(...shop);
    expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
    expect(item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
    await site.heal();
    expect((await site.install(...shop)).item?.state).toBe('already-present');
    expect(await deploys(site)).toBe(1);
    await proxy.close();
    await site.close();
  });

  it('twice, without an effect to be seen: 16, and the next run deploys', async () => {
    const site = await openAppSite();
    await site.fail({ ...LOST, kind: 'reset', when: 'before', times: 2 });
    expect((await site.install(...shop)).error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
    expect(await deploys(site)).toBe(2);
    expect((await site.install(...shop)).item?.state).toBe('installed');
    await site.close();
  });
});
