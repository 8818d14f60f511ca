import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { withTempDir } from '../../support/processes/run-cli.js';
import { openSettingsSite, stepWith, type SettingsSite } from '../../support/sites/settings-site.js';
import { GENERATIONS } from '../../support/sites/upgrade-seed.js';

const NAMES = ['orders-daily', 'orders-hourly', 'clicks'];
let site: SettingsSite;

beforeAll(async () => {
  site = await openSettingsSite(NAMES);
});

afterAll(() => site.close());

const schedule = (name: string, action: string): Promise<unknown> =>
  site.call('POST', `/namespaces/etl/apps/${name}/schedules/dataPipelineSchedule/${action}`);

async function statuses(): Promise<readonly string[]> {
  const { stdout } = await site.cdapctl([
    'schedule',
    'list',
    '-n',
    'etl',
    '-o',
    'csv',
    '--fields',
    'pipeline,status',
    '--no-headers',
  ]);
  return stdout.trim().split('\r\n');
}

/** Two schedules are active before each case. */
beforeEach(async () => {
  for (const name of NAMES) {
    const now = await site.call<{ status: string }>(
      'GET',
      `/namespaces/etl/apps/${name}/schedules/dataPipelineSchedule/status`,
    );
    const wanted = name === 'clicks' ? 'SUSPENDED' : 'SCHEDULED';
    if (now.status !== wanted) await schedule(name, wanted === 'SCHEDULED' ? 'resume' : 'suspend');
  }
});

it('lists schedules with their next start, and shows one in full', async () => {
  const { stdout } = await site.cdapctl(['schedule', 'list', '-A', '--json']);
  const { items } = JSON.parse(stdout) as { items: { pipeline: string; nextRunAt?: string }[] };
  expect(items).toMatchObject([
    { namespace: 'etl', pipeline: 'clicks', schedule: 'dataPipelineSchedule', status: 'suspended', cron: '0 1 * * *' },
    { pipeline: 'orders-daily', status: 'active', nextRunAt: expect.stringContaining('T01:00:00') as string },
    { pipeline: 'orders-hourly', status: 'active' },
  ]);
  expect(items[0]?.nextRunAt).toBeUndefined();
  const active = await site.cdapctl(['schedule', 'list', '-n', 'etl', '--status', 'active', '-o', 'name']);
  expect(active.stdout.trim().split('\n')).toEqual(
    ['orders-daily', 'orders-hourly'].map((name) => `etl/${name}/dataPipelineSchedule`),
  );
  const shown = await site.cdapctl(['schedule', 'show', 'etl/orders-daily']);
  expect(shown.stdout).toMatch(/dataPipelineSchedule {2}active\n {4}when {6}0 1 \* \* \*\n {4}next run/u);
});

it('tells when a pipeline starts next, and none for one that is suspended', async () => {
  const { stdout } = await site.cdapctl(['schedule', 'next', 'etl/orders-daily', '--count', '3', '--json']);
  const { items } = JSON.parse(stdout) as { items: { nextRun: number; from: string }[] };
  expect(items[0]).toMatchObject({ from: 'platform' });
  expect(new Set(items.slice(1).map(({ from }) => from))).not.toContain('platform');
  const none = await site.cdapctl(['schedule', 'next', 'etl/clicks']);
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('pipeline clicks has no active time schedule')]);
});

it('suspends one pipeline without a question, and leaves it when it is so already', async () => {
  for (const state of ['changed', 'unchanged']) {
    const { code, stdout } = await site.cdapctl(['schedule', 'suspend', 'etl/orders-daily', '-y', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'ScheduleChangeList', items: [{ after: 'suspended', state }] });
  }
  const resumed = await site.cdapctl(['schedule', 'resume', 'etl/orders-daily', '-y', '--json']);
  expect(JSON.parse(resumed.stdout)).toMatchObject({
    items: [{ before: 'suspended', after: 'active', nextRunAt: expect.any(String) as string }],
  });
});

