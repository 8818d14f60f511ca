import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulatorProcess, type Emulator } from '../../platform/emulator.js';
import { runCli } from '../../support/processes/run-cli.js';

type Row = Readonly<Record<string, unknown>>;

const PROGRAM = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-report-runs-'));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** The tool with a home that stays, so that its reports do. */
async function tool(emulator: Emulator, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCli([...args, '-u', emulator.url], { home: root });
  const json = args.includes('--json') ? (JSON.parse(stdout) as { item: Row; items: Row[]; error: Row }) : undefined;
  return { code, stdout, stderr, json };
}

async function told(emulator: Emulator, settings: object): Promise<void> {
  const answer = await fetch(`${emulator.url}/emulator/reports`, { method: 'POST', body: JSON.stringify(settings) });
  expect(answer.status).toBeLessThan(300);
}

const hintOf = (error: Row | undefined): string => (error?.['hints'] as string[] | undefined)?.[0] ?? '';

async function writesOf(emulator: Emulator, path: string): Promise<number> {
  const log = await (await fetch(`${emulator.url}/emulator/requests`)).text();
  return log.split(`POST ${path}`).length - 1 || log.split(`"${path}"`).length - 1;
}

describe('reports on 6.1.1, where the platform makes them', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulatorProcess(root, '--platform', '6.1.1', '--runs', '3000');
  });
  afterAll(async () => {
    await emulator.stop();
  });

  it('two that enable the service at once both succeed, and it is started once (P41)', async () => {
    const enable = (): ReturnType<typeof tool> => tool(emulator, 'report', 'service', 'enable', '-y', '--json');
    const both = await Promise.all([enable(), enable()]);
    expect(both.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(both.map(({ json }) => json?.item['state'])).toEqual(['running', 'running']);
    expect(await writesOf(emulator, `${PROGRAM}/start`)).toBe(1);
  });

  const requests = [
    ['of all runs', ['--sort', 'start:asc']],
    [
      'of pipelines that failed, longest first',
      ['--program-type', 'Workflow', '--status', 'FAILED', '--sort', 'duration:desc'],
    ],
  ] as const;
  it.each(requests)('a report %s by --engine runs equals that of the platform', async (_, flags) => {
    const window = ['--start', '6d', '--end', '1d', '--field', 'all'];
    const rows = async (engine: string): Promise<readonly Row[]> => {
      const args = ['report', 'run', ...window, ...flags, '--engine', engine, '--json'];
      const { code, stderr, json } = await tool(emulator, ...args);
      expect(code, stderr).toBe(0);
      const byRun = (a: Row, b: Row): number => (String(a['run']) < String(b['run']) ? -1 : 1);
      return (json?.items ?? []).map((row) => ({ ...row, artifactScope: '' })).sort(byRun);
    };
    const theirs = await rows('platform');
    expect(theirs.length).toBeGreaterThan(2);
    expect(await rows('runs')).toEqual(theirs);
  });

  it('is shown, stopped once, and then auto makes the report here and says why', async () => {
    const shown = await tool(emulator, 'report', 'service', 'status', '--json');
    expect(shown.json?.item).toMatchObject({ state: 'running', healthy: true, program: 'RUNNING' });
    const stop = await tool(emulator, 'report', 'service', 'stop', '-y', '--json');
    expect(stop.json?.item).toMatchObject({ state: 'stopped', changes: [{ what: 'stop', state: 'done' }] });
    const made = await tool(emulator, 'report', 'generate', '--last', '2d', '--json');
    expect(made.stderr).toContain(
      'generated locally from run records, because the report service of the platform is stopped',
    );
    const id = String(made.json?.item['id']);
    expect(id).toMatch(/^local-/u);
    const list = await tool(emulator, 'report', 'list', '--json');
    expect(list.json?.items.map((row) => row['id'])).toContain(id);
    const show = await tool(emulator, 'report', 'show', id, '--json');
    expect(show.json?.item).toMatchObject({ id, status: 'COMPLETED', engine: 'runs' });
    expect((await tool(emulator, 'report', 'share', id, '-y')).code).toBe(6);
    const part = await tool(emulator, 'report', 'download', id, '--offset', '1', '--limit', '2', '--json');
    expect(part.json?.items).toHaveLength(2);
    expect((await tool(emulator, 'report', 'delete', id, '-y')).code).toBe(0);
    expect((await tool(emulator, 'report', 'show', id)).code).toBe(5);
  });

  const off = [
    ['made by another engine', 'REPORTS_LOCAL', ['run', '--last', '2d']],
    ['listed', 'REPORTS_OFF', ['list']],
  ] as const;
  it.each(off)(
    'says once that the service is off when reports are %s, also with -q and in json',
    async (_, code, args) => {
      const { stderr, json } = await tool(emulator, 'report', ...args, '-q', '--json');
      expect(json).toMatchObject({ warnings: [{ code }] });
      expect(stderr.match(/^(?:warning|note): /gmu)).toEqual(['warning: ']);
    },
  );

  it('says nothing of it where the engine is named', async () => {
    const { stderr, json } = await tool(emulator, 'report', 'run', '--last', '2d', '--engine', 'runs', '-q', '--json');
    expect([stderr, json]).toEqual(['', expect.objectContaining({ warnings: [] })]);
  });
});

