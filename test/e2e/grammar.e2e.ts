import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLineRules } from '../../src/cli/line/flag-tables.js';
import { asksForHelp } from '../../src/cli/line/argv.js';
import { randomLine } from '../support/random-line.js';
import { ROOT, runCli, withTempDir } from '../support/processes/run-cli.js';

const URL = ['-u', 'http://127.0.0.1:9'];

describe('a command line', () => {
  it('is run wherever its flags stand', async () => {
    const [after, before, between] = await Promise.all(
      [
        ['config', 'path', '-o', 'name'],
        ['-o', 'name', 'config', 'path'],
        ['config', '-q', '-oname', 'path'],
      ].map((line) =>
        runCli(line, { env: { CDAPCTL_CONFIG_DIR: '/a', CDAPCTL_STATE_DIR: '/b', CDAPCTL_CACHE_DIR: '/c' } }),
      ),
    );
    expect(after?.code).toBe(0);
    expect(before).toEqual(after);
    expect(between).toEqual(after);
  });

  it.each([
    [['hub', '--hub', 'sample', '--json'], 2],
    [['--json', 'metrics', '--fail-if', 'x>0', 'get', 'p', ...URL, '--retries', '0'], 7],
    [['installed', '--json', 'uninstall', 'x', ...URL, '--retries', '0', '-y'], 7],
    [['hub', 'list', '--json', '-o'], 2],
    [['hub', 'list', '--json', '-o', 'jsno'], 2],
    [['hub', 'list', '-o', 'csv', '--json'], 2],
    [['hub', 'list', '--output', '--json'], 2],
    [['--json', 'list'], 2],
  ])('%j ends with %i and one document', async (line, code) => {
    const run = await runCli(line);
    expect(run.code).toBe(code);
    expect(JSON.parse(run.stdout)).toMatchObject({ kind: 'Error', error: { exitCode: code } });
    expect(run.stderr).not.toMatch(/\n\s+at /u);
  });

  it('takes lists with commas and repeated, of the line and of the environment', async () => {
    const generate = [
      'report',
      'generate',
      '--start',
      '2024-05-01',
      '--end',
      '2024-05-02',
      '--name',
      'same',
      '--print-request',
      '--json',
      '-u',
      'http://127.0.0.1:9',
    ];
    const [line, environment, empty] = await Promise.all([
      runCli([...generate, '-n', 'a,b', '-n', 'c', '--status', 'FAILED,KILLED', '--report-fields', 'user,duration']),
      runCli(generate, {
        env: { CDAPCTL_NAMESPACE: 'a,b,c', CDAPCTL_STATUS: 'FAILED,KILLED', CDAPCTL_FIELD: 'user,duration' },
      }),
      runCli([...generate, '--status', 'FAILED,']),
    ]);
    expect(line.code).toBe(0);
    expect(JSON.parse(line.stdout)).toMatchObject({
      item: {
        fields: expect.arrayContaining(['user', 'duration']) as string[],
        filters: expect.arrayContaining([
          { fieldName: 'namespace', whitelist: ['a', 'b', 'c'] },
          { fieldName: 'status', whitelist: ['FAILED', 'KILLED'] },
        ]) as object[],
      },
    });
    const untimed = (text: string): unknown => JSON.parse(text.replace(/\d{10}/gu, '0'));
    expect(untimed(environment.stdout)).toEqual(untimed(line.stdout));
    expect(empty.code).toBe(2);
  });

  it('takes what is glued to -f for its value, not for letters of other flags', async () => {
    const [json, nightly] = await Promise.all(
      ['-fojson', '-fnightly.yaml'].map((word) => runCli(['pipeline', 'start', 'p', word, '-n', 'etl', ...URL])),
    );
    expect([json?.code, json?.stdout]).toEqual([15, '']);
    expect(json?.stderr).toContain('ojson');
    expect(nightly?.stderr).toContain(' nightly.yaml');
    expect(nightly?.stderr).not.toContain('-nightly');
  });

  it('takes what stands behind -- for no flag', async () => {
    const run = await runCli(['hub', 'search', '-o', 'csv', '--hub', './none', '--', '--json']);
    expect(run.stderr).not.toContain('cannot be used together');
    expect(run.stdout).toBe('');
    expect(run.code).toBe(5);
  });

  it('never ends with a trace, and with one document under --json, whatever it is', async () => {
    const lines = fc
      .sample(randomLine(readLineRules(ROOT)), { seed: 13, numRuns: 60 })
      .filter(
        (line) => !asksForHelp(line) && !line.includes('--') && !line.includes('start') && !line.includes('schema'),
      )
      .slice(0, 16);
    expect(lines).toHaveLength(16);
    for (const line of lines) {
      const run = await runCli([...line, '--json'], {
        env: { CDAPCTL_URL: 'http://127.0.0.1:9', CDAPCTL_RETRIES: '0' },
      });
      expect({ line, code: run.code }).not.toMatchObject({ code: 1 });
      expect(run.stderr).not.toMatch(/\n\s+at /u);
      expect(run.stdout.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(run.stdout)).toMatchObject({ schemaVersion: 1 });
    }
  });
});

