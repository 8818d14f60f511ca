import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { startRecordingProxy } from '../support/recording-proxy.js';
import { ROOT, runCli, withTempDir } from '../support/processes/run-cli.js';
import { verdictSeed } from '../support/sites/upgrade-seed.js';
import { openUpgradeSite, upgradeDocument, withUpgradeSite } from '../support/sites/upgrade-site.js';

const TLS = resolve(ROOT, 'test/fixtures/tls');
const read = (name: string): Buffer => readFileSync(join(TLS, name));
const GATEWAY = { prefix: '/api', tls: { key: read('good.key'), cert: read('good.pem') } };
const ALICE = { user: 'alice', password: 'pl4nted-password', token: 'pl4nted-token', seconds: 60 };

/** A program that logs in at the emulator and prints the token, `as` it is told; each run leaves two lines. */
function tokenProgram(
  home: string,
  url: string,
  as: 'json' | 'text',
): { readonly file: string; readonly lines: () => string[] } {
  const file = join(home, 'get token.mjs');
  const log = join(home, 'token-runs');
  writeFileSync(
    file,
    `#!${process.execPath}
import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, 'begin\\n');
const headers = { authorization: 'Basic ' + btoa('alice:pl4nted-password') };
const answer = await (await fetch('${url}/token', { headers })).json();
console.log(${as === 'json' ? 'JSON.stringify(answer)' : 'answer.access_token'});
console.error('a word on stderr');
appendFileSync(${JSON.stringify(log)}, 'end\\n');
`,
  );
  chmodSync(file, 0o755);
  appendFileSync(log, '');
  return { file, lines: () => readFileSync(log, 'utf8').split('\n').slice(0, -1) };
}

/** A clock of the platform on which each look takes a part of a second. */
function hurriedClock(milliseconds: number): () => number {
  let time = Date.now();
  return () => (time += milliseconds);
}

/** A clock of the platform that jumps so many times, between two requests. */
function jumpingClock(milliseconds: number) {
  let [late, looks, left] = [0, 0, 0];
  const now = (): number => {
    looks += 1;
    if (left > 0 && looks % 10 === 0) {
      left -= 1;
      setImmediate(() => (late += milliseconds));
    }
    return Date.now() + late;
  };
  return { now, jump: (times: number) => (left = times) };
}

