import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import type { Site } from '../../support/sites/install-site.js';
import { startStallingProxy, type AtRequest } from '../../support/stalling-proxy.js';
import { impatient } from '../front.js';
import { DEPTH } from '../depth.js';
import { deploysOf, loseSchedules, named, oldOnes, openUpgradeSite, runUpgrade, upgradeState } from './upgrade-site.js';

const COUNT = 10;
const OLD = oldOnes(COUNT).map(named);
/** The pipeline that meets the fault; it has an active schedule. */
const HURT = named(5);
const OTHERS = OLD.filter((name) => name !== HURT);
const DEPLOY = `/apps/${HURT}$`;
const IMPATIENT = impatient(50).env;

const calm = new Map<Platform, Promise<unknown>>();

async function calmRun(platform: Platform): Promise<unknown> {
  const site = await openUpgradeSite(COUNT, platform);
  expect((await runUpgrade(site)).code).toBe(0);
  const state = await upgradeState(site);
  await site.close();
  return state;
}

/** What the pipelines are after an upgrade that met no fault. */
function calmState(platform: Platform): Promise<unknown> {
  const state = calm.get(platform) ?? calmRun(platform);
  calm.set(platform, state);
  return state;
}

interface Fault {
  readonly platform?: Platform;
  readonly fault?: (site: Site) => Promise<void>;
  readonly before?: (site: Site) => AtRequest;
  readonly after?: (site: Site) => AtRequest;
  readonly exit: number;
  /** How the pipeline that meets the fault ends; the others are upgraded. */
  readonly state: string;
  readonly says?: string;
  readonly code?: string;
  /** How often it is sent until the very end, and how often that had its effect. */
  readonly sent?: number;
  readonly applied?: number;
  /** The flag that goes on; `anew`: none. */
  readonly mend?: '--only-failed' | '--resume' | 'anew';
}

/** Runs an upgrade that meets a fault, goes on with it without, and compares with one that never met it. */
async function judgeUpgrade(fault: Fault): Promise<void> {
  const { platform = '6.11.0', exit, state, says, code, sent = 1, applied = 1, mend = '--only-failed' } = fault;
  const site = await openUpgradeSite(COUNT, platform);
  const proxy = await startStallingProxy(site.url, fault.after?.(site), fault.before?.(site));
  void proxy.arm();
  site.through = proxy.url;
  try {
    await fault.fault?.(site);
    const hurt = await runUpgrade(site, ['--concurrency', '4'], IMPATIENT);
    expect(hurt.code, JSON.stringify(hurt.error)).toBe(exit);
    expect(hurt.states[HURT]).toBe(state);
    expect(OTHERS.map((name) => hurt.states[name])).toEqual(OTHERS.map(() => 'upgraded'));
    if (code !== undefined) expect(hurt.error?.code).toBe(code);
    if (says !== undefined) expect(hurt.stdout).toContain(says);
    await site.heal();
    if (exit !== 0 || DEPTH !== 'sample') {
      const again = await runUpgrade(site, exit === 0 || mend === 'anew' ? [] : [mend], IMPATIENT);
      expect(again.code, JSON.stringify(again.error)).toBe(0);
    }
    expect(await upgradeState(site)).toEqual(await calmState(platform));
    expect((await deploysOf(site, 'all')).filter((name) => name === HURT)).toHaveLength(sent);
    expect(await deploysOf(site)).toEqual([...OTHERS, ...Array<string>(applied).fill(HURT)].sort());
  } finally {
    await proxy.close();
    await site.close();
  }
}

/** An answer to the deploy that is damaged, once. */
const onDeploy = (order: object) => (site: Site) =>
  site.fail({ match: { method: 'PUT', path: DEPLOY }, kind: 'status', ...order });

/** Damages what is read of the pipeline from its first deploy on. */
const onReadBack =
  (order: object) =>
  (site: Site): AtRequest => {
    let isDone = false;
    return async (method, path) => {
      if (isDone || method !== 'PUT' || !path.endsWith(`/apps/${HURT}`)) return;
      isDone = true;
      await site.fail({ match: { method: 'GET', path: DEPLOY }, when: 'before', ...order });
    };
  };

