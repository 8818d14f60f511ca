import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { verdictSeed } from '../../support/sites/upgrade-seed.js';

let home: string;
let platform: Awaited<ReturnType<typeof startEmulator>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cdapctl-name-'));
  platform = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', seed: verdictSeed('6.11.0') });
  await said('context:add', 'slow', '-u', 'http://127.0.0.1:9', '-n', 'etl');
  await said('context:add', 'here', '-u', platform.url.replace('127.0.0.1', 'localhost'), '-n', 'etl');
});

afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true, force: true });
});

async function said(id: string, ...words: readonly string[]): Promise<string> {
  const { error, terminal } = await runInProcess(id, words, home);
  expect(error, terminal.notes.join('\n')).toBeUndefined();
  return [...terminal.out, ...terminal.notes].join('\n');
}

const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['dashboard', []],
  ['dashboard', ['--json']],
  ['dashboard', ['--html', '-']],
  ['upgrade', ['-n', 'etl', '-p', 'orders', '-y']],
  ['report:run', ['--last', '1h', '--engine', 'runs']],
];

describe('the name of a context', () => {
  it.each(LINES)('is not that of another address: %s %j', async (id, words) => {
    const text = await said(id, ...words, '--context', 'slow', '-u', platform.url);
    expect(text.replaceAll('--context slow', '')).not.toContain('slow');
    expect(text).toContain(platform.url);
  });

  it('is that of its own address, however it is spelled', async () => {
    expect(await said('dashboard', '--context', 'here', '-u', `${platform.url}/`)).toContain('here  etl');
    const json: unknown = JSON.parse(await said('dashboard', '--context', 'here', '--json'));
    expect(json).toMatchObject({ target: { url: platform.url.replace('127.0.0.1', 'localhost'), context: 'here' } });
  });
});
