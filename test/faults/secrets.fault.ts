import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawAnswer, rawServer, type RawServer } from '../support/raw-server.js';
import { hubPackage, pluginSpec, signedHub, writeHubTree } from '../support/sites/hub-tree.js';
import { ROOT, withTempDir, type RunResult } from '../support/processes/run-cli.js';
import { expectSilence, KINDS, PASSWORD, SOURCES, TALK, TOKEN, WAYS } from './planted.js';

interface Listed {
  readonly args: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly flags: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly hidden?: boolean;
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
  readonly commands: Readonly<Record<string, Listed>>;
};
/** Runs until it is stopped, so it has a test only where it cannot begin. */
const ENDLESS = ['emulator:start', 'metrics:watch'];
/** They send requests without a token before it is read from anywhere but the environment, if ever: no server knows it then. */
const TOKENLESS = ['login', 'doctor', 'hub:mirror'];

let server: RawServer;
let answer: (typeof KINDS)[string] = () => rawAnswer(500);
let deadPort: number;
let sweeps = 0;

beforeAll(async () => {
  server = await rawServer((socket, { headers }) => {
    socket.write(answer(headers['authorization'] ?? `Bearer ${TOKEN}`, server.url));
    socket.end();
  });
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = closed.address();
  deadPort = typeof address === 'object' && address !== null ? address.port : 0;
  closed.close();
});

afterAll(() => server.close());

/** A line that gets as far as the network, if the command has anything to do with one. */
function lineOf(id: string, url: string): string[] {
  const { args, flags } = manifest.commands[id] ?? { args: {}, flags: {} };
  const required = Object.entries(args).flatMap(([name, arg]) =>
    arg.required === true ? [name === 'url' ? url : name === 'pipeline' ? 'default/p' : 'sample'] : [],
  );
  const given = (name: string, ...words: string[]): string[] => (flags[name] === undefined ? [] : words);
  const named = Object.entries(flags).flatMap(([name, flag]) =>
    flag.required === true && name !== 'url' ? [`--${name}`, 'sample'] : [],
  );
  return [
    ...id.split(':'),
    ...required,
    ...named,
    ...given('url', '-u', url),
    ...given('hub', '--hub', url),
    ...given('retries', '--retries', '0'),
    ...given('namespace', '-n', 'default'),
    ...given('yes', '-y'),
    ...(/^(?:args|preferences):set$/u.test(id) ? ['--set', `db.password=${PASSWORD}`] : []),
    ...(/^schedule:(?:suspend|resume)$/u.test(id) ? ['-A'] : []),
  ];
}

