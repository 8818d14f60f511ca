import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, runCli, type RunResult } from '../support/run-cli.js';
import { startEmulatorProcess, type Emulator } from './emulator.js';
import { PLATFORM, trustHub } from './site.js';

interface List {
  readonly items: readonly { readonly name: string; readonly version: string; readonly compatible: boolean }[];
  readonly page: { readonly total: number };
  readonly hidden: number;
}

interface Shown {
  readonly item: { readonly compatibility: object };
}

const FOLDER = join(ROOT, 'test/fixtures/hub');
const HUBS = [
  {
    hub: 'tree',
    shown: ['datapack-tweets-sample-labeled@1.0.0', 'jdbc-driver-oracle@12c', 'plugin-sendgrid@1.0.0'],
    hidden: {
      'directive-image-exif@1.0.0': 'ABOVE',
      'example-log-analysis@4.0.0': 'ABOVE',
      'example-log-analysis@4.2.0': 'ABOVE',
      'hydrator-plugin-date-transform@1.0.0': 'ABOVE',
      'plugin-pivot@1.0.0': 'EMPTY_RANGE',
      'solution-bulk-data-transfer@1.2.0': 'ABOVE',
      'solution-cdc-oracle-to-kudu@2.0.0': 'ABOVE',
      'solution-incremental-data-ingest@1.0.0': 'ABOVE',
      'solution-sms-spam-pipeline@1.3.0': 'ABOVE',
    },
  },
  {
    hub: 'samples',
    shown: [
      'example-address-check@1.2.0',
      'example-bare-parent@1.0.0',
      'example-csv-copy@1.0.0',
      'example-draft-report@1.0.0',
      'example-early-metrics@0.2.0',
      'example-mask-values@1.0.0',
      'example-memory-driver@1.0.0',
      'example-old-interface@1.0.0',
      'example-order-import@2.0.0',
      'example-postgres-driver@42.7.0',
      'example-trim-fields@1.10.0',
      'example-trim-fields@1.9.0',
    ],
    hidden: { 'example-click-stream@1.0.0': 'ABOVE', 'example-hidden-plugin@1.0.0': 'EMPTY_RANGE' },
  },
];

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
  expect((await runCli(['hub', 'add', 'tree', FOLDER], { home })).code).toBe(0);
});

afterAll(async () => {
  expect(await emulator.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});

describe.each(HUBS)('packages of the hub "$hub" seen from a real platform', ({ hub, shown, hidden }) => {
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