it('keeps a window: suspends all, writes down what was active, and resumes exactly that', () =>
  withTempDir(async (home) => {
    const line = ['schedule', 'suspend', '-A', '-n', 'etl', '--record', 'window.json', '--reason', 'disk swap'];
    const unasked = await site.cdapctl(line, { home, cwd: home });
    expect([unasked.code, unasked.stderr]).toEqual([
      13,
      expect.stringContaining('suspend 2 schedules in namespace etl'),
    ]);
    expect(unasked.stderr).toContain('  etl/orders-daily  dataPipelineSchedule\n');
    const dry = await site.cdapctl([...line, '--dry-run', '--json'], { home, cwd: home });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      items: [{ state: 'unchanged' }, { state: 'planned' }, { state: 'planned' }],
    });
    const { code, stderr } = await site.cdapctl([...line, '-y'], { home, cwd: home });
    expect([code, stderr]).toEqual([0, expect.stringContaining('cdapctl schedule resume --from window.json')]);
    expect(await statuses()).toEqual(['clicks,suspended', 'orders-daily,suspended', 'orders-hourly,suspended']);
    const read = async (): Promise<Record<string, unknown>> =>
      JSON.parse(await readFile(join(home, 'window.json'), 'utf8')) as Record<string, unknown>;
    expect(await read()).toMatchObject({ kind: 'ScheduleRecord', reason: 'disk swap' });
    // The same command again changes neither the platform nor what was active.
    const twice = await site.cdapctl([...line, '-y'], { home, cwd: home });
    expect([twice.code, twice.stderr]).toEqual([
      0,
      expect.stringContaining('nothing to add to window.json, which now has 2 schedules to resume'),
    ]);
    expect((await read())['schedules']).toMatchObject([
      { before: 'suspended' },
      { before: 'active' },
      { before: 'active' },
    ]);
    const resume = ['schedule', 'resume', '--from', 'window.json', '-y'];
    expect((await site.cdapctl(resume, { home, cwd: home })).code).toBe(0);
    expect(await statuses()).toEqual(['clicks,suspended', 'orders-daily,active', 'orders-hourly,active']);
    // The window is over: somebody may have had reasons since.
    await schedule('orders-daily', 'suspend');
    const again = await site.cdapctl(resume, { home, cwd: home });
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringMatching(/was resumed at [-\d]+ [:\d]{5}\nnothing to change\n$/u),
    ]);
    expect(await statuses()).toContain('orders-daily,suspended');
    const reused = await site.cdapctl([...line, '-y'], { home, cwd: home });
    expect([reused.code, reused.stderr]).toEqual([6, expect.stringContaining('EXISTS')]);
    const clobber = [...line, '-y', '--clobber'];
    expect((await site.cdapctl(clobber, { home, cwd: home })).code).toBe(0);
    // That window is open: its record is all that tells what was active.
    const kept = await read();
    const open = await site.cdapctl(clobber, { home, cwd: home });
    expect([open.code, open.stderr]).toEqual([
      6,
      expect.stringContaining('window.json has 1 schedule that would no longer be resumed'),
    ]);
    expect(open.stderr).toContain('cdapctl schedule resume --from');
    expect(await read()).toEqual(kept);
  }));

it('lists those that fit a pattern', async () => {
  const names = async (...flags: readonly string[]): Promise<readonly string[]> =>
    (
      JSON.parse((await site.cdapctl(['schedule', 'list', '--json', ...flags])).stdout) as {
        items: { pipeline: string }[];
      }
    ).items.map(({ pipeline }) => pipeline);
  expect(await names('-n', 'etl', '-p', '*-daily')).toEqual(['orders-daily']);
  expect(await names('-A', '-p', 'etl/orders-*')).toEqual(['orders-daily', 'orders-hourly']);
  expect(await names('-A', '-p', 'orders-*')).toEqual(['orders-daily', 'orders-hourly']);
  expect(await names('-p', 'etl/orders-*')).toEqual(['orders-daily', 'orders-hourly']);
  expect(await names('-p', 'orders-*')).toEqual([]);
});

it('refuses a pattern without a schedule, and writes no record', () =>
  withTempDir(async (home) => {
    const line = ['schedule', 'suspend', '-n', 'etl', '-p', 'orders-*,zzz*', '--record', 'window.json', '-y'];
    const { code, stdout, stderr } = await site.cdapctl(line, { home, cwd: home });
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('no pipeline with a schedule matches "etl/zzz*"');
    expect(await readdir(home)).not.toContain('window.json');
    expect(await statuses()).toEqual(['clicks,suspended', 'orders-daily,active', 'orders-hourly,active']);
  }));