/** Every command in every way, four at a time, with the token from one source after the other. */
async function sweep(ids: readonly string[], url: string, more: readonly string[] = []): Promise<readonly RunResult[]> {
  sweeps += 1;
  const all = ids.flatMap((id, at) =>
    WAYS.map((way, which) => {
      const plant = SOURCES[TOKENLESS.includes(id) ? 0 : (sweeps + at + which) % SOURCES.length] ?? (() => ({}));
      return { words: [...lineOf(id, url), ...more, ...way], plant };
    }),
  );
  const results: RunResult[] = [];
  const work = async (): Promise<void> => {
    for (let line = all.pop(); line !== undefined; line = all.pop()) {
      const { words, plant } = line;
      results.push(await withTempDir((home) => expectSilence(words, plant(home, url), home)));
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return results;
}

const ids = Object.keys(manifest.commands);
const connected = ids.filter((id) => !ENDLESS.includes(id) && manifest.commands[id]?.flags['url'] !== undefined);

describe('no output shows the token or a password', () => {
  it('of a command line that is wrong', async () => {
    const results = await sweep(ids, server.url, ['--nonsense', `--password=${PASSWORD}`]);
    expect(new Set(results.map(({ code }) => code))).toEqual(new Set([2]));
  }, 300_000);

  it.each(Object.keys(KINDS))(
    'after %s',
    async (kind) => {
      answer = KINDS[kind] ?? answer;
      const before = server.requests.length;
      const results = await sweep(connected, server.url);
      const sent = server.requests
        .slice(before)
        .filter(({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`);
      expect(sent.length).toBeGreaterThan(connected.length);
      expect(results.filter(({ code, signal }) => signal !== undefined || code === undefined)).toEqual([]);
    },
    600_000,
  );

  it('when nothing answers', async () => {
    await sweep(connected, `http://127.0.0.1:${deadPort}`);
  }, 300_000);

  it.each([
    ['the address of the platform', ['dashboard', '-u', `http://me:${PASSWORD}@127.0.0.1:1`], {}],
    ['the address of the platform in a variable', ['dashboard'], { CDAPCTL_URL: `http://me:${PASSWORD}@127.0.0.1:1` }],
    ['the address of a hub', ['hub', 'list', '--hub', `http://me:${PASSWORD}@127.0.0.1:1`], {}],
    ['the address of a hub in a variable', ['config', 'list'], { CDAPCTL_HUB: `http://me:${PASSWORD}@127.0.0.1:1` }],
    ['a hub that is added', ['hub', 'add', 'x', `http://me:${PASSWORD}@127.0.0.1:1`], {}],
    ['a context that is added', ['context', 'add', 'x', '-u', `http://me:${PASSWORD}@127.0.0.1:1`], {}],
    [
      'a proxy',
      ['dashboard', '-u', 'http://cdap.example:1', '--proxy', `http://me:${PASSWORD}@127.0.0.1:1`, '--retries', '0'],
      {},
    ],
    ['a proxy in a variable', ['config', 'list'], { CDAPCTL_PROXY: 'http://me:Pl4ntedPass@127.0.0.1:1' }],
    [
      'the proxy of the system',
      ['dashboard', '-u', 'http://cdap.example:1', '--retries', '0'],
      { http_proxy: 'http://me:Pl4ntedPass@127.0.0.1:1' },
    ],
    [
      'an argument that may be changed',
      ['install', 'sample', '--hub', 'nosuch', '--set', `1.password=${PASSWORD}`, '-y'],
      {},
    ],
    ['a flag that there is not', ['dashboard', '--password', PASSWORD, '--token', TOKEN], {}],
    ['a word too many', ['version', `password=${PASSWORD}`], {}],
  ] as const)('that stands in %s', async (_, line, env) => {
    for (const way of WAYS)
      await withTempDir(async (home) => {
        await expectSilence([...line, ...way], env, home);
      });
  });

  it.each([
    ['a token file', TOKEN],
    ['a token answer', JSON.stringify({ access_token: TOKEN, expires_in: 1 })],
    ['a broken token answer', `{"access_token":"${TOKEN}",`],
    ['a file with two lines', `${TOKEN}\n${TOKEN}`],
    ['a file with a blank', `${TOKEN} ${TOKEN}`],
  ])('that stands in %s', async (_, text) => {
    answer = KINDS['a refusal with 401'] ?? answer;
    for (const way of WAYS)
      await withTempDir(async (home) => {
        const file = join(home, 'given-token');
        writeFileSync(file, text, { mode: 0o600 });
        const { code } = await expectSilence(['dashboard', '-u', server.url, '-a', file, ...way], {}, home);
        expect([2, 3]).toContain(code);
      });
  });

  it.each([
    ['prints it', `echo ${TOKEN}`, 3],
    ['prints it and fails', `echo ${TOKEN}; echo "password=${PASSWORD} ${TOKEN}" >&2; exit 1`, 3],
    ['prints it twice', `echo ${TOKEN}; echo ${TOKEN}`, 3],
    ['prints it in broken JSON', `echo '{"access_token":"${TOKEN}"'`, 3],
    ['fails with a page', `echo "<p>${TOKEN}</p>"; echo "Authorization: Bearer ${TOKEN}" >&2; exit 1`, 3],
  ])('that a token command knows which %s', async (_, script, expected) => {
    answer = KINDS['a refusal with 401'] ?? answer;
    for (const way of WAYS)
      await withTempDir(async (home) => {
        const program = join(home, 'given-program');
        writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        const line = ['dashboard', '-u', server.url, '--token-command', `${program} --password ${PASSWORD}`];
        const { code } = await expectSilence([...line, ...way], {}, home);
        expect(code).toBe(expected);
      });
  });

  it.each(Object.keys(KINDS))('that a login sends, after %s', async (kind) => {
    answer = KINDS[kind] ?? answer;
    for (const way of WAYS)
      await withTempDir(async (home) => {
        writeFileSync(join(home, 'given-password'), PASSWORD, { mode: 0o600 });
        const who = ['--username', 'alice', '--password-file', 'given-password', '--no-store'];
        const line = ['login', '-u', server.url, '--auth-url', `${server.url}/token`, ...who, ...way];
        await expectSilence(line, { CDAPCTL_TOKEN: TOKEN }, home);
      });
  });

  it.each([
    ['a values file', ['-f', 'given-values.yaml'], 2],
    ['a broken values file', ['-f', 'given-secret'], 2],
    ['a file of a value', ['--set-file', '1.password=given-secret'], 2],
  ])('that an install reads from %s', async (_, words, expected) => {
    answer = () => rawAnswer(200, '{"version":"6.11.0","name":"default"}');
    for (const way of WAYS)
      await withTempDir(async (home) => {
        const resources = { 'plug.jar': 'jar', 'plug.json': '{}' };
        const { files } = await signedHub({ packages: [hubPackage({ spec: pluginSpec(), resources })], index: false });
        await writeHubTree(join(home, 'given-hub'), files);
        writeFileSync(join(home, 'given-values.yaml'), `actions:\n  1:\n    set:\n      password: ${PASSWORD}\n`);
        writeFileSync(join(home, 'given-secret'), `password: "${PASSWORD}\n`);
        const line = ['install', 'test-package', '--hub', './given-hub', '--verify', 'off', '-u', server.url, '-y'];
        const { code, stderr } = await expectSilence([...line, ...words, ...way], {}, home);
        expect(code, stderr).toBe(expected);
      });
  });

  it.each([
    ['a file', ['--passphrase-file', 'given-passphrase'], {}],
    ['a variable', [], { CDAPCTL_PASSPHRASE: PASSWORD }],
  ])('that a key is opened with, from %s', async (_, words, env) => {
    for (const way of WAYS)
      await withTempDir(async (home) => {
        const locked = join(ROOT, 'test', 'fixtures', 'keys', 'signing', 'locked.secret.asc');
        writeFileSync(join(home, 'given-key'), readFileSync(locked), { mode: 0o600 });
        writeFileSync(join(home, 'given-passphrase'), `${PASSWORD}\n`, { mode: 0o600 });
        await writeHubTree(
          join(home, 'given-hub'),
          (await signedHub({ packages: [hubPackage()], index: false })).files,
        );
        const sign = ['hub', 'sign', 'given-hub', '--force', '--key', 'given-key'];
        expect((await expectSilence([...sign, ...words, ...way], env, home)).code).toBe(3);
        const make = ['hub', 'key', 'generate', '--name', 'x', '--email', 'x@example.org', '-O', 'new.key'];
        expect((await expectSilence([...make, ...words, ...way], env, home)).code).toBe(0);
      });
  });

  it('that a bundle of doctor is made from', async () => {
    for (const kind of Object.keys(KINDS))
      await withTempDir(async (home) => {
        answer = KINDS[kind] ?? answer;
        const env = { CDAPCTL_TOKEN: TOKEN, https_proxy: `http://me:${PASSWORD}@127.0.0.1:1` };
        await expectSilence(['doctor', '-u', server.url, '--bundle', 'bundle.json', '--retries', '0'], env, home);
        expect(readdirSync(home)).toContain('bundle.json');
      });
  });

  it('that stands in the configuration', async () => {
    for (const command of [
      ['context', 'list'],
      ['context', 'show', 'x'],
      ['config', 'list'],
      ['config', 'list', '-o', 'wide'],
      ['context', 'use', 'x'],
      ['dashboard', '--retries', '0'],
    ])
      for (const way of command.includes('wide') ? [TALK] : WAYS)
        await withTempDir(async (home) => {
          const file = join(home, 'given', 'config.yaml');
          mkdirSync(join(home, 'given'), { mode: 0o700 });
          const proxy = 'http://me:Pl4ntedPass@127.0.0.1:1';
          writeFileSync(
            file,
            `version: 1\ncurrent: x\ncontexts:\n  x:\n    url: http://cdap.example:1\n    proxy: ${proxy}\n`,
            { mode: 0o600 },
          );
          await expectSilence([...command, ...way], { CDAPCTL_CONFIG_DIR: join(home, 'given') }, home);
        });
  });
});
