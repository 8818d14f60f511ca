import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { documentOf } from '../../support/sites/install-site.js';
import { plainCsv } from '../../support/sites/report-platform.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';

type Row = Readonly<Record<string, unknown>>;

const DOWNLOAD = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports/download';
const FIELDS = ['applicationName', 'run', 'status', 'start', 'end', 'user'];
const WANTED = ['--last', '30d', ...FIELDS.flatMap((field) => ['--field', field])];
let emulator: RunningEmulator;
let home: string;
/** The report of the service, and its records as the platform answers them. */
let id: string;
let rows: readonly Row[];

const report = (...args: readonly string[]): Promise<RunResult> =>
  runCli(['report', ...args], { home, cwd: home, env: { CDAPCTL_URL: emulator.url } });
const text = (name: string): Promise<string> => readFile(join(home, name), 'utf8');

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1', seed: { runs: { count: 400 } } });
  home = await mkdtemp(join(tmpdir(), 'cdapctl-report-download-'));
  expect(await report('service', 'enable', '-y')).toMatchObject({ code: 0 });
  const made = await report('run', ...WANTED, '--engine', 'platform', '-O', 'first.csv');
  expect(made, made.stderr).toMatchObject({ code: 0, stdout: '' });
  id = /"?id"?:? ?"?([0-9a-f]{8}-[0-9a-f-]{27})/u.exec((await report('show', 'latest', '--json')).stdout)?.[1] ?? '';
  const answer = await fetch(`${emulator.url}${DOWNLOAD}?report-id=${id}`);
  rows = (JSON.parse(await answer.text()) as { details: Row[] }).details;
  expect(made.stderr).toContain(`wrote first.csv (${rows.length} rows, 8 columns)`);
});

afterAll(async () => {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
});

describe('the records of a report', () => {
  it('are the file of a run and of a download, to the last byte, and on stdout the same', async () => {
    expect(rows.length).toBeGreaterThan(100);
    const wanted = plainCsv(rows, FIELDS);
    expect(await text('first.csv')).toBe(wanted);
    const { code, stdout, stderr } = await report('download', id.slice(0, 8), '-O', 'second.csv');
    expect([code, stdout], stderr).toEqual([0, '']);
    expect(await text('second.csv')).toBe(wanted);
    expect((await report('download', id, '-o', 'csv')).stdout).toBe(wanted);
  });

  it('are one document, or a line each, with the same bytes in a file', async () => {
    const document = await documentOf(await report('download', id, '--json'));
    expect((document as unknown as { items: Row[] }).items).toMatchObject(rows);
    const file = await documentOf(await report('download', id, '--json', '-O', 'runs.json'));
    expect(file).toMatchObject({ kind: 'ReportDownload', item: { file: 'runs.json', records: rows.length } });
    expect(await text('runs.json')).toBe(document.stdout);
    const { stdout } = await report('download', id, '-O', 'runs.jsonl');
    expect(stdout).toBe('');
    const lines = (await text('runs.jsonl')).trimEnd().split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'result', page: { total: rows.length, next: null } });
  });

  it('are a part, or some columns, of them', async () => {
    const part = await report('download', 'latest', '-o', 'csv', '--offset', '3', '--limit', '2', '--no-header');
    expect(part.stdout).toBe(plainCsv(rows.slice(3, 5), FIELDS).split('\r\n').slice(1).join('\r\n'));
    const some = await report('download', id, '-o', 'csv', '--limit', '4', '--fields', 'status,run');
    expect(some.stdout).toBe(plainCsv(rows.slice(0, 4), ['status', 'run']));
    const unknown = await report('download', id, '-O', 'x.csv', '--fields', 'nope');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown field "nope"') as string });
    expect(await readdir(home)).not.toContain('x.csv');
  });

  it('are read by the id that was shared', async () => {
    const shared = (await report('share', id, '-y')).stdout.trim();
    const { stdout } = await report('download', `share:${shared}`, '-o', 'csv');
    expect(stdout).toBe(plainCsv(rows, FIELDS));
  });

  it('of a report that was made here come by the same way', async () => {
    const made = await report('run', ...WANTED, '--engine', 'runs', '-O', 'local.csv');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const again = await report('download', 'latest', '-o', 'csv');
    expect(again.stdout).toBe(await text('local.csv'));
    expect(again.stdout.split('\r\n')[0]).toBe(plainCsv(rows, FIELDS).split('\r\n')[0]);
    expect(again.stdout.length).toBeGreaterThan(1000);
  });
});

describe('a line about a file', () => {
  it('is refused where there is no file', async () => {
    const { code, stderr } = await report('download', id, '--clobber');
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs a file')]);
  });
});
