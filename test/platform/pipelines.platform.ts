import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import type { RunResult } from '../support/processes/run-cli.js';
import { runToEnd } from './pipeline-run.js';
import {
  GENERATIONS,
  makePipeline,
  openUpgradeSite,
  pipelineOf,
  type Generation,
  type UpgradeSite,
} from './upgrade/upgrade-site.js';

// A run takes up to a minute when the platform is cold.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/u;
const WORKFLOW = '/apps/orders/workflows/DataPipelineWorkflow';
const OUTCOMES: Readonly<Record<string, number>> = { COMPLETED: 0, FAILED: 11, KILLED: 11 };

interface Run {
  readonly runid: string;
  readonly status: string;
  readonly properties: { readonly runtimeArgs: string; readonly 'phase-1'?: string };
}
interface Item {
  readonly runid: string;
  readonly status: string;
}

const GIVEN = { date: '2024-05-02', 'system.resources.memory': '1024' };
/** What 6.11.0 adds to the arguments of a run that started, and 6.1.1 as well. */
const OF_PLATFORM = ['logical.start.time', 'system.profile.name'];

const givenTo = ({ runtimeArgs }: Run['properties']): object =>
  Object.fromEntries(
    Object.entries(JSON.parse(runtimeArgs) as Record<string, string>).filter(([key]) => !OF_PLATFORM.includes(key)),
  );

const LAST_LINES = { timeout: 300_000, interval: 500 };
/** A platform with much to do. */
const PHASE_BEGINS = { timeout: 600_000, interval: 100 };
/** A platform with ten runs at work on a busy machine answers a stop late. */
const PATIENT = ['--request-timeout', '100s'];

/** The pipeline with a transform that throws, or a source that reads what is not there. */
function failing(generation: Generation, part: 'transform' | 'source'): ReturnType<typeof pipelineOf> {
  const request = pipelineOf(generation, part, {});
  const { config } = request;
  const [source] = config.stages;
  if (source === undefined) throw new Error('no source');
  if (part === 'source') {
    const properties = { ...source.plugin.properties, path: 'file:///cdap/input/nothing/rows' };
    const stages = config.stages.map((one) =>
      one === source ? { ...one, plugin: { ...one.plugin, properties } } : one,
    );
    return { ...request, config: { ...config, stages } };
  }
  const script = 'function transform(input, emitter, context) { throw "no good row"; }';
  const properties = { script, schema: source.plugin.properties['schema'] ?? '' };
  const plugin = { ...source.plugin, name: 'JavaScript', type: 'transform', label: 'reckon', properties };
  const others = config.stages.filter((one) => one.name !== 'js');
  const connections = [
    { from: 'src', to: 'reckon' },
    { from: 'reckon', to: 'sink' },
  ];
  return { ...request, config: { ...config, stages: [...others, { name: 'reckon', plugin }], connections } };
}

