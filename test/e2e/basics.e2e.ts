import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProbe } from '../support/processes/probe.js';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { environmentOf, ROOT, runCli, STARTER, withTempDir, type RunOptions } from '../support/processes/run-cli.js';

interface Envelope {
  readonly schemaVersion: number;
  readonly kind: string;
  readonly error?: {
    readonly code: string;
    readonly exitCode: number;
    readonly message: string;
    readonly details: string;
    readonly hints: string[];
  };
  readonly items?: unknown[];
  readonly item?: unknown;
  readonly warnings: { readonly code: string; readonly message: string }[];
}

const windows = process.platform === 'win32';
let folder: string;
let starter: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-probe-'));
  starter = buildProbe(folder);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const probe = (args: readonly string[], options: RunOptions = {}): ReturnType<typeof runCli> =>
  runCli(args, { ...options, starter });

function documentOf(stdout: string): Envelope {
  expect(stdout.endsWith('\n')).toBe(true);
  return JSON.parse(stdout) as Envelope;
}

describe('errors (traps 1 to 5, 8, 9 of the framework)', () => {
  const cases: readonly (readonly [name: string, args: string[], exit: number, code: string])[] = [
    ['an unknown flag', ['list', 'x', '--bogus'], 2, 'USAGE'],
    ['a missing argument', ['list'], 2, 'USAGE'],
    ['an argument too many', ['list', 'x', 'y'], 2, 'USAGE'],
    ['a value that is not a number', ['list', 'x', '--count', '1e3'], 2, 'USAGE'],
    ['a number out of range', ['list', 'x', '--count', '-1'], 2, 'USAGE'],
    ['a duration without a unit', ['list', 'x', '--wait', '90'], 2, 'USAGE'],
    ['an unknown output format', ['list', 'x', '--color', 'blue'], 2, 'USAGE'],
    ['flags that cannot be used together', ['list', 'x', '--a', '1', '--b', '2'], 2, 'USAGE'],
    ['an unknown command', ['lst'], 2, 'USAGE'],
    ['an error of a service', ['refuse'], 5, 'HUB_NOT_FOUND'],
    ['a bug', ['crash'], 1, 'INTERNAL'],
    ['a bug outside the command', ['crash', '--later'], 1, 'INTERNAL'],
    ['a step that never ends', ['hang'], 1, 'INTERNAL'],
  ];

  it.each(cases)('%s ends with the same code in text and in json', async (_, args, exit, code) => {
    const [text, json, ndjson] = await Promise.all([
      probe(args),
      probe([...args, '--json']),
      probe([...args, '-o', 'ndjson']),
    ]);
    expect([text.code, json.code, ndjson.code]).toEqual([exit, exit, exit]);
    expect(text.stdout).toBe('');
    expect(text.stderr).toContain(`[${code}]`);
    expect(text.stderr).not.toMatch(/\n\s+at /u);
    const failure = documentOf(json.stdout);
    expect(failure).toMatchObject({ schemaVersion: 1, kind: 'Error', error: { code, exitCode: exit }, item: null });
    expect(documentOf(ndjson.stdout)).toMatchObject({ type: 'error', error: { code } });
    expect(json.stdout.length).toBeLessThan(2000);
  });

  it('keeps warnings in json, of a success and of a failure', async () => {
    const warning = { code: 'BAD_FIELD', message: 'something is odd' };
    const [good, bad] = await Promise.all([probe(['list', 'x', '--json']), probe(['refuse', '--json'])]);
    expect(documentOf(good.stdout)).toMatchObject({ kind: 'ProbeList', items: [{ name: 'x' }], warnings: [warning] });
    expect(documentOf(bad.stdout)).toMatchObject({ kind: 'Error', warnings: [warning] });
  });

  it('writes an envelope for an empty list', async () => {
    const { code, stdout } = await probe(['list', 'x', '--count', '0', '--json']);
    expect(code).toBe(0);
    expect(documentOf(stdout)).toMatchObject({ items: [], page: { offset: 0, returned: 0, total: 0, next: null } });
  });

  it('never repeats values of the line or of the environment', async () => {
    const env = { CDAPCTL_TOKEN: 'canary-one-123', CDAPCTL_FAIL: 'canary-two-123', SECRET: 'canary-three-123' };
    const lines = [
      ['list', 'x', '--token', 'canary-four-123'],
      ['list', 'x', '--token=canary-four-123'],
      ['list', 'x', '--passphrase', 'canary-four-123'],
      ['list', 'x', '--a', 'canary-four-123', '--b', 'canary-five-123'],
      ['list', 'x', 'canary-four-123'.repeat(3)],
      ['list', 'x', '-pcanary-four-123'],
    ];
    for (const line of lines.flatMap((args) => [args, [...args, '--json']])) {
      const { code, stdout, stderr } = await probe(line, { env });
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain('canary');
    }
  });

  it('says "use a file" to a secret on the command line', async () => {
    const token = await probe(['list', 'x', '--token', 'abc']);
    expect(token.stderr).toContain('use a file: --token-file FILE');
    const passphrase = await probe(['list', 'x', '--passphrase=abc']);
    expect(passphrase.stderr).toContain('use a file: --passphrase-file FILE');
  });

  it.each([
    [['lst', 'x'], 'Did you mean "cdapctl list"?'],
    [['list', 'x', '--cuont', '1'], 'Did you mean --count?'],
    [['list', 'x', '--color', 'allways'], 'Did you mean --color=always?'],
    [['list', 'x', '--fields', 'nmae'], '--fields name'],
    [['lits', '--help'], 'Did you mean "cdapctl list"?'],
  ])('suggests the nearest word for %j', async (args, hint) => {
    const { code, stderr } = await probe(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it('prints the usage line when an argument is missing', async () => {
    const { stderr } = await probe(['list']);
    expect(stderr).toContain('missing argument PACKAGE');
    expect(stderr).toContain('usage  cdapctl list PACKAGE [flags]');
  });

  it('does not break commands and addresses at the width of anything', async () => {
    const { stderr } = await probe(['refuse'], { env: { COLUMNS: '40' } });
    expect(stderr).toContain(`cdapctl hub list --hub https://hub.example.com/${'long/'.repeat(30)}v2\n`);
  });

  it('shows what a hostile server said without its control characters', async () => {
    const { stderr } = await probe(['refuse']);
    expect(stderr).toContain(String.raw`server said  no \x1b[2Jsuch \u{202e}thing`);
    const { stdout } = await probe(['refuse', '--json']);
    expect(stdout).toMatch(/^[\u0020-\u007e\n]*$/u);
    expect(documentOf(stdout).error?.details).toBe('no \u001b[2Jsuch \u202ething');
  });

  it('prints what happened inside with --debug, without secrets and with the same code', async () => {
    const { code, stderr } = await probe(['crash', '--debug']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\n +at .*cdapctl\.cjs/u);
    expect(stderr).not.toContain('canary-secret');
  });

  it.each([
    ['context', 'add'],
    ['dashboard', '--nonsense', 'planted-word'],
    ['version', '--token=planted-word'],
  ])('dumps neither environment nor line with --debug: %s %s', async (...line) => {
    const { code, stdout, stderr } = await runCli([...line, '--debug', '--set', 'planted-word'], {
      env: { CDAPCTL_TOKEN: 'planted-token', OTHER: 'planted-word' },
    });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('planted');
    expect(stderr).toMatch(/\n +at .*cdapctl\.cjs/u);
  });

  it('shows requests with -v, their headers with --debug and --trace-http -, without secrets', async () => {
    const server = await rawServer((socket) => {
      socket.end(rawAnswer(500, 'no'));
    });
    const line = ['metrics', 'tags', '-u', server.url, '--retries', '0'];
    const env = { CDAPCTL_TOKEN: 'planted-token' };
    const brief = await runCli([...line, '-v'], { env });
    expect(brief.stderr).toMatch(/^GET http:\S+\/v3\/version {2}-> {2}500, \d+ ms\n/u);
    for (const flags of [['--debug'], ['--trace-http', '-']]) {
      const { stderr } = await runCli([...line, ...flags], { env });
      expect(stderr).toMatch(
        /^> GET http:\S+\/v3\/version\n> {3}host: .*\n[^<]*> {3}authorization: \*\*\*\n[^<]*< 500 GET /u,
      );
      expect(stderr).not.toContain('planted');
    }
    await server.close();
  });

  it('refuses a trace into what is no file, before anything is sent', async () => {
    await withTempDir(async (home) => {
      const line = ['metrics', 'tags', '-u', 'http://127.0.0.1:1', '--trace-http'];
      for (const place of [home, '/dev/null', join(home, 'no', 'trace')]) {
        const { code, stderr } = await runCli([...line, place], { home });
        expect([code, stderr]).toEqual([15, expect.stringContaining(place)]);
      }
    });
  });

  it('writes a report about a bug, for the owner only, without secrets', async () => {
    await withTempDir(async (home) => {
      const { stderr } = await probe(['crash'], { home });
      expect(stderr).not.toContain('canary-secret');
      const crashes = join(home, '.local/state/cdapctl/crashes');
      const [name = ''] = await readdir(crashes);
      const file = join(crashes, name);
      expect(stderr).toContain(`a crash report was written to ${file}`);
      const text = await readFile(file, 'utf8');
      expect(text).toContain('TypeError: cannot read the answer');
      expect(text).not.toContain('canary-secret');
      if (!windows) expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });
});

describe('flags (traps 6, 7, 12)', () => {
  it.each([
    [['list', '--set', 'a=1', 'pack'], 'pack', 'a=1'],
    [['list', 'pack', '--set', 'a=1', '--set', 'b=2'], 'pack', 'a=1|b=2'],
    [['list', '--set=a=1', '--', '-pack'], '-pack', 'a=1'],
  ])('%j takes one value per flag', async (args, name, set) => {
    const { stdout } = await probe([...args.slice(0, 1), '--json', ...args.slice(1)]);
    expect(documentOf(stdout).items).toEqual([{ name, set }]);
  });

  it('does not take a second word as a value', async () => {
    const { code, stderr } = await probe(['list', 'pack', '--set', 'a=1', 'b=2']);
    expect(code).toBe(2);
    expect(stderr).toContain('unexpected argument "b=2"');
  });

  it('reads every flag from its environment twin, and prefers the line', async () => {
    const env = { CDAPCTL_SET: 'from-env', CDAPCTL_COUNT: '2', CDAPCTL_JSON: '1' };
    const both = documentOf((await probe(['list', 'x'], { env })).stdout);
    expect(both.items).toHaveLength(2);
    expect(both.items?.[0]).toEqual({ name: 'x', set: 'from-env' });
    const line = await probe(['list', 'x', '--count', '1', '-o', 'name'], { env });
    expect(line.stdout).toBe('x\n');
  });

  it('is not switched to json by the framework variable', async () => {
    const { stdout } = await probe(['list', 'x'], { env: { CDAPCTL_CONTENT_TYPE: 'json' } });
    expect(stdout).toBe('NAME  SET\nx     -\n');
  });

  it.each([
    [['list', '-h']],
    [['list', '--help']],
    [['list', 'x', '--bogus', '--help']],
    [['help', 'list']],
    [['list', '-h', '--json', '--color', 'blue']],
  ])('%j is help and wins over everything else', async (args) => {
    const { code, stdout, stderr } = await probe(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('List what it is told to');
    expect(stdout).toContain('cdapctl list PACKAGE [flags]');
  });

  it('takes everything after -- as arguments', async () => {
    const { stdout } = await probe(['list', '--json', '--', '--help']);
    expect(documentOf(stdout).items).toEqual([{ name: '--help', set: '' }]);
  });

  it('refuses --json together with another format', async () => {
    const { code, stdout, stderr } = await probe(['list', 'x', '-o', 'csv', '--json']);
    expect([code, stderr]).toEqual([2, '']);
    expect(documentOf(stdout).error?.message).toBe('--json and --output cannot be used together');
  });

  it.each([
    [['--version'], /^cdapctl [\d.]+\n$/u],
    [['namespace', 'list', '-V'], /^cdapctl [\d.]+\n$/u],
    [['version', '--version'], /^cdapctl [\d.]+\n$/u],
    [['--version', '--json'], /"kind":"Version"/u],
    [['hub', 'list', '--version', '-o', 'json'], /"kind":"Version"/u],
  ])('%j is the version of the tool, and of no command', async (line, expected) => {
    const { code, stdout, stderr } = await runCli(line);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(expected), '']);
  });

  it.each([['--version'], ['-V'], ['version']])('%s answers', async (word) => {
    const { code, stdout } = await runCli([word]);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(code).toBe(0);
    expect(stdout).toContain(version);
  });
});

describe('streams, signals and colour (traps 10, 11, 14, 15)', () => {
  it('ends quietly with 0 when the reader of stdout goes away', async () => {
    const child = spawn(process.execPath, [starter, 'list', 'x', '--count', '300000'], { env: environmentOf(folder) });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(stderr).toBe('warning: something is odd\n');
  });

  it.skipIf(windows)('does its work although stderr is closed', async () => {
    const child = spawn('sh', ['-c', `"$0" "$1" list x 2>&-`, process.execPath, starter], {
      env: environmentOf(folder),
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(stdout).toBe('NAME  SET\nx     -\n');
  });

  it.skipIf(process.platform !== 'linux')('tells when stdout cannot be written', async () => {
    const child = spawn('sh', ['-c', `"$0" "$1" list x > /dev/full`, process.execPath, starter], {
      env: environmentOf(folder),
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    expect(await once(child, 'close')).toEqual([15, null]);
    expect(stderr).toContain('[DISK_FULL]');
  });

  it.skipIf(windows).each([
    ['SIGINT', 130, 'INTERRUPTED'],
    ['SIGTERM', 143, 'TERMINATED'],
    ['SIGHUP', 129, 'HANGUP'],
  ] as const)('lets a command end properly on %s', async (signal, code, name) => {
    const { child, stderr } = await started(['wait']);
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(stderr()).toContain('asked to end');
    expect(stderr()).toContain(`[${name}]`);
  });

  it.skipIf(windows)('leaves at once on the second signal', async () => {
    const { child, stderr } = await started(['wait', '--deaf']);
    child.kill('SIGINT');
    while (!stderr().includes('asked to end')) await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('colours only when told to off a terminal, and each stream alone', async () => {
    const plain = await probe(['refuse']);
    expect(plain.stderr).not.toContain('\u001b');
    const forced = await probe(['refuse'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain('\u001b[31mError:');
    const off = await probe(['refuse', '--no-color'], { env: { FORCE_COLOR: '1' } });
    expect(off.stderr).not.toContain('\u001b');
  });

  it('writes the same numbers and times in any locale and zone', async () => {
    const odd = { LANG: 'de_DE.UTF-8', LC_ALL: 'ar_EG.UTF-8', TZ: 'Asia/Kathmandu' };
    const [usual, other] = await Promise.all([
      probe(['list', 'x', '--count', '3', '--json']),
      probe(['list', 'x', '--count', '3', '--json'], { env: odd }),
    ]);
    expect(other.stdout).toBe(usual.stdout);
  });

  it('ignores what stands on stdin when the command does not read it', async () => {
    const { code, stdout, stderr } = await probe(['list'], { stdin: 'from-stdin\n' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('missing argument PACKAGE');
  });

  async function started(
    args: readonly string[],
  ): Promise<{ child: ReturnType<typeof spawn> & { stderr: NodeJS.ReadableStream }; stderr: () => string }> {
    const child = spawn(process.execPath, [starter, ...args], { env: environmentOf(folder) });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    while (!text.includes('waiting')) await once(child.stderr, 'data');
    return { child, stderr: () => text };
  }
});

describe('the start (traps 13, 16)', () => {
  it('shows the commands and three examples when nothing is asked', async () => {
    const { code, stdout } = await runCli([]);
    expect(code).toBe(0);
    expect(stdout).toContain('COMMANDS');
    expect(stdout.match(/^ {2}cdapctl .*$/gmu)?.length).toBeGreaterThanOrEqual(4);
  });

  it.each([['config'], ['help', 'config'], ['config', '--help']])(
    'lists the commands of a bare topic (%s %s)',
    async (...args) => {
      const { code, stdout } = await runCli(args);
      expect(code).toBe(0);
      expect(stdout).toContain('path  ');
    },
  );

  it.each([['flags'], ['exit-codes'], ['environment'], ['formats'], ['scripting'], ['trust'], ['times']])(
    'has help about %s',
    async (topic) => {
      const { code, stdout } = await runCli(['help', topic]);
      expect(code).toBe(0);
      expect(stdout.length).toBeGreaterThan(200);
    },
  );

  it('works without a home, with broken settings and with stdin closed', async () => {
    const env = { HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: undefined, XDG_CACHE_HOME: undefined };
    for (const args of [['--version'], ['--help'], ['version', '--help']]) {
      expect(await runCli(args, { env })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('keeps compiled code per command, for its owner only, and starts without it when the folder cannot be written', async () => {
    await withTempDir(async (home) => {
      await runCli(['config', 'path'], { home, cold: true });
      const code = join(home, '.cache/cdapctl/code');
      const [name = ''] = await readdir(code);
      expect(name).toMatch(/_config\.path\.bin$/u);
      const before = await stat(join(code, name));
      if (!windows) expect(before.mode & 0o777).toBe(0o600);
      expect(await runCli(['config', 'path', '-o', 'name'], { home, cold: true })).toMatchObject({ code: 0 });
      expect((await stat(join(code, name))).mtimeMs).toBe(before.mtimeMs);
      await writeFile(join(code, name), 'not compiled code');
      expect(await runCli(['config', 'path', '-o', 'name'], { home, cold: true })).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect((await stat(join(code, name))).size).toBeGreaterThan(10_000);
      expect(
        await runCli(['version'], { home, cold: true, env: { CDAPCTL_CACHE_DIR: '/proc/nowhere' } }),
      ).toMatchObject({
        code: 0,
        stderr: '',
      });
    });
  });

  const readKey = [
    'hub',
    'key',
    'add',
    join(ROOT, 'test/fixtures/keys/gpg/ed25519.key.asc'),
    '--hub',
    'https://a.invalid',
  ];
  it.each([
    ['its own', /^\d/u, ['--version'], 0, ''],
    ['its second script', /^\d.*-second\.cjs_/u, readKey, 2, 'Example ed25519'],
    ['the library of signatures', /^openpgp-/u, readKey, 2, 'Example ed25519'],
  ])(
    'starts without compiled code of which a bit is wrong, or on which a run crashed, and makes it anew: %s',
    async (_, kind, line, code, told) => {
      await withTempDir(async (home) => {
        const folder = join(home, '.cache/cdapctl/code');
        const run = async (): Promise<string> => {
          const result = await runCli(line, { home, cold: true });
          expect(result.code).toBe(code);
          expect(result.stderr).toContain(told);
          const names = await readdir(folder);
          expect(names.filter((name) => !name.endsWith('.bin'))).toEqual([]);
          return join(folder, names.find((name) => kind.test(name)) ?? '');
        };
        const file = await run();
        const good = await readFile(file);
        for (const at of [0, 5, 8, good.length >> 1, good.length - 1]) {
          const bytes = Buffer.from(good);
          bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
          await writeFile(file, bytes);
          expect((await readFile(await run())).equals(bytes)).toBe(false);
        }
        const { ino } = await stat(file);
        expect((await stat(await run())).ino).toBe(ino);
        // No process of Linux, macOS or Windows has this number.
        await writeFile(`${file}.run-999999999`, '');
        // Kept open, so that no new file gets its number.
        const kept = await open(file);
        await run();
        expect((await stat(file)).ino).not.toBe(ino);
        await kept.close();
      });
    },
  );

  it('compiles a library of signatures anew that somebody put in the place of the other, also one of the same size', async () => {
    await withTempDir(async (home) => {
      const [own, library] = [join(home, 'own'), 'node_modules/openpgp'];
      for (const name of [
        'bin',
        'dist',
        'package.json',
        `${library}/package.json`,
        `${library}/dist/node/openpgp.min.cjs`,
      ])
        await cp(join(ROOT, name), join(own, name), { recursive: true });
      const run = () => runCli(readKey, { home, cold: true, starter: join(own, 'bin/run.js') });
      expect((await run()).stderr).toContain('[INPUT_MISSING]');
      const file = join(own, library, 'dist/node/openpgp.min.cjs');
      const text = await readFile(file, 'utf8');
      expect(text).toContain('"use strict";');
      await writeFile(file, text.replace('"use strict";', "throw 'gone';"));
      expect((await run()).stderr).toContain('[KEY_UNUSABLE]');
    });
  });

  it('runs nothing of another build that was put in its place while it started', async () => {
    await withTempDir(async (home) => {
      const own = join(home, 'own');
      for (const name of ['bin', 'dist', 'package.json'])
        await cp(join(ROOT, name), join(own, name), { recursive: true });
      const file = join(own, 'dist/second.cjs');
      await writeFile(file, (await readFile(file, 'utf8')).replace(/^\/\* \S+-/u, '/* 0.0.0-'));
      const run = (...line: string[]) => runCli(line, { home, starter: join(own, 'bin/run.js') });
      expect(await run('--version')).toMatchObject({ code: 0 });
      const { code, stderr } = await run('doctor');
      expect(code).toBe(15);
      expect(stderr).toContain('cdapctl was replaced while it started: run it again, or install it again  [LOCAL_IO]');
    });
  });

  it('takes its compiled code on the second run also after the transport changed the flags of V8', async () => {
    const hub = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
    hub.listen(0, '127.0.0.1');
    await once(hub, 'listening');
    const { port } = hub.address() as AddressInfo;
    await withTempDir(async (home) => {
      const code = join(home, '.cache/cdapctl/code');
      const list = async (): Promise<number> => {
        expect(await runCli(['hub', 'list', '--hub', `http://127.0.0.1:${port}`], { home, cold: true })).toMatchObject({
          code: 0,
        });
        const [name = ''] = await readdir(code);
        return (await stat(join(code, name))).mtimeMs;
      };
      expect(await list()).toBe(await list());
    });
    hub.close();
  });

  it('has the parser of answers compiled by the fast tier of V8 alone', async () => {
    const hub = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
    hub.listen(0, '127.0.0.1');
    await once(hub, 'listening');
    const { port } = hub.address() as AddressInfo;
    const env = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/processes/wasm-compilers.cjs')}` };
    const { code, stdout } = await runCli(['hub', 'list', '--hub', `http://127.0.0.1:${port}`], { env });
    hub.close();
    expect(code).toBe(0);
    const compilers = new Set(stdout.match(/(?<=^Compiled function .* using )\w+/gmu));
    expect([...compilers]).toEqual(['Liftoff']);
  });

  it('fits the help of every command into 80 columns, with its examples unbroken', async () => {
    const { commands } = JSON.parse(await readFile(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
      commands: Record<string, { readonly examples: readonly string[] }>;
    };
    const all = Object.entries(commands);
    const seen = async ([id, { examples }]: (typeof all)[number]): Promise<void> => {
      const { code, stdout } = await runCli([...id.split(':'), '--help']);
      const lines = stdout.split('\n');
      expect(code, id).toBe(0);
      expect(lines.filter((line) => line.length > 80 && !/cdapctl |https?:/u.test(line))).toEqual([]);
      expect(lines).toEqual(expect.arrayContaining(examples.map((example) => `  ${example}`)));
      expect(stdout).toMatch(/^USAGE$/mu);
      expect(stdout).toMatch(/^Exit codes: 0[\d -]+: cdapctl help exit-codes$/mu);
    };
    expect(all.length).toBeGreaterThan(40);
    // No more at a time than run in processes that ran others before.
    for (let at = 0; at < all.length; at += 4) await Promise.all(all.slice(at, at + 4).map(seen));
  });

  it.skipIf(windows)('does not take compiled code that others could have written', async () => {
    await withTempDir(async (home) => {
      await runCli(['version'], { home, cold: true });
      const code = join(home, '.cache/cdapctl/code');
      await chmod(code, 0o777);
      expect(await runCli(['version'], { home, cold: true })).toMatchObject({ code: 0 });
      const [name = ''] = await readdir(code);
      await chmod(code, 0o700);
      await chmod(join(code, name), 0o666);
      expect(await runCli(['version'], { home, cold: true })).toMatchObject({ code: 0 });
      expect((await stat(join(code, name))).mode & 0o777).toBe(0o600);
    });
  });

  it('says so when Node is too old, before anything that it could not read', async () => {
    const source = await readFile(STARTER, 'utf8');
    const old = join(folder, 'old');
    await mkdir(old, { recursive: true });
    await cp(join(ROOT, 'package.json'), join(old, 'package.json'));
    await writeFile(join(old, 'run.js'), source.replace('process.versions.node.split', "'18.19.1'.split"));
    const text = await runCli(['hub', 'list'], { starter: join(old, 'run.js') });
    expect(text).toMatchObject({ code: 2, stdout: '' });
    expect(text.stderr).toContain('[NODE_TOO_OLD]');
    const json = await runCli(['hub', 'list', '--json'], { starter: join(old, 'run.js') });
    expect(documentOf(json.stdout).error).toMatchObject({ code: 'NODE_TOO_OLD', exitCode: 2 });
    // Of 21 and the first of 22, which are newer.
    await writeFile(join(old, 'run.js'), source.replace('typeof process.getBuiltinModule', 'typeof undefined'));
    const without = await runCli(['hub', 'list'], { starter: join(old, 'run.js') });
    expect(without).toMatchObject({ code: 2, stdout: '' });
    expect(without.stderr).toMatch(
      /^Error: Node .* is too old, at least 20\.18\.1 or 22\.3 is needed {2}\[NODE_TOO_OLD\]$/mu,
    );
    expect(source).not.toMatch(/^\s*(?:import|export|const|let|async)\b|=>|`|\?\.|\?\?/mu);
  });
});
