import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/start.js';
import { contractTarget, type ContractTarget } from '../support/target.js';
import { DOES } from './line.js';
import { writingTo, type PipelineRequest } from './pipeline.js';
import { json, type Call, type Space } from './suite.js';

/** The platform 6.1.1 at `CDAPCTL_CONTRACT_URL_6_1`, or an emulated one. */
async function olderTarget(): Promise<ContractTarget> {
  const url = process.env['CDAPCTL_CONTRACT_URL_6_1'];
  if (url !== undefined && url !== '') return { url, real: true, close: async () => undefined };
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1' });
  return { url: emulator.url, real: false, hub: emulator.hub, close: () => emulator.close() };
}

/** The two generations that have runs to look at. */
export const GENERATIONS = [
  ['6.11', contractTarget],
  ['6.1', olderTarget],
] as const;

const FILE = resolve(import.meta.dirname, '../platform/pipelines/xml-to-table-6.0.0.json');

/** A run as lists of runs have it. */
export interface RunRecord {
  readonly runid: string;
  readonly starting: number;
  readonly start?: number;
  readonly end?: number;
  readonly status: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** The pipeline `orders` of a case: how it was deployed, and what its inner program is. */
export interface Deployed {
  /** First and last stage. */
  readonly stages: readonly [source: string, sink: string];
  /** As in the dashboard. */
  readonly innerType: string;
  /** A window of its runs begins a second before the second that is given. */
  readonly startsEarly: boolean;
  /** A window of its runs that ends before it starts is told as such. */
  readonly readsWindows: boolean;
  /** As applications have it now: before 6.9 always `-SNAPSHOT`. */
  readonly version: string;
}

export const WORKFLOW = '/apps/orders/workflows/DataPipelineWorkflow';

/** Deploys `orders`, which runs to COMPLETED on the platform it is deployed to; its schedule is due at 3. */
export async function deployOrders(call: Call, space: Space): Promise<Deployed> {
  const { version } = json<{ version: string }>(await call('GET', '/v3/version'));
  const isOlder = version.startsWith('6.1.');
  const { artifact, config } = isOlder
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as PipelineRequest)
    : writingTo(space.name);
  const body = { artifact, config: { ...config, schedule: '0 3 * * *' } };
  expect(await space.call('PUT', '/apps/orders', { body })).toMatchObject({ status: 200 });
  const { appVersion = '-SNAPSHOT' } = json<{ appVersion?: string }>(await space.call('GET', '/apps/orders'));
  const isMapReduce = isOlder && config['engine'] !== 'spark';
  const innerType = isMapReduce ? 'MAPREDUCE' : 'SPARK';
  const readsWindows = !isOlder && DOES.readClosely;
  return { stages: ['src', 'sink'], innerType, startsEarly: isOlder, readsWindows, version: appVersion };
}

/** Runs `orders` once and gives the record of the run when it has ended. */
export async function runOrders({ call }: Space): Promise<RunRecord> {
  const item = { appId: 'orders', programType: 'Workflow', programId: 'DataPipelineWorkflow' };
  const [started] = json<{ runId: string }[]>(await call('POST', '/start', { body: [item] }));
  return vi.waitFor(
    async () => {
      const run = json<RunRecord>(await call('GET', `${WORKFLOW}/runs/${started?.runId ?? ''}`));
      expect(run.end, run.status).toBeTypeOf('number');
      return run;
    },
    { timeout: 600_000, interval: 300 },
  );
}
