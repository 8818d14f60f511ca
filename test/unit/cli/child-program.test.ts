import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandWords, rootedCommand } from '../../../src/config/command-words.js';
import { runProgram, tokenOfCommand, type ProgramOptions, type RunOptions } from '../../../src/cli/child-program.js';
import { CliError } from '../../../src/core/errors.js';
import { shellWord } from '../../../src/core/shell-word.js';
import { errorOf } from '../../support/errors.js';
import { temporaryFolder, wordsOf } from '../config/support.js';

const root = temporaryFolder();
const SECRET = 'AbC-dEf_123.~+/=';
const NOW = 1_700_000_000_000;
const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  env: { PATH: process.env['PATH'] },
  signal: new AbortController().signal,
  now: () => NOW,
  ...more,
});

/** A command that runs a script of the shell. */
const sh = (script: string): string => `sh -c ${shellWord(script)}`;

describe('the words of a token command', () => {
  it.each([
    ['gcloud auth print-access-token', ['gcloud', 'auth', 'print-access-token']],
    ['  a   b\tc\n', ['a', 'b', 'c']],
    [`'/opt/my tools/get' --for "me and you"`, ['/opt/my tools/get', '--for', 'me and you']],
    [`a"b c"'d e'f\\ g`, ['ab cd ef g']],
    [`a "" ''`, ['a', '', '']],
    [`a "x\\"y\\\\z\\n"`, ['a', 'x"y\\z\\n']],
    [`a '\\"'`, ['a', '\\"']],
    [
      'a $HOME ~ *.txt `id` $(id) | b && c > d; e',
      ['a', '$HOME', '~', '*.txt', '`id`', '$(id)', '|', 'b', '&&', 'c', '>', 'd;', 'e'],
    ],
  ])('%j are %j', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  it.each(['', '  ', `a 'b`, 'a "b', 'a \\', `''`])('%j is refused, and not quoted', async (text) => {
    expect((await errorOf(() => commandWords(text))).code).toBe('USAGE');
  });

  it.each([
    ['./get x', '/conf/get x'],
    ["'../my tools/get' 'a b'", "'/my tools/get' 'a b'"],
    ['bin/get', '/conf/bin/get'],
    ['/usr/bin/get x', '/usr/bin/get x'],
    ['get ./x', 'get ./x'],
  ])('%j of a file in /conf is %j', (text, rooted) => {
    expect(rootedCommand(text, '/conf')).toBe(rooted);
  });
});

describe('a token command', () => {
  const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
  it.each([
    ['the token alone', SECRET, undefined],
    ['the answer of the authentication server', { access_token: SECRET, token_type: 'Bearer', expires_in: 60 }, 60],
    ['seconds as a text', { access_token: SECRET, expires_in: '60' }, 60],
    ['token and expiry', { token: SECRET, expiry: at(90) }, 90],
    [
      'what plug-ins of kubectl print',
      { kind: 'ExecCredential', status: { token: SECRET, expirationTimestamp: at(30) } },
      30,
    ],
    ['what gcloud prints', { credential: { access_token: SECRET, token_expiry: at(3600) }, configuration: {} }, 3600],
    ['an expiry that is none', { token: SECRET, expiry: 'soon' }, undefined],
  ])('may print %s', async (_, printed, seconds) => {
    const text = typeof printed === 'string' ? `${printed}\n` : JSON.stringify(printed, null, 1);
    expect(await tokenOfCommand(sh(`printf %s ${shellWord(text)}`), options())).toEqual({
      token: SECRET,
      ...(seconds !== undefined && { expiresAt: NOW + seconds * 1000 }),
    });
  });

  it('is a program that need be no shell script, with its words as they are', async () => {
    const file = join(root, 'my program');
    writeFileSync(file, `#!/bin/sh\nprintf '%s-' "$@"\n`);
    chmodSync(file, 0o755);
    expect((await tokenOfCommand(`'${file}' '$HOME' a`, options())).token).toBe('$HOME-a-');
  });

  it('has no stdin, and its stderr is not shown when it succeeds', async () => {
    expect(await tokenOfCommand(sh(`cat; echo hello >&2; echo ${SECRET}`), options())).toEqual({ token: SECRET });
  });

  it.each([
    ['that fails', sh(`echo ${SECRET}; echo 'no account' >&2; exit 3`), 'sh ended with status 3', ['no account']],
    ['that is not there', 'no-such-program-here x', 'no-such-program-here was not found', []],
    ['that may not be run', '/etc/passwd x', '/etc/passwd cannot be started (EACCES)', []],
    ['that kills itself', sh('kill -9 $$'), 'sh was ended by SIGKILL', []],
    ['that prints nothing', sh('exit 0'), 'is empty', []],
    ['that prints a page', sh('echo "<html> <p>"'), 'has white space', []],
    ['that prints two tokens', sh(`echo ${SECRET}; echo ${SECRET}`), 'has more than one line', []],
    ['that prints broken JSON', sh(`echo '{"token": "${SECRET}"'`), 'is invalid JSON', []],
    ['that prints too much', 'yes', 'yes printed more than 65536 characters', []],
  ])('%s is TOKEN_COMMAND, and no token is shown', async (_, command, why, lines) => {
    const error = await errorOf(() => tokenOfCommand(command, options()));
    expect([error.code, error.exitCode, error.details.sent]).toEqual(['TOKEN_COMMAND', 3, 'no']);
    expect(error.message).toContain(why);
    expect(error.details.lines ?? []).toEqual(lines);
    expect(wordsOf(error)).not.toContain(SECRET);
  });

  it('that takes too long is ended, with what it started', async () => {
    const file = join(root, 'child');
    const script = `(sleep 5; touch ${file}) & sleep 30`;
    const error = await errorOf(() => tokenOfCommand(sh(script), options({ limit: 200 })));
    expect(error.message).toBe('the token command sh did not end within 0.2 s');
    expect(existsSync(file)).toBe(false);
  });

  it('is ended by the signal of the run, whose reason is told', async () => {
    const control = new AbortController();
    const asked = tokenOfCommand(sh('sleep 30'), options({ signal: control.signal }));
    control.abort(new Error('Ctrl-C'));
    await expect(asked).rejects.toThrow('Ctrl-C');
  });

  it('does not wait for what it left behind', async () => {
    const file = join(root, 'pid');
    const started = performance.now();
    const { token } = await tokenOfCommand(sh(`sleep 20 & echo $! > ${file}; echo ${SECRET}`), options());
    expect([token, performance.now() - started < 10_000]).toEqual([SECRET, true]);
    process.kill(Number(readFileSync(file, 'utf8')));
  });
});

describe('the stdin of a program', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
  const give: ProgramOptions['give'] = async (write) => {
    for (let at = 0; at < bytes.length; at += 100_000) await write(bytes.subarray(at, at + 100_000));
  };
  const run = (script: string, more: Partial<ProgramOptions> = {}) =>
    runProgram('sh', ['-c', script], { ...options(), limit: 20_000, most: 1_000_000, give, ...more });

  it('gets every byte, and what is printed keeps every byte', async () => {
    const { stdout, why } = await run('cat');
    expect([Buffer.from(stdout, 'latin1').equals(bytes), why]).toEqual([true, undefined]);
  });

  it('has no secret of the tool in its environment, but all else', async () => {
    const [at, proxy] = ['http://user:word@proxy.example', 'http://proxy.example'];
    const secrets = { CDAPCTL_TOKEN: SECRET, CDAPCTL_PASSPHRASE: 'words', CDAPCTL_PROXY: at };
    const env = { ...options().env, ...secrets, CDAPCTL_URL: proxy, AWS_TOKEN: 'its own', https_proxy: at };
    const { stdout } = await run('cat >/dev/null; env', { env });
    const names = stdout.split('\n').map((line) => line.split('=')[0] ?? '');
    expect(names.filter((name) => /CDAPCTL|AWS|proxy/u.test(name)).sort()).toEqual([
      'AWS_TOKEN',
      'CDAPCTL_URL',
      'https_proxy',
    ]);
    const { token } = await tokenOfCommand(sh('echo $CDAPCTL_TOKEN'), options({ env }));
    expect(token).toBe(SECRET);
  });

  it('need not be read', async () => {
    expect(await run('echo no card >&2; exit 3')).toMatchObject({ why: 'ended with status 3', stderr: 'no card\n' });
    expect(await run('echo signed')).toMatchObject({ why: undefined, stdout: 'signed\n' });
  });

  it('ends the program when the bytes cannot be had', async () => {
    const gone = new CliError('CHANGED_MEANWHILE', 'the file is gone');
    await expect(run('cat; sleep 30', { give: () => Promise.reject(gone) })).rejects.toBe(gone);
  });
});
