import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { ROOT, withTempDir } from '../../support/processes/run-cli.js';

interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly flags: Readonly<Record<string, { readonly multiple?: boolean }>>;
        readonly args: Readonly<Record<string, { readonly required?: boolean }>>;
      }
    >
  >;
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
  api: 'the path names the namespace',
  'config:get': 'shows the setting as it is',
  'config:list': 'shows the setting as it is',
  'context:add': 'stores it, see below',
  'context:set': 'stores it, see below',
  doctor: 'looks at no namespace',
  'hub:download': 'hubs have no namespaces',
  'hub:key:add': 'hubs have no namespaces',
  'hub:key:export': 'hubs have no namespaces',
  'hub:key:list': 'hubs have no namespaces',
  'hub:key:remove': 'hubs have no namespaces',
  'hub:key:show': 'hubs have no namespaces',
  'hub:lint': 'hubs have no namespaces',
  'hub:list': 'hubs have no namespaces',
  'hub:lock': 'hubs have no namespaces',
  'hub:mirror': 'hubs have no namespaces',
  'hub:publish': 'hubs have no namespaces',
  'hub:search': 'hubs have no namespaces',
  'hub:show': 'hubs have no namespaces',
  'hub:sign': 'hubs have no namespaces',
  'hub:verify': 'hubs have no namespaces',
  login: 'a token is for all namespaces; what it stores, see below',
  'namespace:list': 'lists them all',
  'report:service:enable': 'a platform has one report service',
  'report:service:status': 'a platform has one report service',
  'report:service:stop': 'a platform has one report service',
  whoami: 'a token is for all namespaces',
};
/** What a line needs beside its arguments to get as far as the namespace. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  install: ['example-trim-fields'],
  'args:set': ['--set', 'a=b'],
  'args:unset': ['--key', 'a'],
  'metrics:tags': ['orders'],
  'preferences:set': ['--set', 'a=b'],
  'preferences:unset': ['--key', 'a'],
  'schedule:resume': ['orders'],
  'schedule:suspend': ['orders'],
};
const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;
const oneNamespace = Object.entries(commands)
  .filter(([id, { flags }]) => flags['namespace']?.multiple === false && !(id in WITHOUT))
  .map(([id, { args }]) => {
    const needed = Object.values(args).filter(({ required }) => required === true);
    return [id, ...needed.map(() => 'orders'), ...(MORE[id] ?? [])];
  });

const ofPipelines = [
  ...oneNamespace.filter(([id = '', first]) => first === 'orders' && !/install/u.test(id)),
  ['preferences:set', 'orders', '--set', 'a=b'],
  ['schedule:list', 'orders'],
  ['schedule:suspend', '-p', 'orders'],
];

describe('several namespaces in the variable', () => {
  it.each([
    [[], ['etl', 'web'], undefined],
    [['-n', 'web'], ['web'], undefined],
    [['-p', 'default/a*,x*'], ['default', 'etl', 'web'], 'NOT_FOUND'],
  ])('are all looked at by the dashboard: %j', async (words, expected, code) => {
    const seen = async (): Promise<string> => (await fetch(`${platform.url}/emulator/requests`)).text();
    const before = (await seen()).length;
    const { error } = await run(['dashboard', ...words]);
    expect(error?.code).toBe(code);
    const [, query = ''] = /\/dashboard\?([^" ]*)/u.exec((await seen()).slice(before)) ?? [];
    expect(new URLSearchParams(query).getAll('namespace')).toEqual(expected);
  });

  it.each(oneNamespace)('are refused by what takes one: %s %s %s', async (...words) => {
    const { error } = await run(words);
    expect(error).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
    expect(error?.message).toMatch(/^CDAPCTL_NAMESPACE specifies 2 namespaces/u);
  });

  it.each(oneNamespace)('are refused by what takes one, on the line: %s %s %s', async (...words) => {
    const { error: list } = await run([...words, '-n', 'etl,web'], {});
    expect(list).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
    expect(list?.message).toMatch(/^--namespace specifies 2 namespaces/u);
    const { error: twice } = await run([...words, '-n', 'etl', '-n', 'web'], {});
    expect(twice).toMatchObject({ code: 'USAGE', message: '--namespace can only be specified once' });
  });

  it('are not for a request whose path names one', async () => {
    const line = ['api', 'GET', '/v3/namespaces/web'];
    expect((await run(line)).error).toBeUndefined();
    expect((await run([...line, '-n', 'etl'])).error).toMatchObject({
      ...{ code: 'USAGE', message: 'api takes no -n: PATH names the namespace' },
    });
  });

  it.each([['api'], ['whoami'], ['doctor'], ['namespace:list'], ['report:service:status']])(
    'are not in the help of what has no use for one: %s',
    (id) => {
      expect(commands[id]?.flags['namespace']).toMatchObject({ hidden: true });
    },
  );

  it('narrow a list of all schedules to that one', async () => {
    const { error, terminal } = await run(['schedule:list', '-A', '-n', 'etl'], {});
    expect([error, terminal.notes]).toEqual([undefined, ['no schedules found']]);
    const elsewhere = await run(['schedule:list', '-A', '-n', 'nope'], {});
    expect(elsewhere.error).toMatchObject({ code: 'NOT_FOUND', message: 'the platform has no namespace "nope"' });
  });

  it.each(ofPipelines)('allow a pipeline of one of them, and of no other: %s %s %s', async (...words) => {
    const named = (pipeline: string): readonly string[] => words.map((word) => (word === 'orders' ? pipeline : word));
    const { error } = await run([...named('dev/orders'), '-n', 'etl'], {});
    expect(error).toMatchObject({
      ...{ code: 'USAGE', message: 'pipeline dev/orders is not in the selected namespace etl (-n)' },
    });
    const inside = await run([...named('web/orders'), '-n', 'etl,web'], {});
    expect(inside.error?.message).not.toMatch(/namespaces|selected/u);
    expect((await run(named('web/orders'))).error?.message).not.toMatch(/namespaces|selected/u);
  });

  it.each([['pipeline:list'], ['dashboard'], ['schedule:list']])(
    'are not named where all are shown: %s',
    async (id) => {
      const scope = async (...words: readonly string[]): Promise<string> => {
        const { error, terminal } = await run([id, ...words], { CDAPCTL_ALL_NAMESPACES: '1' });
        expect(error?.code).toBe(words.includes('nope') ? 'NOT_FOUND' : undefined);
        return terminal.notes.join('\n');
      };
      expect(await scope()).not.toContain('-A for all');
      expect(await scope('-n', 'etl')).not.toContain('-A for all');
      await scope('-n', 'nope');
    },
  );

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

it('what is rolled back and listed is that of the namespace that was named, which must be there', async ({
  onTestFinished,
}) => {
  const other = await startEmulator({
    port: 0,
    hubPort: 0,
    seed: { namespaces: ['etl', 'web'], pipelines: [{ count: 1 }] },
  });
  onTestFinished(() => other.close());
  await withTempDir(async (home) => {
    const at = async (id: string, ...words: readonly string[]) => {
      const { error, terminal } = await runInProcess(id, [...words, '-u', other.url], home);
      return { error, out: terminal.out.join(''), notes: terminal.notes.join('\n') };
    };
    const unknown = {
      code: 'NOT_FOUND',
      message: 'the platform has no namespace "defualt"',
      details: { hints: ['Did you mean "default"?', { next: 'list-namespaces' }] },
    };
    expect((await at('upgrade:rollback', '-n', 'defualt', '-y')).error).toMatchObject(unknown);
    expect(await at('upgrade', '-n', 'default', '-y')).toMatchObject({ error: undefined });
    expect((await at('upgrade:rollback', '-n', 'defualt', '-y')).error).toMatchObject(unknown);
    const none = await at('upgrade:rollback', '-n', 'etl', '-y');
    expect(none.error).toMatchObject({
      code: 'NOT_FOUND',
      message: `there is no journal of an upgrade of namespace etl on ${other.url} that changed anything`,
    });
    expect((await at('upgrade:history', '-n', 'default')).out).toMatch(/^\S+\.ndjson +default +1 /mu);
    const empty = await at('upgrade:history', '-n', 'web');
    expect(empty.out).not.toContain('.ndjson');
    expect(empty.notes).toContain(`no upgrade of namespace "web" of ${other.url} was run from this machine`);
    expect((await at('upgrade:history')).out).toMatch(/^\S+\.ndjson +default +1 /mu);
  });
});
