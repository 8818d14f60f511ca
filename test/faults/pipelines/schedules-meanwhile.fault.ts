import { readFile, realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireLock, runLockFile } from '../../../src/state/lock.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { openSettingsSite, type SettingsSite } from '../../support/sites/settings-site.js';
import { startCli } from '../../support/processes/running-cli.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';

const ACTIVE = ['orders-daily', 'orders-hourly'];
const scheduleOf = (name: string): string => `/namespaces/etl/apps/${name}/schedules/dataPipelineSchedule`;

interface Meanwhile {
  readonly home: string;
  readonly site: SettingsSite;
  /** Runs a line of `schedule` with the address of the proxy. */
  readonly run: (...line: readonly string[]) => Promise<RunResult>;
  /** Does something once the schedules of so many pipelines were read, before the last of them is answered. */
  readonly afterLooks: (count: number, act: () => Promise<unknown>) => void;
}

const withMeanwhile = (use: (scene: Meanwhile) => Promise<void>): Promise<void> =>
  withTempDir(async (home) => {
    let [left, act] = [0, async (): Promise<unknown> => undefined];
    const site = await openSettingsSite([...ACTIVE, 'clicks']);
    const proxy = await startStallingProxy(site.emulator.url, async (method, path) => {
      if (method === 'GET' && path.endsWith('/schedules') && (left -= 1) === 0) await act();
    });
    try {
      for (const name of ACTIVE) await site.call('POST', `${scheduleOf(name)}/resume`);
      await use({
        home,
        site,
        run: (...line) => runCli(['schedule', ...line, '-u', proxy.url], { home, cwd: home }),
        afterLooks: (count, then) => void ([left, act] = [count, then]),
      });
    } finally {
      await proxy.close();
      await site.close();
    }
  });

async function activeOf(site: SettingsSite, names: readonly string[] = ACTIVE): Promise<readonly string[]> {
  const active: string[] = [];
  for (const name of names) {
    const { status } = await site.call<{ status: string }>('GET', `${scheduleOf(name)}/status`);
    if (status === 'SCHEDULED') active.push(name);
  }
  return active;
}

const recordIn = async (home: string, file: string): Promise<{ active: readonly string[]; resumedAt?: string }> => {
  const { schedules, resumedAt } = JSON.parse(await readFile(join(home, file), 'utf8')) as {
    schedules: { pipeline: string; before: string }[];
    resumedAt?: string;
  };
  const active = schedules.filter(({ before }) => before === 'active').map(({ pipeline }) => pipeline);
  return { active, ...(resumedAt !== undefined && { resumedAt }) };
};

it('P46: keeps what another command adds to the record meanwhile', () =>
  withMeanwhile(async ({ home, run, afterLooks }) => {
    const into = ['--record', 'window.json', '-y'];
    expect((await run('suspend', 'etl/clicks', ...into)).code).toBe(0);
    let other: number | undefined;
    afterLooks(1, async () => {
      ({ code: other } = await run('suspend', 'etl/orders-daily', ...into));
    });
    const { code, stderr } = await run('suspend', 'etl/orders-hourly', ...into);
    expect([code, other, stderr]).toEqual([0, 0, expect.stringContaining('now has 2 schedules to resume')]);
    expect(await recordIn(home, 'window.json')).toEqual({ active: ACTIVE });
  }));

it('P46: does not end a window to which another command adds meanwhile', () =>
  withMeanwhile(async ({ home, site, run, afterLooks }) => {
    const into = ['--record', 'window.json', '-y'];
    expect((await run('suspend', 'etl/orders-daily', ...into)).code).toBe(0);
    let other: number | undefined;
    afterLooks(1, async () => {
      ({ code: other } = await run('suspend', 'etl/orders-hourly', ...into));
    });
    const early = await run('resume', '--from', 'window.json', '-y');
    expect([early.code, other, early.stderr]).toEqual([6, 0, expect.stringContaining('window.json was changed')]);
    expect(await recordIn(home, 'window.json')).toEqual({ active: ACTIVE });
    expect((await run('resume', '--from', 'window.json', '-y')).code).toBe(0);
    expect(await activeOf(site)).toEqual(ACTIVE);
  }));

it('P46: does not write down as active what another command suspended meanwhile', () =>
  withMeanwhile(async ({ home, run, afterLooks }) => {
    const all = ['suspend', '-A', '-n', 'etl', '-y', '--record'];
    let other: number | undefined;
    afterLooks(3, async () => {
      ({ code: other } = await run(...all, 'first.json'));
    });
    const { code, stderr } = await run(...all, 'second.json');
    expect([code, other, stderr]).toEqual([0, 0, expect.stringContaining('second.json has none to resume')]);
    expect((await recordIn(home, 'first.json')).active).toEqual(ACTIVE);
    expect((await recordIn(home, 'second.json')).active).toEqual([]);
  }));

it.each([
  ['L26', 'SIGINT', 130],
  ['L28', 'SIGTERM', 143],
] as const)('%s: %s in a window lets what is in flight end, and the same line continues', (_, signal, ended) =>
  withTempDir(async (home) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const site = await openSettingsSite(names);
    let reach: () => void = () => undefined;
    let pass: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const gate = new Promise<void>((resolve) => (pass = resolve));
    const proxy = await startStallingProxy(site.emulator.url, undefined, async (method) => {
      if (method !== 'POST') return;
      reach();
      await gate;
    });
    try {
      for (const name of names) await site.call('POST', `${scheduleOf(name)}/resume`);
      const line = ['schedule', 'suspend', '-A', '-n', 'etl', '--record', 'window.json', '-y', '-u', proxy.url];
      const run = startCli(line, { home, env: {} });
      await Promise.race([reached, run.ended]);
      expect((await recordIn(home, 'window.json')).active).toEqual(names);
      run.kill(signal);
      await run.see('stopping after the current requests');
      pass();
      const { code, stderr } = await run.ended;
      expect([code, stderr], stderr).toEqual([ended, expect.stringContaining('run the same command again')]);
      const left = await activeOf(site, names);
      expect([left.length > 0, left.length < names.length], stderr).toEqual([true, true]);
      const again = await runCli(line, { home, cwd: home });
      expect([again.code, await activeOf(site, names)], again.stderr).toEqual([0, []]);
      const resume = ['schedule', 'resume', '--from', 'window.json', '-y', '-u', proxy.url];
      expect((await runCli(resume, { home, cwd: home })).code).toBe(0);
      expect(await activeOf(site, names)).toEqual(names);
    } finally {
      await proxy.close();
      await site.close();
    }
  }),
);

it('P46: leaves a record to the command that has it', () =>
  withMeanwhile(async ({ home, site, run }) => {
    const path = join(await realpath(home), 'window.json');
    const file = runLockFile(join(home, '.local', 'state', 'cdapctl'), { kind: 'file', path });
    const lock = await acquireLock(file, { pid: process.pid, host: hostname(), clock: { now: () => Date.now() } });
    const line = ['suspend', 'etl/orders-daily', '--record', 'window.json', '-y'] as const;
    const { code, stderr } = await run(...line);
    expect([code, stderr, await activeOf(site)]).toEqual([6, expect.stringContaining('[LOCKED]'), ACTIVE]);
    await lock.release();
    expect((await run(...line)).code).toBe(0);
  }));