describe('what a line or the environment asks for is never taken for something else', () => {
  const NOBODY = { CDAPCTL_RETRIES: '0' };
  const errorOf = async (line: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout } = await runCli([...line, '--json'], { env: { ...NOBODY, ...env } });
    const { error } = JSON.parse(stdout) as { readonly error: { readonly message: string } };
    return { code, message: error.message };
  };

  it.each([
    ['upgrade', '--namespace', '-n'],
    ['upgrade', '--url', '--url='],
    ['upgrade', '--context', '--context'],
    ['upgrade', '--error-dir', '-e'],
    ['install x', '--namespace', '-n'],
    ['install x -y', '--token-file', '-a'],
    ['dashboard', '--proxy', '--proxy'],
  ])('%s: an empty %s, as a variable that the shell does not know, is refused', async (command, flag, given) => {
    const words = given.endsWith('=') ? [given] : [given, ''];
    const { code, message } = await errorOf([...command.split(' '), ...(flag === '--url' ? [] : URL), ...words]);
    expect(code).toBe(2);
    expect(message).toBe(`${flag}: the value is empty`);
  });

  it.each([
    ['ture', 2, 'CDAPCTL_CHECK: "ture" is neither yes nor no'],
    ['2', 2, 'CDAPCTL_CHECK: "2" is neither yes nor no'],
    ['on', 2, '--check and --diff cannot be used together'],
    ['True', 2, '--check and --diff cannot be used together'],
    ['off', 7, expect.stringContaining('127.0.0.1') as string],
    ['', 7, expect.stringContaining('127.0.0.1') as string],
  ])('CDAPCTL_CHECK=%s ends with %i', async (value, code, message) => {
    expect(await errorOf(['upgrade', '--diff', ...URL], { CDAPCTL_CHECK: value })).toEqual({ code, message });
  });

  it.each([
    [['dashboard', '--next', '1h', '--fail-if', 'failed>0'], 2, '"failed" is always 0'],
    [['dashboard', '--next', '1h', '--watch', '--fail-if', 'missed>0'], 2, '"missed" is always 0'],
    [['dashboard', '--start', 'tomorrow', '--duration', '1d', '--fail-if', 'killed>0'], 2, '"killed" is always 0'],
    [['dashboard', '--next', '1h', '--fail-if', 'scheduled<1'], 7, '127.0.0.1'],
    [['dashboard', '--status', 'COMPLETED', '--fail-if', 'failed>0'], 2, '"failed" is not counted because --status'],
    [['dashboard', '--fail-if', 'failed>0'], 7, '127.0.0.1'],
    [['metrics', 'get', 'p', '--start', 'now+1h', '--end', 'now+2h', '--fail-if', 'user.x>0'], 2, 'in the future'],
    [['metrics', 'get', 'p', '--start', 'now-1h', '--fail-if', 'user.x>0'], 7, '127.0.0.1'],
  ])('a gate on what is yet to come is refused: %j', async (line, code, message) => {
    const run = await runCli([...line, ...URL], { env: NOBODY });
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
  });

  it.each([
    ['CDAPCTL_CONFIG_DIR', ['context', 'list']],
    ['CDAPCTL_STATE_DIR', ['upgrade', 'history', ...URL]],
  ])('%s that is no folder is refused, and no hint changes its mode', async (name, line) => {
    const { code, stdout, stderr } = await runCli(line, { env: { [name]: '/dev/null' } });
    expect([code, stdout]).toEqual([15, '']);
    expect(stderr).toContain('/dev/null is not a folder');
    expect(stderr).not.toContain('chmod');
  });

  it('a verification that finds no package is none', () =>
    withTempDir(async (home) => {
      await mkdir(join(home, 'tree', 'packages'), { recursive: true });
      await mkdir(join(home, 'hub'));
      await writeFile(join(home, 'hub', 'packages.json'), '[]');
      for (const words of [['./tree'], ['./hub'], ['--all', '--hub', './hub']]) {
        const { code, stdout } = await runCli(['hub', 'verify', ...words, '--json'], { home });
        const { error, item } = JSON.parse(stdout) as {
          readonly error: object;
          readonly item: { readonly ok: boolean };
        };
        expect([words, code, item.ok]).toEqual([words, 5, false]);
        expect(error).toMatchObject({ code: 'PACKAGE_NOT_FOUND', message: 'there is no package to verify' });
      }
    }));
});
