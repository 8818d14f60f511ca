import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, withTempDir, type RunOptions, type RunResult } from '../../support/processes/run-cli.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../support/sites/upgrade-seed.js';

interface Run {
  readonly runid: string;
  readonly status: string;
  readonly properties: { readonly runtimeArgs: string };
}
interface Item {
  readonly runid: string;
  readonly status: string;
  readonly state: string;
  readonly runtimeArgs: Readonly<Record<string, string>>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/u;
const PIPELINE = 'etl/orders-hourly';

describe.each(['6.11.0', '6.1.1'] as const)('runs of pipelines on %s', (platform) => {
  let emulator: RunningEmulator;

  beforeAll(async () => {
    const applications = [olderPipeline(platform, 'etl', 'orders-hourly', oneStep('Copy'))];
    const seed = { namespaces: ['etl'], artifacts: stepArtifacts(platform), applications, pipelines: [{ count: 60 }] };
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
  });

  afterAll(async () => {
    await emulator.close();
  });

  beforeEach(async () => {
    await runsLast({});
  });

  const runsLast = (order: object): Promise<Response> =>
    fetch(`${emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify(order) });
  const pipeline = (args: readonly string[], options?: RunOptions): Promise<RunResult> =>
    runCli(['pipeline', ...args, '-u', emulator.url], options);
  const runs = async (): Promise<readonly Run[]> =>
    (await (
      await fetch(`${emulator.url}/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow/runs`)
    ).json()) as Run[];
  const argumentsOf = async (id: string): Promise<unknown> =>
    JSON.parse((await runs()).find(({ runid }) => runid === id)?.properties.runtimeArgs ?? '{}');
  const itemOf = ({ stdout }: RunResult): Item => (JSON.parse(stdout) as { item: Item }).item;

  it('are started with arguments of their own, and the id alone goes to stdout', async () => {
    await withTempDir(async (folder) => {
      await writeFile(join(folder, 'args.yaml'), 'region: emea\ndate: 2024-05-01\nlimit: 10\n');
      const started = await pipeline(
        ['start', PIPELINE, '-f', 'args.yaml', '--set', 'date=2024-05-02', '--set', 'a.b=x=y', '-y', '--wait'],
        { cwd: folder },
      );
      expect([started.code, started.stdout]).toEqual([0, expect.stringMatching(UUID)]);
      expect(started.stderr).toMatch(/COMPLETED/u);
      const run = started.stdout.trim();
      const given = { region: 'emea', date: '2024-05-02', limit: '10', 'a.b': 'x=y' };
      expect(await argumentsOf(run)).toMatchObject(given);
      const again = await pipeline([
        'start',
        PIPELINE,
        '--like',
        run.slice(0, 13),
        '--set',
        'limit=9',
        '-y',
        '--wait',
        '--json',
      ]);
      expect(again.code, again.stderr).toBe(0);
      const program = { type: 'Workflow', name: 'DataPipelineWorkflow' };
      expect(itemOf(again)).toMatchObject({ status: 'COMPLETED', program, runtimeArgs: { ...given, limit: '9' } });
      const plan = itemOf(await pipeline(['start', PIPELINE, '--dry-run', '--json']));
      expect(plan).toMatchObject({ state: 'planned', program, runtimeArgs: {} });
      expect(itemOf(again).runid).not.toBe(run);
    });
  });

  it('are each the right one of ten concurrent starts', async () => {
    await runsLast({ lasts: 60_000 });
    const numbers = Array.from({ length: 10 }, (_, at) => String(at));
    const started = await Promise.all(
      numbers.map((number) =>
        pipeline(['start', PIPELINE, '--set', `number=${number}`, '-y', '--wait=running', '--json']),
      ),
    );
    const ids = started.map((result) => itemOf(result).runid);
    expect(new Set(ids).size).toBe(10);
    for (const [at, id] of ids.entries()) expect(await argumentsOf(id)).toMatchObject({ number: String(at) });
    const several = await pipeline(['stop', PIPELINE, '-y']);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('--all-runs')]);
    const one = await pipeline(['stop', PIPELINE, ids[3] ?? '', '-y', '-o', 'csv', '--fields', 'runid,state,status']);
    expect(one.stdout.split('\r\n')[1]).toBe(`${ids[3] ?? ''},stopped,KILLED`);
    expect((await runs()).filter(({ status }) => status === 'RUNNING')).toHaveLength(9);
    expect((await pipeline(['stop', PIPELINE, '--all-runs', '-y'])).code).toBe(0);
    expect((await runs()).filter(({ status }) => status === 'RUNNING')).toEqual([]);
    const none = await pipeline(['stop', PIPELINE, '--all-runs', '-y']);
    expect([none.code, none.stdout, none.stderr.split('\n')]).toEqual([0, '', [expect.stringMatching(/^note: /u), '']]);
  });

  it('end a start with the code of their outcome', async () => {
    await runsLast({ lasts: 500, outcome: 'FAILED' });
    const failed = await pipeline(['start', PIPELINE, '-y', '--wait', '--json']);
    expect(failed.code).toBe(11);
    const document = JSON.parse(failed.stdout) as { error: { code: string; hints: string[] }; item: Item };
    expect(document).toMatchObject({ error: { code: 'RUN_FAILED' }, item: { status: 'FAILED' } });
    const seen = await pipeline(['wait', PIPELINE, document.item.runid.slice(0, 18)]);
    expect([seen.code, seen.stderr]).toEqual([11, expect.stringContaining('is FAILED')]);
  });

  it('show the errors of their log with their end where that is asked for', async () => {
    await runsLast({ lasts: 900, outcome: 'FAILED' });
    const failed = await pipeline(['start', PIPELINE, '-y', '--wait', '--logs-on-failure']);
    expect([failed.code, failed.stdout]).toEqual([11, expect.stringMatching(UUID)]);
    expect(failed.stderr).toMatch(/^\d{4}-\S+ \S+ {2}ERROR {2}Pipeline 'orders-hourly' failed\.$/mu);
    expect(failed.stderr).toMatch(/^ {2}java\.lang\.\w+Exception: /mu);
    expect(failed.stderr).not.toContain('INFO');
    expect((await pipeline(['start', PIPELINE, '-y', '--logs-on-failure'])).code).toBe(2);
    const fault = { match: { path: '/logs/prev' }, kind: 'status', status: 403, when: 'before', times: 1 };
    await fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    const unread = await pipeline(['start', PIPELINE, '-y', '--wait', '--logs-on-failure']);
    expect([unread.code, unread.stderr]).toEqual([11, expect.stringContaining('cannot be read')]);
  });

  it('go on when the login of a wait is over, and the commands that log in and wait on are told', async () => {
    await runsLast({ lasts: 3500 });
    const body = '{"auth_uri":["http://127.0.0.1:1/token"]}';
    const fault = { match: { path: '/runs/' }, kind: 'status', status: 401, body, when: 'before', times: 1 };
    await fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    const over = await pipeline(['start', PIPELINE, '-y', '--wait']);
    expect([over.code, over.stderr]).toEqual([3, expect.stringContaining('cdapctl login ')]);
    expect(over.stderr).toContain(`the run continues: cdapctl pipeline wait ${PIPELINE} ${over.stdout.trim()}`);
  });

  it('go on when the time of a wait is over, and the command that waits on is told', async () => {
    await runsLast({ lasts: 3500 });
    const late = await pipeline(['start', PIPELINE, '-y', '--wait', '--timeout', '2s']);
    const id = late.stdout.trim();
    expect([late.code, late.stderr]).toEqual([8, expect.stringContaining(`pipeline wait ${PIPELINE} ${id}`)]);
    const ended = await pipeline(['wait', PIPELINE, id, '--json']);
    expect([ended.code, itemOf(ended).status]).toEqual([0, 'COMPLETED']);
  });

  it('are stopped right after their start, and a stop of what has ended is no error', async () => {
    await runsLast({ lasts: 60_000 });
    const id = (await pipeline(['start', PIPELINE, '-y'])).stdout.trim();
    const stopped = await pipeline(['stop', PIPELINE, id, '-y', '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ items: [{ runid: id, state: 'stopped', status: 'KILLED' }] });
    const again = await pipeline(['stop', PIPELINE, id, '-y', '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { items: [{ state: 'already-ended' }] }]);
    expect((await pipeline(['stop', PIPELINE, '-y'])).stderr).toContain('has no active run');
  });

  it('of a realtime pipeline are one at a time', async () => {
    const [name = ''] = (await pipeline(['list', '-n', 'default', '--kind', 'realtime', '-o', 'name'])).stdout.split(
      '\n',
    );
    const started = await pipeline(['start', name, '-y', '--wait=running']);
    expect([started.code, started.stdout]).toEqual([0, expect.stringMatching(UUID)]);
    const second = await pipeline(['start', name, '-y']);
    expect([second.code, second.stderr]).toEqual([6, expect.stringContaining('[RUNNING]')]);
    const same = await pipeline(['start', name, '-y', '--if-not-running']);
    expect([same.code, same.stdout]).toEqual([0, started.stdout]);
    expect((await pipeline(['status', name, '--expect', 'RUNNING'])).code).toBe(0);
    expect((await pipeline(['stop', name, '-y'])).code).toBe(0);
  });

  it.each(['yaml', 'ndjson', 'json'])('have a status that is not expected as one document of %s', async (format) => {
    const { code, stdout } = await pipeline(['status', PIPELINE, '--expect', 'RUNNING', '-o', format]);
    expect([code, stdout.match(/schemaVersion/gu)]).toEqual([11, ['schemaVersion']]);
    expect(stdout).toContain('STOPPED');
  });

  it('are neither started nor stopped without a yes', async () => {
    const before = (await runs()).length;
    for (const args of [
      ['start', PIPELINE],
      ['start', PIPELINE, '--wait'],
    ])
      expect((await pipeline(args)).code).toBe(13);
    expect(await runs()).toHaveLength(before);
    expect((await pipeline(['start', PIPELINE, '--set', 'nothing', '-y'])).code).toBe(2);
  });

  it('show no secret that they were given', async () => {
    const secret = 'Hunter2-planted';
    const args = ['start', PIPELINE, '--set', `db.password=${secret}`, '--set', 'date=x', '-y', '--wait'];
    for (const more of [[], ['--json'], ['-o', 'ndjson', '-v']]) {
      const { stdout, stderr, code } = await pipeline([...args, ...more]);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain(secret);
    }
    expect((await pipeline(['runs', PIPELINE, '-o', 'wide'])).stdout).not.toContain(secret);
    expect((await pipeline(['runs', PIPELINE, '--show-secrets', '--json'])).stdout).toContain(secret);
  });
});
