import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/in-process.js';
import { withTempDir } from '../../support/run-cli.js';

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

  it.each([
    ['install', 'example'],
    ['upgrade'],
    ['upgrade:rollback'],
    ['metrics:list', 'orders'],
    ['metrics:get', 'orders', 'user.a'],
    ['metrics:top', 'orders'],
    ['artifact:list'],
    ['uninstall', 'example', '-y'],
    ['installed:list'],
    ['installed:show', 'example'],
    ['installed:uninstall', 'example', '--dry-run'],
  ])('are refused by what takes one: %s', async (...words) => {
    const { error } = await run(words);
    expect(error).toMatchObject({ code: 'USAGE', details: { hints: ['-n etl', '-n web'] } });
    expect(error?.message).toMatch(/^CDAPCTL_NAMESPACE specifies 2 namespaces/u);
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
