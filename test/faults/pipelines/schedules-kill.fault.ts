import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startCli } from '../../support/processes/running-cli.js';
import { ROOT, runCli, withTempDir } from '../../support/processes/run-cli.js';
import { openSettingsSite, type SettingsSite } from '../../support/sites/settings-site.js';
import { startStallingProxy, type StallingProxy, type StallPoint } from '../../support/stalling-proxy.js';
import { DEPTH, draw } from '../depth.js';

const ACTIVE = ['orders-daily', 'orders-hourly'];
const NAMES = [...ACTIVE, 'clicks'];
/** In a folder of its own: its operations on the disk are counted. */
const RECORD = 'kept/window.json';
const SUSPEND = ['schedule', 'suspend', '-A', '-n', 'etl', '--record', RECORD, '-y'];
const RESUME = ['schedule', 'resume', '--from', RECORD, '-y'];
const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');

interface Scene {
  readonly site: SettingsSite;
  readonly proxy: StallingProxy;
  readonly home: string;
}

const scheduleOf = (name: string): string => `/namespaces/etl/apps/${name}/schedules/dataPipelineSchedule`;

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    await mkdir(join(home, 'kept'));
    const site = await openSettingsSite(NAMES);
    const proxy = await startStallingProxy(site.emulator.url);
    try {
      for (const name of ACTIVE) await site.call('POST', `${scheduleOf(name)}/resume`);
      await use({ site, proxy, home });
    } finally {
      await proxy.close();
      await site.close();
    }
  });
}

async function activeOf(site: SettingsSite): Promise<readonly string[]> {
  const active: string[] = [];
  for (const name of NAMES) {
    const { status } = await site.call<{ status: string }>('GET', `${scheduleOf(name)}/status`);
    if (status === 'SCHEDULED') active.push(name);
  }
  return active;
}

const lineOf = (line: readonly string[], { proxy }: Scene): readonly string[] => [...line, '-u', proxy.url];

async function finish(line: readonly string[], scene: Scene): Promise<void> {
  void scene.proxy.arm();
  const { code, stderr } = await runCli(lineOf(line, scene), { home: scene.home, cwd: scene.home });
  expect(code, stderr).toBe(0);
}

async function killAt(line: readonly string[], point: StallPoint, scene: Scene): Promise<void> {
  const reached = scene.proxy.arm(point);
  const run = startCli(lineOf(line, scene), { home: scene.home, env: {} });
  await Promise.race([reached, run.ended]);
  run.kill('SIGKILL');
  expect((await run.ended).signal, 'the run ended before it was killed').toBe('SIGKILL');
}

/** Nothing is suspended of which the record does not say that it was active. */
async function expectRecorded({ site, home }: Scene): Promise<void> {
  const left = await activeOf(site);
  if (left.length === ACTIVE.length) return;
  const file = join(home, RECORD);
  expect(existsSync(file), 'the record is there before the first write').toBe(true);
  const { schedules } = JSON.parse(readFileSync(file, 'utf8')) as { schedules: { pipeline: string; before: string }[] };
  expect(schedules.filter(({ before }) => before === 'active').map(({ pipeline }) => pipeline)).toEqual(ACTIVE);
}

let requests: { readonly suspend: readonly string[]; readonly resume: readonly string[] };

beforeAll(() =>
  withScene(async (scene) => {
    await finish(SUSPEND, scene);
    const suspend = [...scene.proxy.requests];
    await finish(RESUME, scene);
    requests = { suspend, resume: [...scene.proxy.requests] };
    expect(await activeOf(scene.site)).toEqual(ACTIVE);
  }),
);

const STALLS = ['unsent', 'unanswered', 'half'] as const;

/** Every request, or some drawn ones, or the writes and a look behind them. */
function pointsOf(kind: keyof typeof requests): readonly StallPoint[] {
  const all = requests[kind].flatMap((request, at) => STALLS.map((stall) => ({ n: at + 1, stall, request })));
  if (DEPTH === 'all') return all;
  if (DEPTH === 'drawn') return draw(all, 6, kind);
  return all.filter(({ request, stall, n }) =>
    request.startsWith('POST') ? stall !== 'half' : stall === 'unsent' && n === all.length / STALLS.length,
  );
}

describe('a window of maintenance whose command is killed', () => {
  it('L44: suspends the same and resumes exactly what was active, wherever the first command was killed', async () => {
    const points = pointsOf('suspend');
    expect(points.length).toBeGreaterThan(4);
    for (const point of points)
      await withScene(async (scene) => {
        await killAt(SUSPEND, point, scene);
        await expectRecorded(scene);
        await finish(SUSPEND, scene);
        expect(await activeOf(scene.site), JSON.stringify(point)).toEqual([]);
        await finish(RESUME, scene);
        expect(await activeOf(scene.site), JSON.stringify(point)).toEqual(ACTIVE);
      });
  }, 600_000);

  it('L44: resumes exactly what was active, wherever the second command was killed', async () => {
    for (const point of pointsOf('resume'))
      await withScene(async (scene) => {
        await finish(SUSPEND, scene);
        await killAt(RESUME, point, scene);
        await finish(RESUME, scene);
        expect(await activeOf(scene.site), JSON.stringify(point)).toEqual(ACTIVE);
        const sent = (await scene.site.writes()).length;
        await finish(RESUME, scene);
        expect((await scene.site.writes()).length, 'a third run has nothing to do').toBe(sent);
      });
  }, 600_000);

  it.each([
    [1, 'before'],
    [1, 'half'],
    [2, 'before'],
    [3, 'before'],
    [3, 'after'],
    [4, 'before'],
    [5, 'before'],
  ])('L44: writes nothing before its record is whole: operation %i on it, %s', (n, moment) =>
    withScene(async (scene) => {
      const { home, site } = scene;
      void scene.proxy.arm();
      const env = {
        NODE_OPTIONS: `--require=${PRELOAD}`,
        KILL_FOLDER: join(home, 'kept'),
        KILL_N: String(n),
        KILL_MOMENT: moment,
      };
      const killed = startCli(lineOf(SUSPEND, scene), { home, env });
      expect((await killed.ended).signal).toBe('SIGKILL');
      expect(await activeOf(site)).toEqual(ACTIVE);
      await finish(SUSPEND, scene);
      await finish(RESUME, scene);
      expect(await activeOf(site)).toEqual(ACTIVE);
    }),
  );
});
