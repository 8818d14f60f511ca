import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { verdictSeed } from '../../support/sites/upgrade-seed.js';

let home: string;
let platform: Awaited<ReturnType<typeof startEmulator>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cdapctl-missing-file-'));
  const seed = verdictSeed('6.11.0');
  const sampleHub = { files: new Map(), fingerprint: '0'.repeat(40), publicKey: '', sign: async () => '' };
  platform = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', sampleHub, seed });
});

afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true, force: true });
});

it.each<[string, readonly string[]]>([
  ['args:check', ['etl/orders', '--set-file', 'a=FILE']],
  ['args:check', ['etl/orders', '-f', 'FILE']],
  ['args:set', ['etl/orders', '-f', 'FILE', '-y']],
  ['preferences:set', ['-n', 'etl', '--set-file', 'a=FILE', '-y']],
  ['pipeline:start', ['etl/orders', '--set-file', 'a=FILE', '-y']],
  ['pipeline:start', ['etl/orders', '-f', 'FILE', '-y']],
  ['schedule:resume', ['--from', 'FILE', '-y']],
  ['report:run', ['--request', 'FILE']],
  ['report:generate', ['--request', 'FILE']],
  ['report:service:enable', ['--capability-file', 'none/FILE', '-y']],
  ['upgrade', ['--plan', 'FILE']],
  ['install', ['x', '--plan', 'FILE']],
  ['install', ['x', '-f', 'FILE']],
  ['install', ['x', '--set-file', '1.a=FILE']],
  ['namespace:list', ['-a', 'FILE']],
  ['namespace:list', ['--ca-file', 'FILE']],
  ['api', ['POST', '/v3/x', '--data', '@FILE', '-y']],
  ['hub:key:add', ['FILE', '--hub', 'http://127.0.0.1:9']],
])('a file that is absent ends with 15: %s %j', async (id, words) => {
  const missing = join(home, 'missing.txt');
  const line = words.map((word) => word.replace('FILE', missing));
  const { error } = await runInProcess(id, [...line, ...(id.startsWith('hub:') ? [] : ['-u', platform.url])], home);
  expect([error?.code, error?.message, error?.exitCode]).toEqual(['LOCAL_IO', expect.stringContaining(missing), 15]);
});
