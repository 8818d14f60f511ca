import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { documentOf } from '../../support/sites/install-site.js';
import { REPORT_ID, reportPlatform, type ReportPlatform } from '../../support/sites/report-platform.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';
import { startCli } from '../../support/processes/running-cli.js';

interface Logged {
  readonly method: string;
  readonly path: string;
}
interface Entry {
  readonly id: string;
  readonly status: string;
  readonly name: string;
  readonly saved: boolean;
  readonly engine: string;
  readonly expiry?: number;
}

const REPORTS = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports';
let emulator: RunningEmulator;
let home: string;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1', seed: { runs: { count: 400 } } });
  home = await mkdtemp(join(tmpdir(), 'cdapctl-reports-'));
});

afterAll(async () => {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
});

const report = (...args: readonly string[]): Promise<RunResult> =>
  runCli(['report', ...args], { home, env: { CDAPCTL_URL: emulator.url } });

/** The result of a command with `--json`, checked against its schema. */
async function resultOf<T>(...args: readonly string[]): Promise<T> {
  const { item, error, ...rest } = await documentOf(await report(...args, '--json'));
  expect(error).toBeUndefined();
  return (item ?? (rest as { items?: unknown }).items) as T;
}

async function requests(): Promise<readonly string[]> {
  const log = await (await fetch(`${emulator.url}/emulator/requests`)).text();
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Logged).map(({ method, path }) => `${method} ${path}`);
}

describe('a request for a report', () => {
  it('is refused for a namespace that is not there, which the service of the platform may have known', async () => {
    const refused = await report('run', '-n', 'elt', '--last', '1h', '-o', 'csv');
    expect([refused.code, refused.stdout]).toEqual([5, '']);
    expect(refused.stderr).toContain('Did you mean "etl"?');
    const { stderr } = await report('generate', '-n', 'elt', '--last', '1h', '--engine', 'platform');
    expect(stderr).toContain('the platform has no namespace "elt", unless it was deleted');
  });

  it('is refused for a pipeline or a program type that is not there', async () => {
    const refused = await report('run', '--last', '1h', '--pipeline', 'orders-laod', '-o', 'csv');
    expect([refused.code, refused.stdout]).toEqual([5, '']);
    expect(refused.stderr).toContain('Did you mean "orders-load"?');
    const doubted = await report('generate', '--last', '1h', '--pipeline', 'gone', '--engine', 'platform');
    expect(doubted.stderr).toContain('has a pipeline or application "gone", unless it was deleted');
    const typed = await report('run', '--last', '1h', '--program-type', 'Wrkflow');
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('Did you mean "Workflow"?')]);
    const words = ['--last', '30d', '--pipeline', 'orders-load', '--program-type', 'workflow'];
    // In a home of its own, as the report stays.
    const every = await runCli(['report', 'run', ...words], { env: { CDAPCTL_URL: emulator.url } });
    expect([every.code, every.stdout]).toEqual([0, expect.stringContaining('orders-load')]);
  });

  it('names the pipelines that a pattern stands for, and is not made where there is none', async () => {
    const filters = async (...args: readonly string[]) => {
      const { stdout } = await report('generate', '--last', '30d', '--print-request', ...args);
      const request = JSON.parse(stdout) as { filters: { fieldName: string; whitelist: string[] }[] };
      return Object.fromEntries(request.filters.map(({ fieldName, whitelist }) => [fieldName, whitelist]));
    };
    expect(await filters('-p', 'etl/mails-*,etl/cust?mers-load')).toMatchObject({
      namespace: ['etl'],
      applicationName: ['customers-load', 'mails-clean', 'mails-live', 'mails-load', 'mails-report'],
    });
    const before = (await requests()).length;
    const none = await report('run', '--last', '30d', '-p', 'etl/nope*', '-o', 'csv');
    expect([none.code, none.stdout]).toEqual([5, '']);
    expect((await requests()).slice(before).filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  it('about different pipelines of two namespaces is made here, as the platform cannot tell them apart', async () => {
    const words = ['-p', 'etl/mails-live', '-p', 'default/stock-*', '--last', '30d'];
    const made = await runCli(
      ['report', 'run', ...words, '--report-fields', 'namespace,applicationName', '-o', 'csv'],
      {
        env: { CDAPCTL_URL: emulator.url },
      },
    );
    const [header, ...rows] = made.stdout.trimEnd().split('\r\n');
    expect(header).toBe('namespace,applicationName');
    const places = rows.map((line) => line.replace(',', '/'));
    expect([...new Set(places)].sort()).toEqual([
      ...['clean', 'live', 'load', 'report'].map((part) => `default/stock-${part}`),
      'etl/mails-live',
    ]);
    const refused = await report('run', ...words, '--engine', 'platform');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot select different pipelines')]);
  });

  it('is printed as it would be sent, can be read again, and nothing is sent', async () => {
    const before = (await requests()).length;
    const { code, stdout } = await report(
      'generate',
      '--last',
      '2h',
      '-n',
      'etl',
      '--status',
      'STOPPED',
      '--print-request',
    );
    expect(code).toBe(0);
    const file = join(home, 'request.json');
    await writeFile(file, stdout);
    const again = await report('generate', '-f', file, '--sort', 'end:desc', '--print-request');
    const request = JSON.parse(stdout) as { filters: unknown };
    expect(request.filters).toEqual([
      { fieldName: 'namespace', whitelist: ['etl'] },
      { fieldName: 'status', whitelist: ['STOPPED', 'KILLED'] },
      { fieldName: 'program', whitelist: ['DataPipelineWorkflow', 'DataStreamsSparkStreaming'] },
    ]);
    expect(JSON.parse(again.stdout)).toEqual({ ...request, sort: [{ fieldName: 'end', order: 'DESCENDING' }] });
    expect((await requests()).slice(before)).toEqual([]);
  });

  it('P31: with two sorts, or a wrong one and other faults, is refused with all of them, before anything is sent', async () => {
    const before = (await requests()).length;
    const twice = await report('generate', '--last', '2h', '--sort', 'start', '--sort', 'end');
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('--sort can only be specified once')]);
    const faults = ['--sort', 'program', '--field', 'nope', '--filter', 'duration=60'];
    const { code, stderr } = await report('generate', '--last', '2h', ...faults);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /3 errors[^]*field duration needs a range[^]*unknown field "nope"[^]*program cannot be used for sorting/u,
    );
    expect((await requests()).slice(before)).toEqual([]);
  });
});

