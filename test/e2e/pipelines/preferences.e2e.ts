import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withTempDir } from '../../support/processes/run-cli.js';
import { openSettingsSite, type SettingsSite } from '../../support/sites/settings-site.js';

const SECRET = 'hunter2-very-secret';
let site: SettingsSite;

beforeAll(async () => {
  site = await openSettingsSite();
});

afterAll(() => site.close());

const at = (path: string): Promise<Record<string, string>> => site.call('GET', `${path}/preferences`);

it('sets, lists, explains, unsets and clears at every level', async () => {
  const set = async (...line: readonly string[]): Promise<void> => {
    const { code, stderr } = await site.cdapctl(['preferences', 'set', ...line, '-y']);
    expect(code, stderr).toBe(0);
  };
  await Promise.all([
    set('--level', 'instance', '--set', 'region=eu'),
    set('-n', 'etl', '--set', 'region=us', '--set', `db.password=${SECRET}`),
    set('etl/orders', '--set', 'target.table=orders_v2', '--set', 'empty='),
    set('etl/orders', '--level', 'program', '--set', 'region=asia'),
  ]);
  expect(await Promise.all(['', '/namespaces/etl', '/namespaces/etl/apps/orders'].map(at))).toEqual([
    { region: 'eu' },
    { region: 'us', 'db.password': SECRET },
    { 'target.table': 'orders_v2', empty: '' },
  ]);
  const own = await site.cdapctl(['preferences', 'list', 'etl/orders', '-o', 'name']);
  expect(own.stdout).toBe('empty\ntarget.table\n');
  const explained = await site.cdapctl(['preferences', 'explain', 'etl/orders', '--json']);
  expect(JSON.parse(explained.stdout)).toMatchObject({
    kind: 'PreferenceList',
    level: 'program',
    items: [
      { key: 'db.password', value: '***', secret: true, from: 'namespace', hides: [] },
      { key: 'empty', value: '', from: 'app' },
      {
        ...{ key: 'region', value: 'asia', from: 'program' },
        hides: [
          { from: 'namespace', place: 'namespace etl', value: 'us' },
          { from: 'instance', place: 'instance', value: 'eu' },
        ],
      },
      { key: 'target.table', value: 'orders_v2', from: 'app', secret: false },
    ],
  });
  const shown = await site.cdapctl(['preferences', 'list', '-n', 'etl', '--show-secrets']);
  expect(shown.stdout).toContain(SECRET);
  const unset = await site.cdapctl([
    'preferences',
    'unset',
    'etl/orders',
    '-k',
    'empty',
    '-k',
    'never',
    '-y',
    '--json',
  ]);
  expect(JSON.parse(unset.stdout)).toMatchObject({
    items: [
      { key: 'empty', before: '', state: 'removed' },
      { key: 'never', state: 'unchanged' },
    ],
  });
  const cleared = await site.cdapctl(['preferences', 'clear', '-n', 'etl', '-y', '-o', 'csv']);
  expect(cleared.stdout).toBe('key,before,after,state\r\ndb.password,***,,removed\r\nregion,us,,removed\r\n');
  expect(await Promise.all(['/namespaces/etl', '/namespaces/etl/apps/orders'].map(at))).toEqual([
    {},
    { 'target.table': 'orders_v2' },
  ]);
});

it('reads values from files, keeps new lines, and refuses what is no text', () =>
  withTempDir(async (home) => {
    await writeFile(join(home, 'values.yaml'), 'count: 10\nratio: 1.0\nname: "two\\nlines"\n');
    await writeFile(join(home, 'query.sql'), 'select 1\nfrom t\n');
    await writeFile(join(home, 'bad.json'), '{"flag": true}');
    const line = ['preferences', 'set', '-n', 'dev', '-f', 'values.yaml', '--set-file', 'query=query.sql', '-y'];
    expect((await site.cdapctl(line, { home, cwd: home })).code).toBe(0);
    expect(await at('/namespaces/dev')).toEqual({
      ...{ count: '10', ratio: '1.0', name: 'two\nlines' },
      query: 'select 1\nfrom t\n',
    });
    const bad = await site.cdapctl(['preferences', 'set', '-n', 'dev', '-f', 'bad.json', '-y'], { home, cwd: home });
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('"flag": "true"')]);
    const replaced = ['preferences', 'set', '-n', 'dev', '--set', 'only=1', '--replace', '-y'];
    expect((await site.cdapctl(replaced)).code).toBe(0);
    expect(await at('/namespaces/dev')).toEqual({ only: '1' });
  }));

