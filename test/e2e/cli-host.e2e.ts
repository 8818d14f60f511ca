import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/start.js';
import { runCli, withTempDir, type RunOptions } from '../support/processes/run-cli.js';

let emulator: RunningEmulator;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, hubPort: 0, seed: { namespaces: ['etl'] } });
});

afterAll(async () => {
  await emulator.close();
});

describe('a line in a process that ran others before', () => {
  const lines: readonly (readonly [readonly string[], RunOptions?])[] = [
    [['--version']],
    [['namespace', 'list']],
    [['namespace', 'list', '--json']],
    [['namespace', 'list', '--verbose']],
    [['namespace', 'lst']],
    [['installed', 'list', '-n', 'etl']],
    [['pipeline', 'show', 'none', '--json']],
    [['pipeline', 'list', '-n', 'etl', '-o', 'csv']],
    [['config', 'path'], { cwd: '/' }],
    [['namespace', 'list'], { env: { CDAPCTL_OUTPUT: 'json' } }],
    [['context', 'add', 'one', '-u', 'http://127.0.0.1:1']],
    [['context', 'list']],
    [['preferences', 'set', '-n', 'etl', '-f', '-', '-y'], { stdin: '{"a": "b"}' }],
    [['preferences', 'list', '-n', 'etl']],
    [['preferences', 'clear', '-n', 'etl', '-y']],
  ];

  it('ends as it does in a process of its own', async () => {
    await withTempDir(async (folder) => {
      const run = async (alone: boolean): Promise<unknown[]> => {
        const home = join(folder, alone ? 'alone' : 'hosted');
        await mkdir(home);
        const results = [];
        for (const [args, { env, ...more } = {}] of lines) {
          const options = { ...more, home, alone, env: { CDAPCTL_URL: emulator.url, ...env } };
          const { code, stdout, stderr } = await runCli(args, options);
          const plain = (text: string): string =>
            text.replaceAll(home, '~').replaceAll(/\d+ ms|[0-9a-f]{8}-[0-9a-f-]{27}/gu, '');
          results.push({ args, code, stdout: plain(stdout), stderr: plain(stderr) });
        }
        return results;
      };
      const alone = await run(true);
      expect(await run(false)).toEqual(alone);
      expect(new Set(alone.map((one) => (one as { code: number }).code)).size).toBeGreaterThan(2);
    });
  });

  it('sees no variable, folder or input of the line before', async () => {
    await withTempDir(async (home) => {
      const first = await runCli(['namespace', 'list'], { home, env: { CDAPCTL_URL: emulator.url }, stdin: 'text' });
      expect(first.code).toBe(0);
      const second = await runCli(['namespace', 'list'], { home });
      expect(second).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--url') as string });
    });
  });

  it('is killed when its time is over, and the next one has another process', async () => {
    const run = await runCli(['emulator', 'start', '--port', '0', '--hub-port', '0'], { timeout: 3000 });
    expect(run).toMatchObject({ code: undefined, signal: 'SIGKILL' });
    expect(await runCli(['--version'])).toMatchObject({ code: 0 });
  });
});
