import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLineRules } from '../../src/cli/flag-tables.js';
import { asksForHelp } from '../../src/cli/argv.js';
import { randomLine } from '../support/random-line.js';
import { ROOT, runCli } from '../support/run-cli.js';

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
