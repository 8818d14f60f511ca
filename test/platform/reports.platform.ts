import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import { runCli } from '../support/processes/run-cli.js';
import { runToEnd } from './pipeline-run.js';
import { callPlatform } from './site.js';
import { GENERATIONS, makePipeline, openUpgradeSite, pipelineOf, type UpgradeSite } from './upgrade/upgrade-site.js';

// A run takes up to a minute when the platform is cold, a report of the platform half a minute.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

type Row = Readonly<Record<string, unknown>>;
interface Document {
  readonly kind: string;
  readonly items: readonly Row[];
  readonly item: Row;
  readonly error?: { readonly code: string; readonly message: string };
}
interface RunRecord {
  readonly runid: string;
  readonly status: string;
  readonly starting: number;
  readonly start?: number;
  readonly end: number;
}

const APPLICATION = '/v3/namespaces/system/apps/ReportGenerationApp';
const PROGRAM = `${APPLICATION}/spark/ReportGenerationSpark`;
/** Programs of a pipeline: all of it, and the step inside, which is one or the other. */
const PROGRAMS = ['workflows/DataPipelineWorkflow', 'spark/phase-1', 'mapreduce/phase-1'];
const BROKEN = 'broken';
const ALL = '--all-programs';

const byRun = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (String(a['run']) < String(b['run']) ? -1 : 1));
const linesOf = (text: string): readonly string[] => text.trimEnd().split(/\r?\n/u);
const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([member]) => member !== name));

/** A namespace in which pipelines have run, one of them to FAILED, and what the platform itself says of these runs. */
class Place {
  runs: readonly (RunRecord & { readonly program: string })[] = [];
  readonly site: UpgradeSite;

  constructor(site: UpgradeSite) {
    this.site = site;
  }

  async run(): Promise<void> {
    const { site } = this;
    const { generation } = site;
    const whole = pipelineOf(generation, 'orders', {});
    const { config } = pipelineOf(generation, BROKEN, {});
    const stages = config.stages.map((stage) =>
      'path' in stage.plugin.properties && stage.name !== 'sink'
        ? { ...stage, plugin: { ...stage.plugin, properties: { ...stage.plugin.properties, path: '/cdap/nowhere' } } }
        : stage,
    );
    await makePipeline(site, 'orders', whole);
    await makePipeline(site, BROKEN, { ...whole, config: { ...config, stages } });
    expect(await Promise.all([runToEnd(site, 'orders'), runToEnd(site, BROKEN)])).toEqual(['COMPLETED', 'FAILED']);
    const lists = ['orders', BROKEN].flatMap((app) => PROGRAMS.map((program) => this.listed(app, program)));
    this.runs = (await Promise.all(lists)).flat();
  }

  /** The window, in the words of the line: from the first start on, and over now that all have ended. */
  get window(): readonly string[] {
    const start = Math.min(...this.runs.map(({ starting }) => starting));
    const end = this.lastEnd + 1;
    return ['--start', `${start}`, '--end', `${end}`, '-n', this.site.namespace, '--field', 'all'];
  }

  get lastEnd(): number {
    return Math.max(...this.runs.map(({ end }) => end));
  }

  private async listed(app: string, program: string): Promise<readonly (RunRecord & { program: string })[]> {
    const { generation, namespace } = this.site;
    const answer = await fetch(`${generation.url}/v3/namespaces/${namespace}/apps/${app}/${program}/runs`);
    const records = answer.status === 404 ? [] : ((await answer.json()) as RunRecord[]);
    return records.map((record) => ({ ...record, program: program.split('/')[1] ?? '' }));
  }

  /** Runs a command, checks its exit code and gives its document. */
  async told(code: number, ...args: readonly string[]): Promise<Document> {
    const run = await this.site.cdapctl('report', ...args, '-u', this.site.proxy.url, '--json');
    expect(run.code, `${args.join(' ')}: ${run.stderr}${run.stdout}`).toBe(code);
    return JSON.parse(run.stdout) as Document;
  }

  /** Makes a report and gives what is told of it. */
  async made(engine: string, ...flags: readonly string[]): Promise<Row> {
    return (await this.told(0, 'generate', ...this.window, '--wait', '--engine', engine, ...flags)).item;
  }

  async records(report: Row): Promise<readonly Row[]> {
    return byRun((await this.told(0, 'download', String(report['id']))).items);
  }
}

/** Leaves the platform as one on which reports were never enabled. */
async function removeService(url: string): Promise<void> {
  if ((await fetch(url + APPLICATION)).status === 404) return;
  await fetch(`${url}${PROGRAM}/stop`, { method: 'POST' });
  await vi.waitFor(
    async () => {
      await callPlatform(url + APPLICATION, 'DELETE');
    },
    { timeout: 300_000, interval: 1000 },
  );
}

const expectRuns = (rows: readonly Row[], runs: Place['runs']): void => {
  const told = rows.map(({ run, program, status, start, running, end }) => [run, program, status, start, running, end]);
  const own = runs.map((run) => [run.runid, run.program, run.status, run.starting, run.start ?? null, run.end]);
  expect(new Set(told)).toEqual(new Set(own));
  expect(rows).toHaveLength(runs.length);
};

