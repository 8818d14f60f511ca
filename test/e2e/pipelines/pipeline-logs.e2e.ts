import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../support/sites/upgrade-seed.js';

const PIPELINE = 'etl/orders-hourly';
const WORKFLOW = '/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow';

interface Line {
  readonly logLevel: string;
  readonly message: string;
  readonly timestamp: number;
}

describe.each(['6.11.0', '6.1.1'] as const)('logs of runs on %s', (platform) => {
  let emulator: RunningEmulator;
  let failed: string;

  beforeAll(async () => {
    const applications = [olderPipeline(platform, 'etl', 'orders-hourly', oneStep('Copy'))];
    const seed = { namespaces: ['etl'], artifacts: stepArtifacts(platform), applications };
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
    await runsLast({ lasts: 100, outcome: 'FAILED' });
    failed = (await pipeline('start', PIPELINE, '-y', '--wait')).stdout.trim();
  });

  afterAll(async () => {
    await emulator.close();
  });

  const runsLast = (order: object): Promise<Response> =>
    fetch(`${emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify(order) });
  const pipeline = (...args: readonly string[]): Promise<RunResult> =>
    runCli(['pipeline', ...args, '-u', emulator.url], { timeout: 40_000 });
  const told = async (run: string, query = ''): Promise<string> =>
    (await fetch(`${emulator.url}${WORKFLOW}/runs/${run}/logs?escape=false${query}`)).text();

  it('are exactly the text of the platform when they are piped, whatever became of the run', async () => {
    const text = await told(failed);
    expect(text).toContain("Cannot parse <n/a> as number & 'x'");
    const { code, stdout } = await pipeline('logs', PIPELINE);
    expect([code, stdout]).toEqual([0, text]);
    expect((await pipeline('logs', PIPELINE, failed.slice(0, 13), '--level', 'ERROR')).stdout).toBe(
      await told(failed, '&filter=loglevel%3DERROR'),
    );
    expect((await pipeline('logs', PIPELINE, 'latest', '--tail', '1')).stdout).toBe(
      `${text.trimEnd().split('\n').at(-1) ?? ''}\n`,
    );
    const none = await pipeline('logs', PIPELINE, '--until', 'now-1h');
    expect([none.stdout, none.stderr]).toEqual(['', 'the log has no lines\n']);
  });

  it('are items for other programs, all of them in order', async () => {
    const { stdout } = await pipeline('logs', PIPELINE, '--json');
    const { items } = JSON.parse(stdout) as { items: readonly Line[] };
    expect(items.length).toBeGreaterThan(5);
    expect(items.map(({ timestamp }) => timestamp)).toEqual(items.map(({ timestamp }) => timestamp).sort());
    const lines = (await pipeline('logs', PIPELINE, '-o', 'ndjson')).stdout.trimEnd().split('\n');
    const found = lines.map((line) => JSON.parse(line) as { type: string; item?: Line });
    expect(found.map(({ type }) => type)).toEqual([...items.map(() => 'item'), 'result']);
    expect(found.flatMap(({ item }) => item ?? [])).toEqual(items);
    expect((await pipeline('logs', PIPELINE, '-o', 'csv')).stdout.split('\r\n')).toHaveLength(items.length + 2);
  });

  it('tell why a run failed, and what was otherwise in the last good one', async () => {
    await runsLast({ lasts: 10 });
    const secret = 'Hunter2-planted';
    const good = (
      await pipeline('start', PIPELINE, '--set', 'date=1', '--set', 'api.token=x', '-y', '--wait')
    ).stdout.trim();
    await runsLast({ lasts: 2100, outcome: 'FAILED' });
    const args = ['--set', 'date=2', '--set', `api.token=${secret}`];
    const bad = (await pipeline('start', PIPELINE, ...args, '-y', '--wait')).stdout.trim();
    const { stdout, code } = await pipeline('why', PIPELINE, bad.slice(0, 13), '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { item: object }).item).toMatchObject({
      run: { runid: bad, status: 'FAILED' },
      node: 'phase-1',
      cause: "java.lang.IllegalArgumentException: Cannot parse <n/a> as number & 'x'",
      firstError: { logLevel: 'ERROR', message: 'Exception in task 0.0 in stage 0.0 (TID 0)' },
      lastGood: { runid: good },
      differences: [
        { what: 'argument api.token', before: '***', now: '***' },
        { what: 'argument date', before: '1', now: '2' },
        { what: 'duration' },
      ],
    });
    const page = await pipeline('why', PIPELINE);
    expect(page.stdout).toContain('Cannot parse <n/a> as number');
    expect(page.stderr).toContain(`next: cdapctl pipeline logs ${PIPELINE} ${bad}`);
    expect(stdout + page.stdout).not.toContain(secret);
    expect((await pipeline('logs', PIPELINE, bad)).stdout).toContain(`api.token=${secret}`);
    const logs = `${WORKFLOW}/runs/${bad}/logs`;
    for (const more of [[], ['--include'], ['--json']])
      expect((await runCli(['api', 'GET', logs, '-u', emulator.url, ...more])).stdout).toMatch(
        /api\.token=\*\*\*(?!.*planted)/su,
      );
    expect((await runCli(['api', 'GET', logs, '-u', emulator.url, '--raw'])).stdout).toContain(secret);
    expect((await pipeline('why', PIPELINE, good)).stdout).toContain('The log has no error.');
  });

  it('have no secret argument on a terminal, be it with blanks or without its name', async () => {
    await runsLast({ lasts: 10 });
    const args = ['--set', 'db.password=my pass,word', '--set', 'note=of my pass,word'];
    const run = (await pipeline('start', PIPELINE, ...args, '-y', '--wait', '--no-check')).stdout.trim();
    const stdout = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
    const shown = (...more: readonly string[]): Promise<string> =>
      withTempDir(async (home) => {
        const words = [PIPELINE, run, '-u', emulator.url, ...more];
        return (await runInProcess('pipeline:logs', words, home, { stdout })).terminal.out.join('');
      });
    const text = await shown();
    expect(text).toContain('started by user');
    expect(text).toMatch(/db\.password=\*\*\*[,}]/u);
    expect(text).toMatch(/note=of \*\*\*[,}]/u);
    expect(text).not.toMatch(/my pass|,word/u);
    expect(await shown('--show-secrets')).toContain('db.password=my pass,word');
  });

  it('are followed to the end of the run, and are then those that the platform has', async () => {
    await runsLast({ lasts: 4000 });
    const run = (await pipeline('start', PIPELINE, '-y', '--wait=running')).stdout.trim();
    const { code, stdout } = await pipeline('logs', PIPELINE, run, '--follow', '--interval', '200ms');
    expect([code, stdout]).toEqual([0, await told(run)]);
    expect(stdout).toContain('succeeded');
    const tail = await pipeline('logs', PIPELINE, run, '-f', '--tail', '2', '-o', 'ndjson');
    expect(tail.stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('are there for a run that was just started', async () => {
    await runsLast({ lasts: 2000 });
    const run = (await pipeline('start', PIPELINE, '-y')).stdout.trim();
    const followed = await pipeline('logs', PIPELINE, run, '--follow', '--interval', '200ms');
    expect([followed.code, followed.stdout], followed.stderr).toEqual([0, await told(run)]);
  });

  it('are refused where they cannot be, before anything is asked', async () => {
    for (const args of [
      ['--follow', '--json'],
      ['--follow', '--until', 'now'],
      ['--interval', '1s'],
      ['--since', 'now', '--until', 'now-1h'],
      ['--since', 'now+1h'],
    ])
      expect((await pipeline('logs', PIPELINE, ...args)).code).toBe(2);
    expect((await pipeline('logs', PIPELINE, '00000000-e567-11f1-a095-acde48001122')).code).toBe(5);
    expect((await pipeline('logs', 'etl/orders-hourl')).stderr).toContain('orders-hourly');
  });
});

it('a terminal shows the last 200 lines of a long log, or all if that is asked for', async () => {
  let ahead = 0;
  const applications = [olderPipeline('6.11.0', 'etl', 'orders-hourly', oneStep('Copy'))];
  const seed = { namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications };
  const emulator = await startEmulator({ port: 0, hubPort: 0, now: () => Date.now() + ahead, seed });
  try {
    await fetch(`${emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify({ lasts: 300_000 }) });
    expect((await runCli(['pipeline', 'start', PIPELINE, '-y', '-u', emulator.url])).code).toBe(0);
    ahead = 302_000;
    const log = (await runCli(['pipeline', 'logs', PIPELINE, '-u', emulator.url])).stdout;
    const lines = log.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(290);
    const shown = (terminal: boolean, ...more: readonly string[]): Promise<readonly [string, string]> =>
      withTempDir(async (home) => {
        const stdout = { terminal, color: false, columns: 80, unicode: true, utc: true };
        const words = [PIPELINE, '-u', emulator.url, ...more];
        const { terminal: end } = await runInProcess('pipeline:logs', words, home, { stdout });
        return [end.out.join(''), end.notes.join('')];
      });
    const note = 'the last 200 lines; use --tail all for the whole log';
    expect(await shown(true)).toEqual([`${lines.slice(-200).join('\n')}\n`, note]);
    expect(await shown(true, '--tail', 'all')).toEqual([log, '']);
    expect(await shown(true, '--tail', '199')).toEqual([`${lines.slice(-199).join('\n')}\n`, '']);
    expect(await shown(true, '--since', '1h')).toEqual([log, '']);
    expect(await shown(false)).toEqual([log, '']);
    const wrong = await runCli(['pipeline', 'logs', PIPELINE, '--tail', '0', '-u', emulator.url]);
    expect([wrong.code, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      'Error: --tail: must be all, or an integer from 1 to 10000, not 0  [USAGE]',
    ]);
  } finally {
    await emulator.close();
  }
});
