import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';

interface FailedItem {
  readonly namespace: string;
  readonly pipeline: string;
  readonly run: string;
}

let emulator: RunningEmulator;
let failed: FailedItem;

beforeAll(async () => {
  const seed = { namespaces: ['etl'], runs: { count: 2000 } };
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', seed });
  const { stdout } = await cdapctl('dashboard', '-A', '--last', '3d', '--status', 'FAILED', '--json');
  const { items } = JSON.parse(stdout) as { items: readonly FailedItem[] };
  failed = items[0] ?? { namespace: '', pipeline: '', run: '' };
});

afterAll(() => emulator.close());

const cdapctl = (...line: readonly string[]): Promise<RunResult> => runCli([...line, '-u', emulator.url]);

/** What a result says is to be asked next about a failed run; it has to be an answer. */
async function next({ code, stderr }: RunResult): Promise<string> {
  expect(code, stderr).toBe(0);
  const [, name = '', run = ''] = /^next: cdapctl pipeline why (\S+) ([\w-]{36}) -u http:\S+$/mu.exec(stderr) ?? [];
  const why = await cdapctl('pipeline', 'why', name, run, '--json');
  expect(why.code, stderr).toBe(0);
  const { item } = JSON.parse(why.stdout) as { item: { run: { status: string } } };
  expect(item.run.status).toBe('FAILED');
  return `${name} ${run}`;
}

it.each([
  ['dashboard', ['dashboard', '-A', '--last', '3d']],
  ['dashboard of runs', ['dashboard', '-A', '--last', '3d', '--runs']],
  ['report', ['report', 'run', '-A', '--last', '3d', '--engine', 'runs', '-y']],
] as const)('a %s with a failed run leads to the reason, for people alone', async (_, line) => {
  await next(await cdapctl(...line));
  for (const format of ['json', 'csv', 'ndjson'])
    expect((await cdapctl(...line, '-o', format)).stderr).not.toContain('pipeline why');
  const good = await cdapctl(...line, '--status', 'COMPLETED');
  expect([good.code, good.stderr]).toEqual([0, expect.not.stringContaining('pipeline why')]);
});

it('a report in a file with a failed run leads to the reason, for people alone', () =>
  withTempDir(async (home) => {
    const line = ['report', 'run', '-A', '--last', '3d', '--engine', 'runs', '-y', '-O', 'runs.csv', '--clobber'];
    const run = (...more: readonly string[]) => runCli([...line, ...more, '-u', emulator.url], { home });
    const result = await run();
    expect(result.stderr).toMatch(/^wrote runs\.csv /mu);
    await next(result);
    await next(await run('-o', 'csv'));
    expect((await run('--json')).stderr).not.toContain('pipeline why');
    const good = await run('--status', 'COMPLETED');
    expect([good.code, good.stderr]).toEqual([0, expect.not.stringContaining('pipeline why')]);
  }));

it('metrics of a failed run lead to the reason, for people alone', async () => {
  const name = `${failed.namespace}/${failed.pipeline}`;
  for (const command of ['top', 'get'])
    expect(await next(await cdapctl('metrics', command, name, '--run', failed.run))).toBe(`${name} ${failed.run}`);
  const { stderr } = await cdapctl('metrics', 'top', name, '--run', failed.run, '--json');
  expect(stderr).not.toContain('pipeline why');
});

it.each<[string, readonly string[], number]>([
  ['why', ['-o', 'name'], 0],
  ['logs', ['-o', 'ndjson'], 0],
  ['show', ['-o', 'name'], 0],
  ['stop', ['-y', '-o', 'name'], 0],
  ['wait', ['--json'], 11],
])('the id of a run inside a failed run stands for it in %s', async (verb, format, code) => {
  const path = `/v3/namespaces/${failed.namespace}/apps/${failed.pipeline}/workflows/DataPipelineWorkflow/runs/${failed.run}`;
  const answer = await fetch(`${emulator.url}${path}`);
  const { properties } = (await answer.json()) as { properties: Readonly<Record<string, string>> };
  const inner = properties['phase-1'] ?? '';
  expect(inner).not.toBe('');
  for (const id of [inner, inner.slice(0, 8)]) {
    const result = await cdapctl('pipeline', verb, `${failed.namespace}/${failed.pipeline}`, id, ...format);
    expect([result.code, result.stdout], result.stderr).toEqual([code, expect.stringContaining(failed.run)]);
  }
});