describe('a token command', () => {
  it('P40: renews tokens of 60 s in the middle of an upgrade of 200 pipelines behind https://HOST/api, nothing is sent twice', async () => {
    const count = 200;
    const site = await openUpgradeSite({ seed: { pipelines: [{ count }] }, auth: [ALICE], now: hurriedClock(250) });
    const gateway = await startRecordingProxy(site.url, GATEWAY);
    const program = tokenProgram(site.home, site.url, 'text');
    const line = ['upgrade', '-u', gateway.url, '-n', 'default', '-y', '--json', '--ca-file', join(TLS, 'root.pem')];
    try {
      const run = await runCli([...line, '--token-command', `'${program.file}'`], {
        home: site.home,
        timeout: 120_000,
      });
      const { item, code } = await upgradeDocument(run);
      expect([code, item?.summary.failed]).toEqual([0, 0]);
      expect(`${run.stdout}${run.stderr}`).not.toMatch(/pl4nted|a word on stderr/u);
      const refused = gateway.requests.filter(({ status }) => status === 401);
      const puts = gateway.requests.filter(({ method, status }) => method === 'PUT' && status !== 401);
      expect(refused.length).toBeGreaterThan(3);
      expect(puts.length).toBe(item?.summary.upgraded);
      expect(new Set(puts.map(({ path }) => path)).size).toBe(puts.length);
      expect(new Set(puts.map(({ status }) => status))).toEqual(new Set([200]));
      // One at a time, and no more than rejections.
      const lines = program.lines();
      expect(lines).toEqual(lines.map((_, at) => (at % 2 === 0 ? 'begin' : 'end')));
      expect(lines.length / 2).toBeGreaterThan(3);
      expect(lines.length / 2 - 1).toBeLessThanOrEqual(refused.length);
    } finally {
      await gateway.close();
      await site.close();
    }
  }, 180_000);

  it.each<[string, readonly string[][], readonly string[], readonly string[]]>([
    [
      'a download of some thousand records',
      [
        ['report', 'service', 'enable', '-y'],
        ['report', 'generate', '--last', '30d', '-y', '--engine', 'platform', '--wait'],
      ],
      ['report', 'download', 'latest', '-o', 'csv'],
      [],
    ],
    [
      'a log that is followed',
      [['pipeline', 'start', 'etl/orders', '-y', '--wait=running']],
      ['pipeline', 'logs', 'etl/orders', 'latest'],
      ['--follow', '--interval', '100ms'],
    ],
  ])('P40: renews tokens that end in the middle of %s, and not a byte is lost', async (_, before, line, more) => {
    const clock = jumpingClock(61_000);
    const seed = { ...verdictSeed('6.1.1'), runs: { count: 6000 } };
    const site = await openUpgradeSite({ platform: '6.1.1', seed, auth: [ALICE], now: clock.now });
    const program = tokenProgram(site.home, site.url, 'text');
    const run = async (words: readonly string[]): Promise<string> => {
      const command = ['-u', site.url, '--token-command', `'${program.file}'`];
      const { code, stdout, stderr } = await site.cdapctl([...words, ...command]);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    try {
      await fetch(`${site.url}/emulator/runs`, { method: 'POST', body: '{"lasts":240000}' });
      for (const words of before) await run(words);
      const runs = program.lines().length;
      clock.jump(5);
      const text = await run([...line, ...more]);
      clock.jump(0);
      expect((program.lines().length - runs) / 2).toBeGreaterThan(1);
      // Read again with a token that lasts.
      expect(text === (await run(line))).toBe(true);
      expect(text.length).toBeGreaterThan(10_000);
    } finally {
      await site.close();
    }
  });

  it('stands in a context, for its address only, and is shown without its secrets', () =>
    withUpgradeSite({ auth: [ALICE] }, async (site) => {
      const { url, home } = site;
      const program = tokenProgram(home, url, 'json');
      const command = `'${program.file}' --password=pl4nted-word`;
      expect((await site.cdapctl(['context', 'add', 'prod', '-u', url, '--token-command', command])).code).toBe(0);
      const shown = await site.cdapctl(['context', 'show', 'prod', '--json']);
      expect(shown.stdout).toContain('get token.mjs');
      expect(shown.stdout).not.toContain('pl4nted');
      expect(program.lines()).toEqual([]);
      expect((await site.cdapctl(['namespace', 'list', '-o', 'name'])).stdout).toBe('default\n');
      expect(program.lines().length).toBe(2);
      const other = await site.cdapctl(['namespace', 'list', '-u', url.replace('127.0.0.1', 'localhost')]);
      expect([other.code, program.lines().length]).toEqual([3, 2]);
      // A file takes its place.
      expect((await site.cdapctl(['context', 'set', 'prod', '-a', './token'])).code).toBe(0);
      expect((await site.cdapctl(['context', 'show', 'prod', '--json'])).stdout).not.toContain('tokenCommand');
    }));

  it.each(['command', 'file'])('has an end that whoami tells, where its answer names one (%s)', (kind) =>
    withUpgradeSite({ auth: [ALICE] }, async ({ url, home }) => {
      const headers = { authorization: `Basic ${btoa('alice:pl4nted-password')}` };
      writeFileSync(join(home, 'token'), await (await fetch(`${url}/token`, { headers })).text(), { mode: 0o600 });
      const words = kind === 'file' ? ['-a', 'token'] : ['--token-command', 'cat token'];
      const { stdout } = await runCli(['whoami', '-u', url, ...words, '--json'], { home, cwd: home });
      const { item } = JSON.parse(stdout) as { item: { expiresAt: string } };
      const left = Date.parse(item.expiresAt) - Date.now();
      expect([left > 40_000, left <= 60_000]).toEqual([true, true]);
    }),
  );

  it('of a flag comes before one of the environment, a file before a command of the same place', () =>
    withUpgradeSite({ auth: [{ ...ALICE, seconds: undefined }] }, async ({ url, home }) => {
      writeFileSync(join(home, 'token'), ALICE.token, { mode: 0o600 });
      const list = (words: readonly string[], env: Record<string, string>) =>
        runCli(['namespace', 'list', '-u', url, ...words], { home, env });
      const good = `printf %s ${ALICE.token}`;
      expect((await list(['--token-command', good], { CDAPCTL_TOKEN_FILE: './no-such-file' })).code).toBe(0);
      expect((await list(['-a', 'token'], { CDAPCTL_TOKEN_COMMAND: 'false' })).code).toBe(0);
      expect((await list([], { CDAPCTL_TOKEN_COMMAND: 'false', CDAPCTL_TOKEN_FILE: 'token' })).code).toBe(0);
      expect((await list([], { CDAPCTL_TOKEN_COMMAND: good, CDAPCTL_TOKEN: 'wrong' })).code).toBe(0);
      expect((await list(['-a', 'token', '--token-command', good], {})).code).toBe(2);
    }));

  it('that fails ends with 3 before anything is sent, with its stderr and without its secrets', () =>
    withUpgradeSite({ auth: [ALICE] }, async (site) => {
      const script = `echo not-to-be-shown-either; echo "no account for not-to-be-shown-either: password=pl4nted-word" >&2; exit 4`;
      const { code, stderr } = await site.cdapctl([
        'namespace',
        'list',
        '-u',
        site.url,
        '--token-command',
        `sh -c '${script}'`,
      ]);
      expect(code).toBe(3);
      expect(stderr).toContain('the token command sh ended with status 4');
      expect(stderr).toContain('no account');
      expect(stderr).toContain('[TOKEN_COMMAND]');
      expect(stderr).not.toMatch(/pl4nted|not-to-be-shown/u);
      expect(await site.requests()).toEqual([]);
    }));

  it.each(['same', 'new'])('P01: whose token is rejected although it is fresh (%s) ends with 3', (kind) =>
    withUpgradeSite({ auth: [ALICE] }, async (site) => {
      const script = kind === 'same' ? 'echo wrong-token-1' : 'echo wrong-token-$$';
      const line = ['namespace', 'list', '-u', site.url, '--token-command', `sh -c '${script}'`];
      const { code, stderr } = await site.cdapctl(line);
      expect([code, (await site.requests()).length]).toEqual([3, kind === 'same' ? 1 : 2]);
      expect(stderr).toContain('the token of sh (--token-command) was rejected');
    }),
  );

  it.each(['tokenCommand: touch owned', 'token-command: touch owned', 'contexts: {x: {tokenCommand: touch owned}}'])(
    'is never taken from a project file (%s)',
    (text) =>
      withTempDir(async (home) => {
        writeFileSync(join(home, '.cdapctl.yaml'), `${text}\n`);
        const { code, stderr } = await runCli(['namespace', 'list', '-u', 'http://127.0.0.1:1'], { home });
        expect(code).toBe(2);
        expect(stderr).toContain('a project file must not set');
      }),
  );
});

it('a token file that somebody renews is read again when the platform rejects the token', () =>
  withTempDir(async (home) => {
    const file = join(home, 'token');
    writeFileSync(file, 'old-token', { mode: 0o600 });
    const server = await rawServer((socket, { target, headers }) => {
      writeFileSync(file, 'new-token', { mode: 0o600 });
      const isGood = headers['authorization'] === 'Bearer new-token';
      const body = target === '/v3/version' ? '{"version":"6.11.0"}' : '[{"name":"default","description":""}]';
      socket.end(isGood ? rawAnswer(200, body, { connection: 'close' }) : rawAnswer(401, '', { connection: 'close' }));
    });
    try {
      const { stdout } = await runCli(['namespace', 'list', '-u', server.url, '-a', file, '-o', 'name'], { home });
      expect([stdout, server.requests.length]).toEqual(['default\n', 3]);
    } finally {
      await server.close();
    }
  }));