describe('reports of this machine, whose platform is gone', () => {
  it('are shown, downloaded and deleted by ID, but not in the place of its own, and upgrades are listed', async () => {
    const emulator = await startEmulatorProcess(root, '--runs', '3000');
    const made = await tool(emulator, 'report', 'generate', '--last', '2d', '--wait', '--json');
    const id = String(made.json?.item['id']);
    await emulator.stop();
    // Its port is kept: the emulator of another test, which answers, must not get it.
    const nothing = createServer((socket) => socket.destroy()).listen(Number(new URL(emulator.url).port), '127.0.0.1');
    await once(nothing, 'listening');
    for (const line of ['list', 'show latest', 'download latest', 'delete latest -y'])
      expect([line, (await tool(emulator, 'report', ...line.split(' '))).code]).toEqual([line, 7]);
    nothing.close();
    for (const verb of ['show', 'download']) expect((await tool(emulator, 'report', verb, id)).code).toBe(0);
    await runCli(['context', 'add', 'gone', '--url', emulator.url, '--protected'], { home: root });
    const removed = await tool(emulator, 'report', 'delete', id, '-y');
    expect(removed.code, removed.stderr).toBe(0);
    expect((await tool(emulator, 'upgrade', 'history', '--json')).code).toBe(0);
  });
});

describe('reports on 6.11.0, where the platform cannot', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulatorProcess(root, '--runs', '3000');
    await told(emulator, { scanMilliseconds: 600 });
  });
  afterAll(async () => {
    await emulator.stop();
  });

  it('needs a yes, and a dry run only says what it would do', async () => {
    const refused = await tool(emulator, 'report', 'service', 'enable');
    expect(refused.code).toBe(13);
    const { json } = await tool(emulator, 'report', 'service', 'enable', '--dry-run', '--json');
    expect(json?.item).toMatchObject({ state: 'absent', changes: [{ what: 'deploy' }, { what: 'start' }] });
    expect((await tool(emulator, 'report', 'service', 'status')).stdout).toContain('not deployed');
  });

  it('enabling it ends with 11 and writes the capability file for the administrator', async () => {
    const file = join(root, 'reports.json');
    const enable = await tool(emulator, 'report', 'service', 'enable', '-y', '--capability-file', file);
    expect(enable.code).toBe(11);
    expect(enable.stderr).toContain('[REPORTS_STOPPED]');
    expect(enable.stderr).toContain('cdapctl api DELETE /v3/namespaces/system/apps/ReportGenerationApp -y');
    const version = (JSON.parse(await readFile(file, 'utf8')) as { applications: { artifact: { version: string } }[] })
      .applications[0]?.artifact.version;
    expect(version).toBe('6.11.0');
    const again = await tool(emulator, 'report', 'service', 'enable', '-y', '--capability-file', file);
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('EXISTS')]);
  });

  it('never takes the empty report of a dead collector for an answer', async () => {
    await fetch(`${emulator.url}/v3/namespaces/system/apps/ReportGenerationApp`, { method: 'DELETE' });
    await told(emulator, { running: true });
    const status = await tool(emulator, 'report', 'service', 'status');
    expect(status.stderr).toContain('has collected nothing');
    const args = ['report', 'run', '--last', '2d', '--program-type', 'Workflow'];
    const empty = await tool(emulator, ...args, '--engine', 'platform', '--json');
    expect([empty.code, empty.json?.error['code']]).toEqual([11, 'REPORTS_EMPTY']);
    const [, hint = ''] =
      /: cdapctl (report run --like \S+ --engine runs) -u \S+$/u.exec(hintOf(empty.json?.error)) ?? [];
    const file = join(root, 'empty.csv');
    const saved = await tool(
      emulator,
      'report',
      'save',
      'latest',
      '-y',
      '--name',
      'x',
      '--download-to',
      file,
      '--json',
    );
    expect([saved.code, saved.json?.error['code']]).toEqual([11, 'REPORTS_EMPTY']);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const auto = await tool(emulator, ...args, '--json');
    expect(auto.stderr).toContain('has collected nothing');
    expect(auto.json?.items.length).toBeGreaterThan(10);
    expect((await tool(emulator, ...hint.split(' '), '--json')).json?.items.length).toBeGreaterThan(10);
  });
});