it('P45: tells of a schedule of the record that is gone, and resumes the others', () =>
  withTempDir(async (home) => {
    const line = ['schedule', 'suspend', '-n', 'etl', '--match', 'orders-*', '--record', 'window.json', '-y'];
    expect((await site.cdapctl(line, { home, cwd: home })).code).toBe(0);
    const file = join(home, 'window.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('orders-daily', 'removed'));
    const { code, stdout } = await site.cdapctl(['schedule', 'resume', '--from', 'window.json', '-y', '--json'], {
      home,
      cwd: home,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        { pipeline: 'orders-hourly', state: 'changed' },
        { pipeline: 'removed', state: 'gone' },
      ],
      warnings: [{ code: 'GONE' }],
    });
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(/"platform": "[^"]*"/u, '"platform": "http://other:1"'),
    );
    const elsewhere = await site.cdapctl(['schedule', 'resume', '--from', 'window.json', '-y'], { home, cwd: home });
    expect(elsewhere.code).toBe(6);
    expect(elsewhere.stderr).toContain('cdapctl schedule resume --from window.json -u http://other:1');
    await writeFile(file, '{"kind":"other"}');
    const other = await site.cdapctl(['schedule', 'resume', '--from', 'window.json', '-y'], { home, cwd: home });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is not a record of schedules')]);
  }));

it('keeps a window of all namespaces', () =>
  withTempDir(async (home) => {
    const [version] = GENERATIONS['6.11.0'].pipeline;
    const artifact = { name: 'cdap-data-pipeline', version, scope: 'SYSTEM' };
    const place = '/namespaces/dev/apps/trial';
    await site.call('PUT', place, { artifact, config: stepWith({}) });
    await site.call('POST', `${place}/schedules/dataPipelineSchedule/resume`);
    const active = async (): Promise<readonly string[]> => {
      const { stdout } = await site.cdapctl(['schedule', 'list', '-A', '--status', 'active', '-o', 'name']);
      return stdout.trim().split('\n').filter(Boolean);
    };
    const before = await active();
    expect(before.map((name) => name.split('/')[0])).toEqual(['dev', 'etl', 'etl']);
    const suspend = ['schedule', 'suspend', '-A', '--record', 'window.json', '-y'];
    const suspended = await site.cdapctl(suspend, { home, cwd: home });
    expect([suspended.code, await active()], suspended.stderr).toEqual([0, []]);
    const resume = ['schedule', 'resume', '--from', 'window.json', '-y'];
    const resumed = await site.cdapctl(resume, { home, cwd: home });
    expect([resumed.code, await active()], resumed.stderr).toEqual([0, before]);
    await site.call('DELETE', place);
  }));

it('P44: continues after one that fails, says which, and finishes when it is run again', async () => {
  const match = { method: 'POST', path: '/v3/namespaces/etl/apps/orders-daily/schedules/.*' };
  const fault = { match, kind: 'status', status: 403, when: 'before', times: 1 };
  await fetch(`${site.emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
  const line = ['schedule', 'suspend', '-A', '-n', 'etl', '-y', '--json'];
  const { code, stdout } = await site.cdapctl(line);
  expect(code, stdout).toBe(10);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'PARTIAL' },
    item: [
      { state: 'unchanged' },
      { pipeline: 'orders-daily', state: 'failed' },
      { pipeline: 'orders-hourly', state: 'changed' },
    ],
  });
  expect((await site.cdapctl(line)).code).toBe(0);
  expect(await statuses()).toEqual([...NAMES].sort().map((name) => `${name},suspended`));
});

it.each([
  [['suspend'], 2, 'no schedules selected'],
  [['suspend', 'etl/clicks', '-A'], 2, 'in one way'],
  [['suspend', 'etl/click'], 5, 'Did you mean "clicks"?'],
  [['suspend', '-A', '-n', 'elt', '-y'], 5, 'Did you mean "etl"?'],
  [['suspend', 'etl/clicks', '--clobber'], 2, '--record'],
  [['resume', '--from', 'x.json', '-A'], 2, '--from selects'],
  [['resume', '--from', 'no-such.json'], 15, 'no-such.json'],
] as const)('schedule %j ends with %i', async (line, code, words) => {
  const { code: found, stderr } = await site.cdapctl(['schedule', ...line]);
  expect([found, stderr]).toEqual([code, expect.stringContaining(words)]);
});