describe('the columns of a report', () => {
  it('that it cannot have are refused before anything is sent', async () => {
    const before = (await requests()).length;
    for (const format of ['csv', 'json']) {
      const { code, stdout, stderr } = await report('run', '--last', '1h', '--fields', 'run,sttus', '-o', format);
      expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(/unknown field \\?"sttus\\?" in --fields/u)]);
    }
    expect((await requests()).slice(before)).toEqual([]);
  });
});

describe('reports of a platform', () => {
  it('are off until somebody enables them, which is said with the next step', async () => {
    const { code, stdout, stderr } = await report('list');
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
    expect(stderr).toContain('application not deployed');
    expect(stderr).toContain('there are no local reports either');
    expect(stderr).toContain('cdapctl report service enable');
    expect(stderr).toContain('cdapctl report run --last 24h --engine runs\n');
    expect(await documentOf(await report('list', '--json'))).toMatchObject({
      items: [],
      warnings: [{ code: 'REPORTS_OFF' }],
    });
    expect(await documentOf(await report('show', 'latest', '--json'))).toMatchObject({
      error: { code: 'REPORTS_OFF' },
    });
    expect((await report('service', 'enable', '-y')).code).toBe(0);
    expect((await documentOf(await report('show', 'latest', '--json'))).error.code).toBe('NOT_FOUND');
  });

  it('are told of once when they are waited for, with what is next', async () => {
    const words = ['--last', '7d', '--field', 'run', '--engine', 'platform', '--wait', '--interval', '100ms'];
    const made = await report('generate', ...words);
    expect(made.stdout).toMatch(/^Report \S+ {3}".*" {3}COMPLETED {3}\d+ runs, expires \S+ \S+\n$/u);
    expect(made.stderr).not.toMatch(/COMPLETED/u);
    const [, id = ''] = /^next: cdapctl report download (\S+) -O report\.csv$/mu.exec(made.stderr) ?? [];
    // Only the line names the platform: a command to paste must, too.
    const elsewhere = (...args: readonly string[]): Promise<RunResult> => runCli(args, { home });
    const waited = await elsewhere('report', 'wait', id, '-u', emulator.url);
    const [, next = ''] = /^next: cdapctl (.*)$/mu.exec(waited.stderr) ?? [];
    expect(next).toBe(`report download ${id} -O report.csv -u ${emulator.url}`);
    const { code, stderr } = await elsewhere(...next.split(' '));
    expect(code, stderr).toBe(0);
    expect(await readFile(join(home, 'report.csv'), 'utf8')).toMatch(/^run\r\n\S/u);
    expect((await report('delete', id, '-y')).code).toBe(0);
  });

  it('are made, waited for, shown, shared, saved with their data, and deleted', async () => {
    const words = ['--last', '7d', '--status', 'FAILED', '--engine', 'platform', '--wait', '--interval', '100ms'];
    const made = await resultOf<{ id: string; status: string; recordCount: number }>('generate', ...words);
    expect(made).toMatchObject({ status: 'COMPLETED', engine: 'platform' });
    expect(made.recordCount).toBeGreaterThan(0);
    const shown = await resultOf<{ id: string; summary: { recordCount: number } }>('show', made.id.slice(0, 8));
    expect(shown).toMatchObject({ id: made.id, summary: { recordCount: made.recordCount } });

    const share = await report('share', 'latest', '-y');
    expect(share.stdout).toMatch(/^[\w=-]+\n$/u);
    expect(share.stderr).toContain(`cdapctl report show share:${share.stdout.trim()}`);
    const shared = await resultOf<Entry>('show', `share:${share.stdout.trim()}`);
    expect(shared.name).toContain('FAILED');
    expect(shared.id).toBeUndefined();

    const file = join(home, 'kept.csv');
    const saved = await report('save', 'latest', '-y', '--name', 'kept', '--download-to', file);
    expect(saved.code).toBe(0);
    expect(saved.stderr).toMatch(/saving does not extend the expiry: the platform deletes the report at \d{4}-/u);
    expect((await readFile(file, 'utf8')).split('\r\n').length).toBe(made.recordCount + 2);
    expect((await report('save', 'latest', '-y', '--name', 'twice')).code).toBe(6);
    const [entry] = await resultOf<Entry[]>('list', '--name', 'ke*');
    expect(entry).toMatchObject({ id: made.id, name: 'kept', saved: true });
    expect(entry?.expiry).toBeUndefined();

    const deleted = await resultOf<{ id: string; state: string }[]>('delete', made.id, '-y');
    expect(deleted).toMatchObject([{ id: made.id, state: 'deleted' }]);
    expect((await report('show', made.id)).code).toBe(5);
    expect((await requests()).filter((line) => line === `POST ${REPORTS}`)).toHaveLength(2);
  });

  it('stand beside those that were made here, and several are deleted after one yes', async () => {
    const request = ['generate', '--last', '7d', '--field', 'run'];
    const here = await resultOf<{ id: string }>(...request, '--engine', 'runs');
    const there = await resultOf<{ id: string }>(...request, '--engine', 'platform', '--wait', '--interval', '100ms');
    const listed = await resultOf<Entry[]>('list');
    expect(new Set(listed.map(({ id, engine }) => `${engine} ${id}`))).toEqual(
      new Set([`runs ${here.id}`, `platform ${there.id}`]),
    );
    for (const words of [['share'], ['save', '--name', 'x']])
      expect((await report(...words, here.id, '-y')).code).toBe(6);
    const asked = await report('delete', here.id, there.id);
    expect(asked.code).toBe(13);
    expect(asked.stderr).toContain('delete 2 reports');
    expect((await report('delete', '--older-than', '0', '-y')).code).toBe(0);
    expect(await resultOf('list')).toEqual([]);
  });
});

