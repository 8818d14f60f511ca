import { describe, expect } from 'vitest';
import { it, type Site } from '../site.js';

interface Schedule {
  readonly name: string;
  readonly status: string;
  readonly trigger: { readonly cronExpression: string };
}

const PIPELINE = 'dataPipelineSchedule';
const CRON = '0 1 */1 * *';
const BY_HAND = {
  name: 'by-hand',
  description: 'added over HTTP',
  program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
  properties: {},
  trigger: { type: 'TIME', cronExpression: '0 7 * * *' },
  constraints: [],
  timeoutMillis: 60_000,
};

const resume = (site: Site, name: string): Promise<unknown> => site.call('POST', `/apps/copy/schedules/${name}/resume`);

async function schedules(site: Site): Promise<string[]> {
  const all = await site.call<Schedule[]>('GET', '/apps/copy/schedules');
  return all.map(({ name, status, trigger }) => `${name} ${status} ${trigger.cronExpression}`).sort();
}

async function configuration(site: Site): Promise<string> {
  return (await site.call<{ configuration: string }>('GET', '/apps/copy')).configuration;
}

describe('installing over an existing pipeline of a real platform', () => {
  it('leaves it alone when it is already so, also with --again', async ({ site }) => {
    await site.install('real/pipeline-copy@1.0.0', 0);
    await resume(site, PIPELINE);
    site.proxy.forget();
    for (const flags of [[], ['--again']]) {
      const again = await site.install('real/pipeline-copy@1.0.0', 0, ...flags);
      expect(again.item?.state).toBe('already-present');
    }
    expect(site.proxy.writes()).toEqual([]);
    expect(await site.call<string[]>('GET', '/apps/copy/versions')).toHaveLength(1);
    expect(await schedules(site)).toEqual([`${PIPELINE} SCHEDULED ${CRON}`]);
  });

  it('overwrites it with a new version of the package, and its schedules stay as they were', async ({ site }) => {
    await site.install('real/pipeline-copy@1.0.0', 0);
    await site.call('PUT', '/apps/copy/schedules/by-hand', BY_HAND);
    await site.call('PUT', '/apps/copy/schedules/asleep', { ...BY_HAND, name: 'asleep' });
    await resume(site, PIPELINE);
    await resume(site, 'by-hand');
    const before = await schedules(site);
    expect(before).toEqual([
      'asleep SUSPENDED 0 7 * * *',
      'by-hand SCHEDULED 0 7 * * *',
      `${PIPELINE} SCHEDULED ${CRON}`,
    ]);
    const old = await configuration(site);
    site.proxy.forget();
    const result = await site.install('real/pipeline-copy@1.1.0', 0);
    expect(result.item).toMatchObject({ state: 'installed', actions: [{ n: 1, state: 'done' }] });
    expect(site.proxy.writes()).toEqual([`PUT /v3/namespaces/${site.namespace}/apps/copy`]);
    expect(await schedules(site)).toEqual(before);
    expect(await configuration(site)).not.toBe(old);
    expect(await configuration(site)).toContain('0 5 * * *');
    expect(await site.call<string[]>('GET', '/apps/copy/versions')).toHaveLength(2);
  });

  it('asks first, and without an answer nothing is written', async ({ site }) => {
    await site.install('real/pipeline-copy@1.0.0', 0);
    site.proxy.forget();
    const args = ['real/pipeline-copy@1.1.0', '--set', '1.name=copy', '--no-input', '--json'];
    const { code, stdout } = await site.cdapctl('install', ...args);
    expect(code, stdout).toBe(13);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'Error', error: { exitCode: 13 } });
    expect(site.proxy.writes()).toEqual([]);
    expect(await configuration(site)).toContain(CRON);
  });
});
