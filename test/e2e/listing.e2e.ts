import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/start.js';
import { runCli, type RunResult } from '../support/processes/run-cli.js';

let emulator: RunningEmulator;

beforeAll(async () => {
  const artifact = (version: string) => ({ namespace: 'etl', name: 'own-plugins', version });
  const seed = { namespaces: ['etl', 'dev'], artifacts: ['1.9.0', '1.10.0'].map(artifact) };
  emulator = await startEmulator({ port: 0, hubPort: 0, seed });
});

afterAll(() => emulator.close());

const run = (...line: readonly string[]): Promise<RunResult> => runCli([...line, '-u', emulator.url]);

it('lists the namespaces of a platform', async () => {
  const { code, stdout } = await run('namespace', 'list', '-o', 'name');
  expect([code, stdout]).toEqual([0, 'default\ndev\netl\n']);
});

it('lists what a namespace sees: its own artifacts first, the newest version first', async () => {
  const { code, stdout } = await run('artifact', 'list', '-n', 'etl', '--json');
  expect(code).toBe(0);
  const { items } = JSON.parse(stdout) as { items: { name: string; version: string; scope: string }[] };
  expect(items.slice(0, 2).map(({ name, version, scope }) => `${scope} ${name} ${version}`)).toEqual([
    'user own-plugins 1.10.0',
    'user own-plugins 1.9.0',
  ]);
  expect(items.some(({ name, scope }) => scope === 'system' && name === 'cdap-data-pipeline')).toBe(true);
  const own = await run('artifact', 'list', '-n', 'etl', '--scope', 'user', '-o', 'name');
  expect(own.stdout).toBe('own-plugins@1.10.0\nown-plugins@1.9.0\n');
});

it('names the command that lists namespaces where one is not there', async () => {
  for (const line of [
    ['artifact', 'list', '-n', 'elt'],
    ['dashboard', '-n', 'elt'],
    ['upgrade', '-n', 'elt'],
  ]) {
    const { code, stderr } = await run(...line);
    expect([code, stderr]).toEqual([5, expect.stringContaining('cdapctl namespace list')]);
  }
});