describe.each(GENERATIONS)('pipelines on a real platform $platform', (generation) => {
  const it = base.skipIf(generation.url === '');
  let site: UpgradeSite;
  let name: string;

  beforeAll(async () => {
    if (generation.url === '') return;
    site = await openUpgradeSite(generation);
    name = `${site.namespace}/orders`;
    await makePipeline(site, 'orders', pipelineOf(generation, 'orders', {}));
  });
  afterAll(() => (generation.url === '' ? undefined : site.close()));

  const pipeline = (...args: readonly string[]): Promise<RunResult> =>
    site.cdapctl('pipeline', ...args, '-u', site.proxy.url);
  const runOf = (id: string): Promise<Run> => site.call<Run>('GET', `${WORKFLOW}/runs/${id}`);
  const logOf = async (id: string): Promise<string> => {
    const path = `${WORKFLOW}/runs/${id}/logs/next?max=100000&escape=false`;
    return (await site.call<{ log: string }[]>('GET', path)).map(({ log }) => log).join('');
  };
  const itemOf = ({ stdout }: { readonly stdout: string }): Item => (JSON.parse(stdout) as { item: Item }).item;

  it('are started and followed to their end, whose log is complete to the last line', async () => {
    const given = Object.entries(GIVEN).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const started = await pipeline('start', name, ...given, '--wait', '-y');
    expect([started.code, started.stdout], started.stderr).toEqual([0, expect.stringMatching(UUID)]);
    const id = started.stdout.trim();
    const { status, properties } = await runOf(id);
    expect(status).toBe('COMPLETED');
    expect(givenTo(properties)).toEqual(GIVEN);
    // Its last lines come after the end of the run.
    await vi.waitFor(async () => {
      expect(await logOf(id)).toMatch(/Pipeline 'orders' succeeded/u);
    }, LAST_LINES);
    const [text, whole] = [await logOf(id), await pipeline('logs', name, id)];
    expect([whole.code, whole.stdout]).toEqual([0, text]);
  });

  it('are started like another run, and followed by their log from their start to its last line', async () => {
    const started = await pipeline('start', name, '--like', 'latest', '-y');
    const id = started.stdout.trim();
    const followed = await pipeline('logs', name, id, '--follow');
    expect((await runOf(id)).status).toBe('COMPLETED');
    expect([started.code, followed.code, followed.stdout], followed.stderr).toEqual([0, 0, await logOf(id)]);
    expect(givenTo((await runOf(id)).properties)).toEqual(GIVEN);
  });

  it('are stopped while a phase of them runs', async () => {
    const id = (await pipeline('start', name, '-y', '--wait=running')).stdout.trim();
    // 6.1.1 may never answer a stop that comes before (docs/platform.md 8.1).
    await vi.waitFor(async () => {
      expect((await runOf(id)).properties['phase-1']).toMatch(/-/u);
    }, PHASE_BEGINS);
    const stopped = await pipeline('stop', name, id, '-y', '--json', ...PATIENT);
    expect(stopped.code, stopped.stderr).toBe(0);
    const { status } = await runOf(id);
    expect(['KILLED', 'COMPLETED']).toContain(status);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ items: [{ runid: id, status }] });
  });

  it('have the right run under ten concurrent starts, and are stopped one by one and all', async () => {
    const numbers = Array.from({ length: 10 }, (_, at) => String(at));
    const started = await Promise.all(
      numbers.map((number) => pipeline('start', name, '--set', `number=${number}`, '-y', '--json')),
    );
    const ids = started.map((result) => itemOf(result).runid);
    expect(new Set(ids).size).toBe(10);
    const [first = ''] = ids;
    // 6.1.1 may never answer a stop that comes while a run starts its first phase (docs/platform.md 8.1).
    if (generation.platform !== '6.1.1') {
      const one = await pipeline('stop', name, first, '-y', ...PATIENT);
      expect(one.code, one.stderr).toBe(0);
      const all = await pipeline('stop', name, '--all-runs', '-y', '--timeout', '5m', ...PATIENT);
      expect(all.code, all.stderr).toBe(0);
    }
    for (const [at, id] of ids.entries()) {
      const waited = await pipeline('wait', name, id, '--timeout', '5m');
      const { status, properties } = await runOf(id);
      expect(waited.code, `${status} ${waited.stderr}`).toBe(OUTCOMES[status]);
      expect(JSON.parse(properties.runtimeArgs)).toMatchObject({ number: String(at) });
    }
    expect((await pipeline('status', name, '--expect', 'STOPPED')).code).toBe(0);
  });

  it('are listed with the status and the newest run that the platform tells', async () => {
    const { stdout, code } = await pipeline('list', '-n', site.namespace, '--json');
    expect(code).toBe(0);
    const { items } = JSON.parse(stdout) as { items: readonly { name: string; status: string; lastRun: Item }[] };
    const [newest] = await site.call<Run[]>('GET', `${WORKFLOW}/runs?limit=1`);
    const known = await site.call<Run[]>('GET', `${WORKFLOW}/runs?limit=20`);
    expect(items).toMatchObject([{ name: 'orders', status: 'STOPPED', lastRun: { status: newest?.status } }]);
    const told = (await pipeline('runs', name, '-o', 'name', '--all-pages')).stdout.trim().split('\n');
    // Runs of one second have no order.
    expect([...told].sort()).toEqual(known.map(({ runid }) => runid).sort());
  });

  it.each([
    ['transform', 'reckon', 'no good row'],
    ['source', 'src', 'Input path'],
  ] as const)('are explained when their %s fails: by its stage and its cause', async (part, stage, cause) => {
    await makePipeline(site, part, failing(generation, part));
    const program = `/apps/${part}/workflows/DataPipelineWorkflow`;
    expect(await runToEnd(site, part)).toBe('FAILED');
    const [{ runid } = { runid: '' }] = await site.call<Run[]>('GET', `${program}/runs?limit=1`);
    const errors = `${program}/runs/${runid}/logs/next?format=json&filter=loglevel%3DERROR&max=1&escape=false`;
    // The log comes after the end of the run.
    const first = await vi.waitFor(async () => {
      const [line] = await site.call<{ log: { message: string; timestamp: number } }[]>('GET', errors);
      expect(line).toBeDefined();
      return line?.log;
    }, LAST_LINES);
    const why = await pipeline('why', `${site.namespace}/${part}`, runid, '--json');
    expect(why.code, why.stderr).toBe(0);
    const { item } = JSON.parse(why.stdout) as { item: { firstError: { message: string; timestamp: number } } };
    expect(item).toMatchObject({ node: 'phase-1', stage, cause: expect.stringContaining(cause) as unknown });
    const nodes = await site.call<Record<string, { nodeStatus: string }>>(
      'GET',
      `${program}/runs/${runid}/nodes/state`,
    );
    expect(nodes['phase-1']?.nodeStatus).toBe('FAILED');
    expect(item.firstError).toMatchObject({ message: first?.message, timestamp: first?.timestamp });
  });
});