describe('waiting for a report', () => {
  let platform: ReportPlatform;

  beforeAll(async () => {
    platform = await reportPlatform(3);
  });

  afterAll(async () => {
    await platform.server.close();
  });

  it('says, when it is interrupted, that the platform goes on, and how to wait again', async () => {
    platform.status = 'RUNNING';
    const run = startCli(['report', 'wait', REPORT_ID, '-u', platform.url], { home, env: {} });
    await run.see('RUNNING');
    run.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain(
      `the platform continues to generate the report: cdapctl report wait ${REPORT_ID} -u ${platform.url}\n`,
    );
  });

  it('P27: ends with 8 at its limit, with the id and the command that goes on', async () => {
    platform.status = 'RUNNING';
    const words = ['report', 'wait', REPORT_ID, '-u', platform.url, '--timeout', '1ms', '--json'];
    const { error } = await documentOf(await runCli(words, { home }));
    expect(error).toMatchObject({
      code: 'STILL_RUNNING',
      hints: [`cdapctl report wait ${REPORT_ID} -u ${platform.url}`],
    });
  });

  it('is not begun for columns that it cannot have', async () => {
    platform.status = 'RUNNING';
    const words = ['report', 'download', REPORT_ID, '--wait', '--timeout', '1ms', '-u', platform.url];
    const refused = await runCli([...words, '--fields', 'run,nope'], { home });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect((await runCli([...words, '--fields', 'run,program'], { home })).code).toBe(8);
  });

  it('P26: ends with 11 when the platform failed, with its words made harmless', async () => {
    platform.status = 'FAILED';
    const { code, stderr } = await runCli(['report', 'wait', REPORT_ID, '-u', platform.url], { home });
    expect(code).toBe(11);
    expect(stderr).toContain('java.lang.Exception: no \\x1b[2J space');
    expect(stderr).not.toContain('D.java');
  });
});
