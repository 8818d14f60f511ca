import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signIn } from '../access-token.js';
import {
  detailOf,
  GENERATIONS,
  makePipeline,
  openUpgradeSite,
  pipelineOf,
  type Generation,
  type Schedule,
  type UpgradeSite,
} from './upgrade-site.js';

// The first deploy on a cold platform takes a minute.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const url = (process.env['CDAPCTL_SIGN_IN_URL'] ?? '').replace(/\/+$/u, '');
const NEWEST = GENERATIONS.flatMap((one): readonly Generation[] =>
  one.platform === '6.11.0' ? [{ ...one, url }] : [],
);

describe.skipIf(url === '').each(NEWEST)('an upgrade on a real platform that asks for a token', (generation) => {
  let site: UpgradeSite;
  let token: string;

  beforeAll(async () => {
    const answer = await signIn(url, process.env['CDAPCTL_SIGN_IN_ACCOUNT'] ?? '');
    token = (JSON.parse(answer) as { access_token: string }).access_token;
    site = await openUpgradeSite(generation, token);
    await makePipeline(site, 'orders', pipelineOf(generation, 'orders', {}));
    await site.call('POST', '/apps/orders/schedules/dataPipelineSchedule/resume');
  });
  afterAll(() => site.close());

  it('is refused without one, and with a wrong one', async () => {
    const wrong = join(site.home, 'wrong');
    await writeFile(wrong, 'AAAA', { mode: 0o600 });
    const before = await detailOf(site, 'orders');
    const failed = join(site.home, 'failed');
    for (const access of [[], ['-a', wrong]]) {
      const run = await site.cdapctl('upgrade', '-u', site.proxy.url, '-n', site.namespace, '-e', failed, ...access);
      expect(run.code, run.stderr).toBe(3);
    }
    expect(await detailOf(site, 'orders')).toEqual(before);
  });

  it('takes its five short options, needs no terminal and does not tell the token', async () => {
    const file = join(site.home, 'token.txt');
    await writeFile(file, `${token}\n`, { mode: 0o600 });
    const where = ['-u', site.proxy.url, '-n', site.namespace, '-a', file];
    const run = await site.cdapctl('upgrade', ...where, '-p', 'orders', '-e', join(site.home, 'failed'));
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/^orders +6\.10\.0 +6\.11\.0 +2 +upgraded/mu);
    expect(run.stdout + run.stderr).not.toContain(token);
    expect((await detailOf(site, 'orders')).artifact.version).toBe(generation.now[0]);
    const schedules = await site.call<Schedule[]>('GET', '/apps/orders/schedules');
    expect(schedules.map(({ status }) => status)).toEqual(['SCHEDULED']);
    const back = await site.cdapctl('upgrade', 'rollback', '-y', '-u', site.proxy.url, '-a', file);
    expect(back.code, back.stderr).toBe(0);
    expect((await detailOf(site, 'orders')).artifact.version).toBe(generation.old[0]);
  });
});
