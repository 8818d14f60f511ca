import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';

const MANY = 2000;
/** A window that is over, so that nothing comes into it between two commands. */
const END = Math.floor(Date.now() / 1000) - 3600;
const START = END - 86_400;
const NAMESPACES = Array.from({ length: MANY }, (_, at) => `analysts_of_team_${at}`);
/** Most characters of a line of the log of requests: what a platform takes as an address fits into it. */
const LONGEST = 6000;

interface Document {
  readonly items: readonly { readonly run?: string; readonly namespace: string }[];
  readonly namespaces: readonly string[];
}

const runsOf = (items: Document['items']): readonly string[] => items.flatMap(({ run }) => run ?? []).sort();

describe('a platform with thousands of namespaces', () => {
  let emulator: RunningEmulator;

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0, hubPort: 0, seed: { namespaces: NAMESPACES, runs: { count: 3000 } } });
  });

  afterAll(async () => {
    await emulator.close();
  });

  const longestLine = async (): Promise<number> => {
    const lines = await (await fetch(`${emulator.url}/emulator/requests`)).text();
    return Math.max(...lines.split('\n').map((line) => line.length));
  };

  const records = async (...flags: readonly string[]): Promise<Document['items']> => {
    const window = ['--start', String(START), '--end', String(END)];
    const { stdout, code, stderr } = await runCli(['report', 'run', '-u', emulator.url, ...window, '--json', ...flags]);
    expect(code, stderr).toBe(0);
    return (JSON.parse(stdout) as Document).items;
  };

  it('has one dashboard, and a report whose records are the runs of that dashboard', async () => {
    const looked: RunResult = await runCli([
      'dashboard',
      '-u',
      emulator.url,
      '-A',
      '--start',
      String(START),
      '--duration',
      '24h',
      '--json',
    ]);
    expect(looked.code, looked.stderr).toBe(0);
    const dashboard = JSON.parse(looked.stdout) as Document;
    expect(dashboard.namespaces.length).toBeGreaterThan(MANY);
    const own = runsOf(await records('-A'));
    expect(own).toEqual(runsOf(dashboard.items));
    expect(own.length).toBeGreaterThan(20);
    const all = await records('-A', '--all-programs');
    expect(all.length).toBeGreaterThan(own.length);
    expect(await longestLine()).toBeLessThan(LONGEST);
  });

  it('has tags of metrics, one for each namespace in which something was counted', async () => {
    const tags = NAMESPACES.toSorted().map((value) => ({ name: 'namespace', value }));
    const match = { method: 'POST', path: '/v3/metrics/search' };
    const order = { match, kind: 'status', status: 200, when: 'before', body: JSON.stringify(tags) };
    await fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(order) });
    const { stdout, code, stderr } = await runCli(['metrics', 'tags', '-u', emulator.url, '--json']);
    expect(code, stderr).toBe(0);
    expect((JSON.parse(stdout) as Document).items).toEqual(tags);
    expect(await longestLine()).toBeLessThan(LONGEST);
  });
});
