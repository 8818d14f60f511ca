import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';
import { CATALOGS, TREE } from './catalogs.js';
import { startEmulatorProcess, type Emulator } from '../emulator.js';
import { PLATFORM, trustHub } from '../site.js';

interface List {
  readonly items: readonly { readonly name: string; readonly version: string; readonly compatible: boolean }[];
  readonly page: { readonly total: number };
  readonly hidden: number;
}

interface Shown {
  readonly item: { readonly compatibility: object };
}

let home: string;
let emulator: Emulator;

const onReal = (...args: readonly string[]): Promise<RunResult> => runCli([...args, '-u', PLATFORM], { home });

async function json<T>(...args: readonly string[]): Promise<T> {
  const run = await onReal(...args, '--json');
  expect(run.code, run.stderr + run.stdout).toBe(0);
  return JSON.parse(run.stdout) as T;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cdapctl-catalog-'));
  emulator = await startEmulatorProcess(home);
  await trustHub(home, 'samples', emulator.hub, emulator);
  expect((await runCli(['hub', 'add', 'tree', TREE], { home })).code).toBe(0);
});

afterAll(async () => {
  expect(await emulator.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});

describe.each(CATALOGS)('packages of the hub "$hub" seen from a real platform', ({ hub, shown, hidden }) => {
  const inHub = (...args: readonly string[]): readonly string[] => ['hub', 'list', '--hub', hub, ...args];
  const names = ({ items }: List): string[] => items.map(({ name, version }) => `${name}@${version}`).sort();

  it('lists what fits the platform and counts what does not', async () => {
    const list = await json<List>(...inHub());
    expect(names(list)).toEqual(shown);
    expect(list).toMatchObject({ page: { total: shown.length }, hidden: Object.keys(hidden).length });
    expect(list.items.every(({ compatible }) => compatible)).toBe(true);
    const { code, stderr } = await onReal(...inHub());
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `${Object.keys(hidden).length} hidden (not compatible with platform 6.11.0)`,
      ) as string,
    });
  });

  it('lists everything when it is told to', async () => {
    const list = await json<List>(...inHub('--all'));
    expect(names(list)).toEqual([...shown, ...Object.keys(hidden)].sort());
    expect(list.hidden).toBe(0);
  });

  it('shows every package, and says whether it is for the platform', async () => {
    for (const name of shown) {
      const { item } = await json<Shown>('hub', 'show', `${hub}/${name}`);
      expect(item.compatibility, name).toMatchObject({ platform: '6.11.0', compatible: true });
    }
    for (const [name, reason] of Object.entries(hidden)) {
      const { item } = await json<Shown>('hub', 'show', `${hub}/${name}`);
      expect(item.compatibility, name).toEqual({ platform: '6.11.0', compatible: false, reason });
    }
  });
});