describe.concurrent('an answer to a deploy', () => {
  it.for([
    ['500 before its effect', { status: 500, when: 'before' }, { exit: 10, state: 'failed', sent: 2 }],
    ['500 after its effect', { status: 500, when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['400 before its effect', { status: 400, when: 'before' }, { exit: 10, state: 'failed', sent: 2 }],
    ['400 after its effect', { status: 400, when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['503 before its effect', { status: 503, when: 'before' }, { exit: 0, state: 'upgraded', sent: 2 }],
    ['503 after its effect', { status: 503, when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['504 before its effect', { status: 504, when: 'before' }, { exit: 16, state: 'unknown', sent: 2 }],
    ['504 after its effect', { status: 504, when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['a reset before its effect', { kind: 'reset', when: 'before' }, { exit: 0, state: 'upgraded', sent: 2 }],
    ['a reset after its effect', { kind: 'reset', when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['a cut in mid body', { kind: 'cut', when: 'during', bytes: 100 }, { exit: 0, state: 'upgraded', sent: 2 }],
    ['a cut in mid answer', { kind: 'cut', when: 'after' }, { exit: 0, state: 'upgraded' }],
  ] as const)('%s is decided by reading back', async ([, order, expected]) => {
    await judgeUpgrade({ fault: onDeploy(order), ...expected });
  });

  it.for([
    ['a reset before its effect', { kind: 'reset', when: 'before' }, { exit: 0, state: 'upgraded', sent: 2 }],
    ['a reset after its effect', { kind: 'reset', when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['500 after its effect', { status: 500, when: 'after' }, { exit: 0, state: 'upgraded' }],
    ['504 before its effect', { status: 504, when: 'before' }, { exit: 16, state: 'unknown', sent: 2 }],
  ] as const)('on a platform 6.1.1, %s is decided by reading back', async ([, order, expected]) => {
    await judgeUpgrade({ platform: '6.1.1', fault: onDeploy(order), ...expected });
  });

  it.for(['before', 'after'] as const)(
    'that is lost %s its effect, and nothing to read back from, is unknown and never upgraded',
    async (when) => {
      await judgeUpgrade({
        fault: onDeploy({ kind: 'reset', when }),
        before: onReadBack({ kind: 'status', status: 500, times: 50 }),
        exit: 16,
        state: 'unknown',
        code: 'UNKNOWN_OUTCOME',
        sent: when === 'before' ? 2 : 1,
        mend: '--resume',
      });
    },
  );

  it('is not believed where reading back gives a pipeline of before; the next run finds it done', async () => {
    const body = JSON.stringify({
      name: HURT,
      configuration: '{}',
      artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' },
    });
    await judgeUpgrade({ after: onReadBack({ kind: 'status', status: 200, body }), exit: 10, state: 'failed' });
  });

  it.for([
    ['500', { kind: 'status', status: 500 }],
    ['broken JSON', { kind: 'status', status: 200, body: '{"name"' }],
  ] as const)('is unknown where reading back gives %s; the next run finds it done', async ([, order]) => {
    await judgeUpgrade({ after: onReadBack(order), exit: 16, state: 'unknown' });
  });

  it.for([
    ['503', { kind: 'status', status: 503, times: 2 }],
    ['a reset', { kind: 'reset', times: 2 }],
    ['a cut answer', { kind: 'cut' }],
  ] as const)('is proved all the same where reading back meets %s at first', async ([, order]) => {
    await judgeUpgrade({ after: onReadBack(order), exit: 0, state: 'upgraded' });
  });
});

describe.concurrent('somebody who deploys between our read and our write', () => {
  it('P21: is not written over: CHANGED_MEANWHILE; the next run upgrades what is there then', async () => {
    let isDone = false;
    const theirs = (site: Site) => async (method: string, path: string) => {
      if (method !== 'PUT' || !path.endsWith(`/apps/${HURT}`) || isDone) return;
      isDone = true;
      const { configuration, artifact } = await site.pipeline(HURT);
      const config = configuration.replace('Generated pipeline', 'Their pipeline');
      await site.call('PUT', `/apps/${HURT}`, { artifact, config, 'app.deploy.update.schedules': false });
    };
    const site = await openUpgradeSite(COUNT);
    const proxy = await startStallingProxy(site.url, undefined, theirs(site));
    void proxy.arm();
    site.through = proxy.url;
    const first = await runUpgrade(site);
    expect(first.code, first.stdout).toBe(10);
    expect(first.states[HURT]).toBe('failed');
    expect(first.stdout).toContain('was changed by someone else');
    expect((await deploysOf(site)).filter((name) => name === HURT)).toEqual([]);
    const between = await site.pipeline(HURT);
    expect([between.artifact.version, between.configuration]).toEqual(['6.10.0', expect.stringContaining('Their')]);
    expect((await runUpgrade(site, ['--only-failed'])).code).toBe(0);
    const end = await site.pipeline(HURT);
    expect([end.artifact.version, end.configuration]).toEqual(['6.11.0', expect.stringContaining('Their')]);
    await proxy.close();
    await site.close();
  });
});

describe.concurrent('a schedule that a deploy suspended', () => {
  const lost = (site: Site) => (method: string, path: string) => loseSchedules(site, method, path);

  it.for([
    ['500', '--only-failed', { kind: 'status', status: 500, times: 9 }],
    ['401', 'anew', { kind: 'status', status: 401, times: 9 }],
    ['nothing', '--only-failed', { kind: 'reset', times: 9 }],
  ] as const)('fails its pipeline when resuming it answers %s; another run (%s) mends it', async ([, mend, order]) => {
    await judgeUpgrade({
      fault: (site) =>
        site.fail({ match: { method: 'POST', path: `${HURT}/schedules/.*/resume` }, when: 'before', ...order }),
      after: lost,
      ...{ exit: 10, state: 'failed', mend },
      says: `schedules of pipeline ${HURT} differ from before its deploy: dataPipelineSchedule`,
    });
  });

  it.for([
    ['503 before its effect', { kind: 'status', status: 503, when: 'before' }],
    ['a reset after its effect', { kind: 'reset', when: 'after' }],
  ] as const)('is resumed although that meets %s', async ([, order]) => {
    await judgeUpgrade({
      fault: (site) => site.fail({ match: { method: 'POST', path: `${HURT}/schedules/.*/resume` }, ...order }),
      after: lost,
      exit: 0,
      state: 'upgraded',
    });
  });
});