const NEWEST = GENERATIONS.find(({ platform }) => platform === '6.11.0');
/** Those whose report service collects: 6.1.1 when it is started over HTTP, 6.4.1 by the file with which `cdap start` keeps it running. */
const COLLECTING = GENERATIONS.filter((generation) => generation !== NEWEST);

describe.each(COLLECTING)('reports of a real platform $platform', (generation) => {
  const { url, platform } = generation;
  const isByFile = platform === '6.4.1';
  const it = base.skipIf(url === '');
  let place: Place;
  let enabled: Row;
  let whole: Row;
  let pipelines: Row;

  beforeAll(async () => {
    if (url === '') return;
    if (!isByFile) await removeService(url);
    place = new Place(await openUpgradeSite(generation));
    const { item } = await place.told(0, 'service', 'enable', '-y');
    enabled = item;
    await place.run();
    await vi.waitFor(
      async () => {
        const { lastSync } = (await place.told(0, 'service', 'status')).item;
        expect(lastSync).toBeGreaterThanOrEqual(place.lastEnd * 1000);
      },
      { timeout: 600_000, interval: 1000 },
    );
    [whole, pipelines] = await Promise.all([place.made('platform', ALL), place.made('auto')]);
  });
  afterAll(async () => {
    if (url === '') return;
    if (!isByFile) {
      await place.told(0, 'service', 'stop', '-y');
      await removeService(url);
    }
    await place.site.close();
  });

  it('come from a service that is enabled by one command, or by a file, and collects', async () => {
    const changes = ['deploy', 'start'].map((what) => ({ what, state: 'done' }));
    expect(enabled).toMatchObject({ state: 'running', healthy: true });
    // What the file has not brought up yet, the command does.
    const left = isByFile ? [[], changes.slice(1), changes] : [changes];
    expect(left).toContainEqual(enabled['changes']);
    expect((await place.told(0, 'service', 'enable', '-y')).item).toMatchObject({ changes: [], collects: true });
  });

  it('hold the runs that the platform has, by its own service unless told otherwise', async () => {
    expectRuns(await place.records(whole), place.runs);
    const flows = place.runs.filter(({ program }) => program === 'DataPipelineWorkflow');
    expectRuns(await place.records(pipelines), flows);
    for (const [report, recordCount] of [
      [whole, place.runs.length],
      [pipelines, flows.length],
    ] as const)
      expect(report).toMatchObject({ engine: 'platform', status: 'COMPLETED', recordCount });
  });

  it('made here from the records of runs are the same but for the scope of artifacts', async () => {
    for (const [report, flags] of [
      [whole, [ALL]],
      [pipelines, []],
    ] as const) {
      const theirs = await place.records(report);
      const here = await place.made('runs', ...flags);
      const ours = await place.records(here);
      expect(ours.map((row) => without(row, 'artifactScope'))).toEqual(
        theirs.map((row) => without(row, 'artifactScope')),
      );
      expect([...new Set([...theirs, ...ours].map((row) => row['artifactScope']))]).toEqual(['USER', 'SYSTEM']);
      await place.told(0, 'delete', String(here['id']), '-y');
    }
  });

  it('are listed, shown, and downloaded in each format with every record', async () => {
    const id = String(whole['id']);
    const { items } = await place.told(0, 'list', '--status', 'COMPLETED');
    expect(items.find((item) => item['id'] === id)).toMatchObject({ engine: 'platform', saved: false });
    expect((await place.told(0, 'show', id)).item).toMatchObject({ id, summary: { recordCount: place.runs.length } });
    const records = await place.records(whole);
    const columns = ['run', 'program', 'status', 'start', 'end', 'duration'];
    const file = join(place.site.home, 'runs');
    const texts = await Promise.all(
      ['csv', 'ndjson', 'json'].map(async (format) => {
        // Without --json, which would be the format of the file, too.
        const flags = ['-O', `${file}.${format}`, ...(format === 'csv' ? ['--fields', columns.join(',')] : [])];
        const run = await place.site.cdapctl('report', 'download', id, ...flags, '-u', place.site.proxy.url);
        expect([run.code, run.stdout], run.stderr).toEqual([0, '']);
        return readFile(`${file}.${format}`, 'utf8');
      }),
    );
    const [csv = '', ndjson = '', json = ''] = texts;
    expect(byRun((JSON.parse(json) as Document).items)).toEqual(records);
    const lines = linesOf(ndjson).map((line) => JSON.parse(line) as { readonly type: string; readonly item: Row });
    expect(lines.pop()).toMatchObject({ type: 'result', page: { total: records.length, next: null } });
    expect(byRun(lines.map(({ item }) => item))).toEqual(records);
    const [header, ...rows] = linesOf(csv);
    expect(header).toBe(columns.join(','));
    expect(rows.toSorted()).toEqual(records.map((record) => columns.map((name) => String(record[name])).join(',')));
  });

  it('can be read by whoever has the id that share gives', async () => {
    const id = String(whole['id']);
    const { shareId } = (await place.told(0, 'share', id, '-y')).item;
    const shared = async (command: string): Promise<Document> => {
      // A home of its own, as somebody else has.
      const run = await runCli(['report', command, `share:${String(shareId)}`, '-u', place.site.proxy.url, '--json']);
      expect(run.code, run.stderr).toBe(0);
      return JSON.parse(run.stdout) as Document;
    };
    expect((await shared('show')).item['summary']).toEqual((await place.told(0, 'show', id)).item['summary']);
    expect(byRun((await shared('download')).items)).toEqual(await place.records(whole));
  });

  it('are saved once, which does not stop their expiry, and are gone when deleted', async () => {
    const id = String(pipelines['id']);
    const as = ['--name', 'kept', '--description', 'for audit'];
    const { item } = await place.told(0, 'save', id, '-y', ...as);
    expect(item).toMatchObject({ id, name: 'kept', description: 'for audit', saved: true });
    expect(item['summary']).toHaveProperty('expirationTimeMillis');
    expect((await place.told(6, 'save', id, '-y', ...as)).error?.code).toBe('CONFLICT');
    const { items } = await place.told(0, 'delete', id, String(whole['id']), '-y');
    expect(items.map(({ state }) => state)).toEqual(['deleted', 'deleted']);
    expect((await place.told(5, 'show', id)).error?.code).toBe('NOT_FOUND');
    const left = (await place.told(0, 'list')).items.map((report) => report['id']);
    expect(left).not.toContain(id);
    expect(left).not.toContain(whole['id']);
  });
});

