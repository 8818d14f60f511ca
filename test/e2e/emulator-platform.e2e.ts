import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulatorProcess } from '../platform/emulator.js';
import { runCli } from '../support/processes/run-cli.js';
import { startCli } from '../support/processes/running-cli.js';

const it = test.extend<{ home: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  home: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'cdapctl-emulator-'));
    await use(home);
    await rm(home, { recursive: true, force: true });
  },
});

const STREAMS = '/v3/namespaces/default/streams';
const STUDIO = '/v3/namespaces/system/apps/pipeline';

describe('emulator start --platform', () => {
  it.for([
    [[], '6.11.0', { streams: 404, studio: 200 }],
    [['--platform', '6.11.0'], '6.11.0', { streams: 404, studio: 200 }],
    [['--platform', '6.1.1'], '6.1.1', { streams: 404, studio: 404 }],
    [['--platform', '4.3.5'], '4.3.5', { streams: 200, studio: 404 }],
  ] as const)('%j is a platform %s', async ([flags, version, statuses], { home }) => {
    const emulator = await startEmulatorProcess(home, ...flags);
    try {
      const status = async (path: string): Promise<number> => (await fetch(emulator.url + path)).status;
      expect(await (await fetch(`${emulator.url}/v3/version`)).json()).toMatchObject({ version });
      expect({ streams: await status(STREAMS), studio: await status(STUDIO) }).toEqual(statuses);
    } finally {
      expect(await emulator.stop()).toBe(0);
    }
  });

  it('refuses a version that it cannot be', async ({ home }) => {
    const { code, stderr } = await runCli(['emulator', 'start', '--platform', '5.1.0'], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('6.11.0, 6.1.1, 4.3.5');
  });

  it('says that a state which goes on gets no more pipelines', async ({ home }) => {
    const args = ['emulator', 'start', '--pipelines', '1', '--state', join(home, 'state')];
    const first = await startEmulatorProcess(home, ...args.slice(2));
    await first.stop();
    const accounts = join(home, 'accounts.json');
    await writeFile(accounts, '[{ "user": "admin", "password": "admin", "token": "t0ken" }]');
    const second = startCli([...args, '--auth-file', accounts, '--key-out', 'hub.asc'], { home, env: {} });
    await second.see('--seed, --pipelines and --runs are ignored');
    await second.see('cdapctl context add emulator --url http://127.0.0.1:');
    await second.see('cdapctl login --context emulator\n');
    await second.see('cdapctl hub add sample http://127.0.0.1:');
    await second.see(`cdapctl hub key add ${join(home, 'hub.asc')} --hub sample --fingerprint `);
    second.kill('SIGTERM');
    await second.ended;
  });

  it('refuses the state of another platform', async ({ home }) => {
    const state = join(home, 'state');
    const emulator = await startEmulatorProcess(home, '--platform', '6.1.1', '--state', state);
    await fetch(`${emulator.url}/v3/namespaces/sales`, { method: 'PUT', body: '{}' });
    await emulator.stop();
    const { code, stderr } = await runCli(['emulator', 'start', '--state', state], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('that of a platform 6.1.1, not 6.11.0');
  });

  it('names what an account lacks', async ({ home }) => {
    const file = join(home, 'accounts.json');
    await writeFile(file, '[{ "user": "admin", "token": 7 }]');
    const { code, stderr } = await runCli(['emulator', 'start', '--auth-file', file], { home });
    expect(code).toBe(2);
    for (const line of ['[0].password must be a string', '[0].token must be a string']) expect(stderr).toContain(line);
  });
});