it('wants a yes for a change, and writes nothing for a look', async () => {
  const before = (await site.writes()).length;
  const unasked = await site.cdapctl(['preferences', 'set', '-n', 'etl', '--set', `token=${SECRET}`]);
  expect([unasked.code, unasked.stderr]).toEqual([13, expect.stringContaining('change 1 preference of namespace etl')]);
  expect(unasked.stderr).not.toContain(SECRET);
  const dry = await site.cdapctl(['preferences', 'set', 'etl/orders', '--set', 'x=1', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ items: [{ key: 'x', after: '1', state: 'planned' }] });
  expect(dry.stderr).toMatch(/^Target: .* pipeline orders .*\ndry run: nothing was changed$/mu);
  const same = await site.cdapctl(['preferences', 'set', 'etl/orders', '--set', 'target.table=orders_v2']);
  expect(same.code).toBe(0);
  expect((await site.writes()).length).toBe(before);
});

it('P42: loses no key where six are set at once by as many processes', async () => {
  await site.call('PUT', '/namespaces/dev/preferences', { kept: '1' });
  const keys = Array.from({ length: 6 }, (_, at) => `key${at}`);
  const ends = await Promise.all(
    keys.map((key) => site.cdapctl(['preferences', 'set', '-n', 'dev', '--set', `${key}=x`, '-y', '--json'])),
  );
  const told = ends.some(({ stdout }) => stdout.includes('may be lost'));
  const now = await at('/namespaces/dev');
  const lost = keys.filter((key, of) => now[key] !== 'x' && ends[of]?.code === 0 && !told);
  expect([now['kept'], lost]).toEqual(['1', []]);
});

it('shows no secret in results, errors, traces and debugging', () =>
  withTempDir(async (home) => {
    await writeFile(join(home, 'values.yaml'), `db.password: ${SECRET}\njdbc: "jdbc:x://u:${SECRET}@host/db"\n`);
    const set = ['preferences', 'set', 'etl/orders', '-f', 'values.yaml', '-y'];
    const loud = ['--debug', '--trace-http', 'trace.log'];
    const echo = {
      match: { method: 'PUT' },
      kind: 'status',
      status: 400,
      body: `bad: ${SECRET}`,
      when: 'before',
      times: 1,
    };
    await fetch(`${site.emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(echo) });
    const lines = [
      [...set, '--dry-run'],
      [...set, '--json'],
      set,
      ['preferences', 'list', 'etl/orders'],
      ['preferences', 'explain', 'etl/orders', '-o', 'yaml'],
      ['args', 'explain', 'etl/orders', '-o', 'csv'],
      ['args', 'list', 'etl/orders', '--resolved', '-o', 'ndjson'],
      ['preferences', 'unset', 'etl/orders', '-k', 'db.password', '-k', 'jdbc', '-y'],
    ];
    const codes: (number | undefined)[] = [];
    for (const line of lines) {
      const { code, stdout, stderr } = await site.cdapctl([...line, ...loud], { home, cwd: home });
      codes.push(code);
      expect(stdout + stderr, line.join(' ')).not.toContain(SECRET);
    }
    expect(codes).toEqual([0, 11, 0, 0, 0, 0, 0, 0]);
    expect(await readFile(join(home, 'trace.log'), 'utf8')).not.toContain(SECRET);
  }));

it.each([
  [['list', '--level', 'app'], 2, 'needs a pipeline'],
  [['list', 'etl/orders', '--level', 'instance'], 2, 'takes no pipeline'],
  [['list', 'etl/order'], 5, 'Did you mean "orders"?'],
  [['list', '-n', 'elt'], 5, 'Did you mean "etl"?'],
  [['set', 'etl/orders'], 2, 'nothing to set'],
  [['set', 'region=eu'], 2, 'nothing to set: region=... without --set is the name of a pipeline  [USAGE]\n'],
  [['set', 'region=eu'], 2, '--set region=VALUE\n'],
  [['set', 'etl/orders', '--set', 'novalue'], 2, 'KEY=VALUE'],
] as const)('preferences %j ends with %i', async (line, code, words) => {
  const { code: found, stderr } = await site.cdapctl(['preferences', ...line]);
  expect([found, stderr]).toEqual([code, expect.stringContaining(words)]);
});
