import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/in-process.js';
import { ROOT, withTempDir } from '../../support/run-cli.js';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, { multiple?: boolean }>> }>>;
}

const LIST = { CDAPCTL_NAMESPACE: 'etl,web' };
let platform: Awaited<ReturnType<typeof startEmulator>>;
beforeAll(async () => {
  platform = await startEmulator({ port: 0, hubPort: 0, seed: { namespaces: ['etl', 'web'] } });
});
afterAll(() => platform.close());

const run = (words: readonly string[], env: Readonly<Record<string, string>> = LIST) =>
  withTempDir((home) => {
    const [id = '', ...others] = words;
    return runInProcess(id, [...others, '-u', platform.url], home, { env });
  });

/** Commands whose `-n` leads nowhere, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'config:get': 'shows the setting as it is',
  'config:list': 'shows the setting as it is',
  'context:add': 'stores it, see below',
  'context:set': 'stores it, see below',
  'hub:download': 'hubs have no namespaces',
  'hub:key:add': 'hubs have no namespaces',
  'hub:key:export': 'hubs have no namespaces',
  'hub:key:list': 'hubs have no namespaces',
  'hub:key:remove': 'hubs have no namespaces',
  'hub:key:show': 'hubs have no namespaces',
  'hub:list': 'hubs have no namespaces',
  'hub:search': 'hubs have no namespaces',
  'hub:show': 'hubs have no namespaces',
  'hub:verify': 'hubs have no namespaces',
  'namespace:list': 'lists them all',
  'report:service:enable': 'a platform has one report service',
  'report:service:status': 'a platform has one report service',
  'report:service:stop': 'a platform has one report service',
};
/** What the other commands need on the line to get as far as the namespace. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'args:check': ['orders'],
  'args:clear': ['orders', '-y'],
  'args:explain': ['orders'],
  'args:list': ['orders'],
  'args:set': ['orders', '--set', 'a=b'],
  'args:unset': ['orders', '--key', 'a'],
  install: ['example'],
  'installed:show': ['example'],
  'installed:uninstall': ['example', '--dry-run'],
  'metrics:get': ['orders', 'user.a'],
  'metrics:list': ['orders'],
  'metrics:tags': ['orders'],
  'metrics:top': ['orders'],
  'metrics:watch': ['orders'],
  'pipeline:runs': ['orders'],
  'pipeline:show': ['orders'],
  'pipeline:status': ['orders'],
  'preferences:clear': ['orders', '-y'],
  'preferences:explain': ['orders'],
  'preferences:list': ['orders'],
  'preferences:set': ['orders', '--set', 'a=b'],
  'preferences:unset': ['orders', '--key', 'a'],
  uninstall: ['example', '-y'],
};
const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;
const oneNamespace = Object.entries(commands)
  .filter(([, { flags }]) => flags['namespace']?.multiple === false)
  .map(([id]) => id)
  .filter((id) => !(id in WITHOUT));

describe('several namespaces in the variable', () => {
  it.each([
    [[], ['etl', 'web'], undefined],
    [['-n', 'web'], ['web'], undefined],
    [['-p', 'default/a*,x*'], ['etl', 'web', 'default'], 'NOT_FOUND'],
  ])('are all looked at by the dashboard: %j', async (words, expected, code) => {
    const seen = async (): Promise<string> => (await fetch(`${platform.url}/emulator/requests`)).text();
    const before = (await seen()).length;
    const { error } = await run(['dashboard', ...words]);
    expect(error?.code).toBe(code);
    const [, query = ''] = /\/dashboard\?([^" ]*)/u.exec((await seen()).slice(before)) ?? [];
    expect(new URLSearchParams(query).getAll('namespace')).toEqual(expected);
  });

  it.each(oneNamespace)('are refused by what takes one: %s', async (id) => {
    const words = WORDS[id] ?? [];
    const { error } = await run([id, ...words]);
    expect(error).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
    expect(error?.message).toMatch(/^CDAPCTL_NAMESPACE specifies 2 namespaces/u);
  });

  it.each(oneNamespace)('are refused by what takes one, on the line: %s', async (id) => {
    const words = WORDS[id] ?? [];
    const { error: list } = await run([id, ...words, '-n', 'etl,web'], {});
    expect(list).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
    expect(list?.message).toMatch(/^--namespace specifies 2 namespaces/u);
    const { error: twice } = await run([id, ...words, '-n', 'etl', '-n', 'web'], {});
    expect(twice).toMatchObject({ code: 'USAGE', message: '--namespace can only be specified once' });
  });

  it('are no namespace of a context', async () => {
    const { error } = await run(['context:add', 'here', '-n', 'etl,web'], {});
    expect(error).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
  });

  it.each([[','], ['etl,']])('are refused where one is empty: %j', async (names) => {
    expect((await run(['artifact:list', '-n', names], {})).error?.code).toBe('USAGE');
  });

  it.each([['artifact:list', '-n', 'etl'], ['namespace:list'], ['upgrade', '-A', '-y']])(
    "stand in nobody's way: %s %s",
    async (...words) => {
      expect((await run(words)).error).toBeUndefined();
    },
  );
});

it('what upgrade leaves out is [NS/]GLOB, refused where it can fit nothing', async () => {
  const { error } = await run(['upgrade', '-A', '--exclude', 'x,a/b/c', '-y'], {});
  expect(error).toMatchObject({ code: 'USAGE' });
  expect(error?.message).toContain('"a/b/c" is not a pipeline');
});

it('what is rolled back and listed is that of the namespace that was named, which must be there', async () => {
  const other = await startEmulator({
    port: 0,
    hubPort: 0,
    seed: { namespaces: ['etl', 'web'], pipelines: [{ count: 1 }] },
  });
  await withTempDir(async (home) => {
    const at = async (id: string, ...words: readonly string[]) => {
      const { error, terminal } = await runInProcess(id, [...words, '-u', other.url], home);
      return { error, out: terminal.out.join(''), notes: terminal.notes.join('\n') };
    };
    const unknown = {
      code: 'NOT_FOUND',
      message: 'the platform has no namespace "defualt"',
      details: { hints: ['Did you mean "default"?', 'cdapctl namespace list'] },
    };
    expect((await at('upgrade:rollback', '-n', 'defualt', '-y')).error).toMatchObject(unknown);
    expect(await at('upgrade', '-n', 'default', '-y')).toMatchObject({ error: undefined });
    expect((await at('upgrade:rollback', '-n', 'defualt', '-y')).error).toMatchObject(unknown);
    const none = await at('upgrade:rollback', '-n', 'etl', '-y');
    expect([none.error, none.notes]).toEqual([undefined, expect.stringMatching(/no pipeline to roll back/iu)]);
    expect((await at('upgrade:history', '-n', 'default')).out).toMatch(/^\S+\.ndjson +default +1 /mu);
    const empty = await at('upgrade:history', '-n', 'web');
    expect(empty.out).not.toContain('.ndjson');
    expect(empty.notes).toContain(`no upgrade of namespace "web" of ${other.url} was run from this machine`);
    expect((await at('upgrade:history')).out).toMatch(/^\S+\.ndjson +default +1 /mu);
  }).finally(other.close);
});