describe('reports of a real platform 6.11.0', () => {
  const it = base.skipIf(NEWEST === undefined || NEWEST.url === '');
  let place: Place;
  const fetched = (code: number, engine: string, ...flags: readonly string[]): Promise<Document> =>
    place.told(code, 'run', ...place.window, '--engine', engine, ...flags);

  beforeAll(async () => {
    if (NEWEST === undefined || NEWEST.url === '') return;
    await removeService(NEWEST.url);
    place = new Place(await openUpgradeSite(NEWEST));
    await place.run();
  });
  afterAll(async () => {
    if (NEWEST === undefined || NEWEST.url === '') return;
    await removeService(NEWEST.url);
    await place.site.close();
  });

  it('are made here from the records of runs, and hold those that really happened', async () => {
    for (const engine of ['runs', 'auto']) expectRuns((await fetched(0, engine, ALL)).items, place.runs);
    const { item } = await place.told(0, 'generate', ...place.window, ALL, '--wait');
    expect(item).toMatchObject({ engine: 'runs', status: 'COMPLETED', recordCount: place.runs.length });
    expect((await fetched(7, 'platform')).error?.code).toBe('REPORTS_OFF');
  });

  it('have a record for each run of the dashboard, and no more', async () => {
    const { namespace, proxy } = place.site;
    const start = place.window[1] ?? '';
    const window = ['--start', start, '--duration', `${place.lastEnd + 1 - Number(start)}s`];
    const looked = await place.site.cdapctl('dashboard', '-n', namespace, ...window, '-u', proxy.url, '--json');
    expect(looked.code, looked.stderr).toBe(0);
    const items = (JSON.parse(looked.stdout) as Document).items.filter(({ run }) => run !== undefined);
    const own = (await fetched(0, 'auto')).items;
    expect(byRun(own).map(({ run }) => run)).toEqual(byRun(items).map(({ run }) => run));
    expect(own.length).toBeGreaterThan(0);
  });

  it('are never an empty answer of a service that collects nothing, nor while the platform stops it', async () => {
    const { item } = await place.told(0, 'service', 'enable', '-y', '--no-wait');
    expect(item['changes']).toHaveLength(2);
    const [theirs, ours] = await Promise.all([
      place.site.cdapctl(
        'report',
        'run',
        ...place.window,
        '--engine',
        'platform',
        '-u',
        place.site.proxy.url,
        '--json',
      ),
      fetched(0, 'auto', ALL),
    ]);
    expectRuns(ours.items, place.runs);
    // Empty, off or failed: it depends on the moment in which the platform stops the service.
    expect([7, 11], `${theirs.stderr}${theirs.stdout}`).toContain(theirs.code);
    expect((JSON.parse(theirs.stdout) as Document).kind).toBe('Error');
  });

  it('cannot be enabled over HTTP, which is told, with the file that enables them', async () => {
    const file = join(place.site.home, 'reports.json');
    const { error } = await place.told(11, 'service', 'enable', '-y', '--capability-file', file);
    expect(error?.code).toBe('REPORTS_STOPPED');
    // The file with which `cdap start` lets a platform run the service.
    const working = await readFile(join(import.meta.dirname, 'reports.json'), 'utf8');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(working));
    await rm(file);
    expect((await place.told(0, 'service', 'status')).item).toMatchObject({ state: 'stopped' });
    expectRuns((await fetched(0, 'auto', ALL)).items, place.runs);
  });
});
