import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import { localReports, refuseLocal } from '../../../../../src/services/reports/runs/local-source.js';
import type { ReportRecord } from '../../../../../src/services/reports/source/record.js';
import type { ReportRequest } from '../../../../../src/services/reports/request/request.js';
import { makeReportFromRuns } from '../../../../../src/services/reports/runs/runs-report.js';
import { fakePlatform } from '../fake-platform.js';
import { codeOf, refusalOf } from '../../../../support/errors.js';

const RECORDINGS = resolve(import.meta.dirname, '../../../../fixtures/recordings/6.1.1');
const { signal } = new AbortController();
const emit = (): void => undefined;

interface Exchange {
  readonly id: string;
  readonly request: { readonly path: string };
  readonly response: { readonly status: number; readonly body: string };
}

/** The whole objects in a recorded list, which may be cut short. */
function objectsIn(text: string, beginning: RegExp): readonly Record<string, unknown>[] {
  return [...text.matchAll(beginning)].flatMap(({ index }) => {
    for (let end = text.indexOf('}', index); end >= 0; end = text.indexOf('}', end + 1)) {
      try {
        return [JSON.parse(text.slice(index, end + 1)) as Record<string, unknown>];
      } catch {
        // Not the end of this one yet.
      }
    }
    return [];
  });
}

const exchanges = (file: string): readonly Exchange[] =>
  JSON.parse(readFileSync(join(RECORDINGS, `${file}.json`), 'utf8')) as Exchange[];

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'cdapctl-reports-'));
}

async function recordsOf(stateFolder: string, base: string, id: string, range = { offset: 0 }) {
  const records: ReportRecord[] = [];
  for await (const page of localReports(stateFolder, base, emit).pages({ id }, range, signal))
    records.push(...page.records);
  return records;
}

const byRun = (a: ReportRecord, b: ReportRecord): number => (String(a['run']) < String(b['run']) ? -1 : 1);

describe('a report made from the records of runs', () => {
  it('equals what the real platform reported of the same runs, except for artifactScope', async () => {
    const reported = exchanges('reports').filter(({ id }) => id === 'gen1-download' || id === 'gen1-info');
    const body = reported.find(({ id }) => id === 'gen1-download')?.response.body ?? '';
    const theirs = objectsIn(body, /\{"run": /gu);
    const seen = exchanges('dashboard').flatMap(({ response }) => objectsIn(response.body, /\{"namespace":/gu));
    const run = new Map(seen.filter((one) => 'run' in one).map((one) => [one['run'], one]));
    const shared = theirs.filter((one) => run.has(one['run']));
    expect(shared.length).toBeGreaterThan(15);
    const fields = Object.keys(shared[0] ?? {});
    const { platform } = fakePlatform((request) => {
      if (request === 'GET /v3/dashboard') return { body: [...run.values()] };
      const [, wanted] = /\/runs\/([0-9a-f-]+)$/u.exec(request) ?? [];
      const found = theirs.find((one) => one['run'] === wanted);
      if (wanted === undefined) return { body: [] };
      const properties = { runtimeArgs: JSON.stringify(found?.['runtimeArgs']) };
      return found && { body: { runid: wanted, status: 'COMPLETED', properties } };
    });
    const request = { name: 'all', start: 1795152766, end: 1795239226, fields, filters: [] };
    const whitelist = [{ fieldName: 'namespace', whitelist: ['rec1', 'rec_up'] }];
    const stateFolder = folder();
    const clock = { now: () => 1795239230_000 };
    const detail = await makeReportFromRuns(
      platform,
      { ...request, filters: whitelist },
      { stateFolder, clock, emit },
      signal,
    );
    const ours = await recordsOf(stateFolder, platform.base, detail.id ?? '');
    const isShared = new Set(shared.map((one) => one['run']));
    const expected = shared.map((one) => ({ ...one, artifactScope: 'SYSTEM' }));
    expect(ours.filter((one) => isShared.has(one['run'])).sort(byRun)).toEqual(expected.sort(byRun));
  });

  const ran = (id: string, start: number, more: object = {}) => ({
    namespace: 'default',
    artifact: { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM' },
    application: { name: 'orders', version: '-SNAPSHOT' },
    type: 'WORKFLOW',
    program: 'DataPipelineWorkflow',
    run: id,
    startMethod: 'MANUAL',
    start,
    end: start + 10,
    status: 'COMPLETED',
    ...more,
  });

  async function made(runs: readonly object[], request: Partial<ReportRequest>) {
    const { platform, asked } = fakePlatform((url) => {
      if (url === 'GET /v3/namespaces') return { body: [{ name: 'default' }] };
      return url === 'GET /v3/dashboard' ? { body: runs } : undefined;
    });
    const stateFolder = folder();
    const whole = { name: 'test', start: 1000, end: 5000, fields: ['run'], filters: [], ...request };
    const clock = { now: () => 1_700_000_000_000 };
    const events: ServiceEvent[] = [];
    const deps = { stateFolder, clock, emit: (event: ServiceEvent) => void events.push(event) };
    const detail = await makeReportFromRuns(platform, whole, deps, signal);
    const records = await recordsOf(stateFolder, platform.base, detail.id ?? '');
    return { detail, records, asked, events, stateFolder, base: platform.base };
  }

  const runs = [
    ran('a', 2000, { end: 2030, user: 'alice' }),
    ran('b', 1500, { end: undefined, status: 'RUNNING' }),
    ran('c', 3000, { end: 3005, startMethod: 'SCHEDULED' }),
    ran('d', 2500, { end: 2530, type: 'SPARK', program: 'phase-1', user: 'alice' }),
  ];
  it('is told of as its runs are found', async () => {
    const { events } = await made(runs, {});
    const found = (done: number) => ({ type: 'count', what: 'runs found', done, of: undefined, failed: 0 });
    expect(events).toEqual([found(3), found(3), found(4)]);
  });

  const orders = [
    ['from the newest start on', undefined, 'cdab'],
    ['by start', { fieldName: 'start', order: 'ASCENDING' }, 'badc'],
    ['by start from the newest on', { fieldName: 'start', order: 'DESCENDING' }, 'cdab'],
    ['by duration, ties from the newest on, none first', { fieldName: 'duration', order: 'ASCENDING' }, 'bcda'],
    ['by duration from the longest on, none last', { fieldName: 'duration', order: 'DESCENDING' }, 'dacb'],
  ] as const;
  it.each(orders)('has its records %s', async (_, sort, expected) => {
    const { records } = await made(runs, sort === undefined ? {} : { sort: [sort] });
    expect(records.map(({ run }) => run).join('')).toBe(expected);
  });

  it('has runs that began in one second by namespace, application and run, in whatever order they were found', async () => {
    const orders = { name: 'orders', version: '-SNAPSHOT' };
    const byApplication = { name: 'orders-2', version: '-SNAPSHOT' };
    const twins = [
      ran('a', 2000, { application: orders }),
      ran('c', 2000, { application: orders, end: undefined, status: 'RUNNING' }),
      ran('b', 2000, { application: byApplication, end: 2900 }),
      ran('d', 2000, { namespace: 'etl', application: orders, end: 2001 }),
      ran('e', 2000, { namespace: 'etl-2', application: orders }),
    ];
    for (const found of [twins, [...twins].reverse()]) {
      const { records } = await made(found, { fields: ['run'] });
      expect(records.map(({ run }) => run).join('')).toBe('acbde');
    }
  });

  const filters = [
    ['an allow list', { fieldName: 'programType', whitelist: ['Workflow'] }, 'cab'],
    ['an allow list, in the very case', { fieldName: 'programType', whitelist: ['workflow'] }, ''],
    ['a deny list, which drops unknown values', { fieldName: 'user', blacklist: ['bob'] }, 'da'],
    [
      'a range without its upper end, which drops unknown values',
      { fieldName: 'duration', range: { min: 5, max: 30 } },
      'c',
    ],
    ['a lower bound, included', { fieldName: 'duration', range: { min: 30 } }, 'da'],
  ] as const;
  it.each(filters)('is filtered by %s', async (_, filter, expected) => {
    const { records } = await made(runs, { filters: [filter] });
    expect(records.map(({ run }) => run).join('')).toBe(expected);
  });

  it('holds a pipeline of one namespace without its namesake of another', async () => {
    const application = { name: 'invoices', version: '-SNAPSHOT' };
    const namesakes = [
      ran('a', 2000),
      ran('b', 2100, { application }),
      ran('c', 2200, { namespace: 'etl', application }),
    ];
    const pairs = { fieldName: 'pipeline', whitelist: ['default/orders', 'etl/invoices'] };
    const { records } = await made(namesakes, { filters: [pairs] });
    expect(records.map(({ run }) => run).join('')).toBe('ca');
  });

  it('has the requested fields and the program, and null for what is not known', async () => {
    const { records } = await made(runs.slice(1, 2), { fields: ['run', 'duration', 'user', 'numLogErrors'] });
    expect(records).toEqual([
      { run: 'b', duration: null, user: null, numLogErrors: 0, program: 'DataPipelineWorkflow' },
    ]);
  });

  it('sums up its runs as the platform does', async () => {
    const { detail } = await made(runs, {});
    expect(detail).toMatchObject({ engine: 'runs', status: 'COMPLETED', name: 'test', created: 1_700_000_000 });
    expect(detail.summary).toEqual({
      namespaces: [{ namespace: 'default', runs: 4 }],
      start: 1000,
      end: 5000,
      artifacts: [{ name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM', runs: 4 }],
      durations: { min: 5, max: 30, average: 65 / 3 },
      starts: { oldest: 1500, newest: 3000 },
      owners: [{ user: 'alice', runs: 2 }, { runs: 2 }],
      startMethods: [
        { method: 'MANUAL', runs: 3 },
        { method: 'SCHEDULED', runs: 1 },
      ],
      recordCount: 4,
      creationTimeMillis: 1_700_000_000_000,
    });
  });

  it('is about all namespaces and system, or those that a filter leaves', async () => {
    const asked = async (filters: ReportRequest['filters']) => {
      const { asked: urls } = await made([], { filters });
      const dashboards = urls.filter((url) => url.includes('/v3/dashboard'));
      return [
        ...new Set(dashboards.flatMap((url) => new URL(url.slice(4), 'http://x').searchParams.getAll('namespace'))),
      ];
    };
    expect(await asked([])).toEqual(['default', 'system']);
    expect(await asked([{ fieldName: 'namespace', blacklist: ['system'] }])).toEqual(['default']);
    expect(await asked([{ fieldName: 'namespace', whitelist: ['etl'] }])).toEqual(['etl']);
  });

  it('sums up nothing as zeros', async () => {
    const { detail, records } = await made([], {});
    expect(records).toEqual([]);
    expect(detail.summary).toMatchObject({
      durations: { min: 0, max: 0, average: 0 },
      starts: { oldest: 0, newest: 0 },
    });
  });

  it('tells of a run that ended after the window how it ended', async () => {
    const { platform } = fakePlatform((url) => {
      if (url === 'GET /v3/dashboard') return { body: [ran('b', 4000, { end: undefined, status: 'RUNNING' })] };
      const record = { runid: 'b', starting: 4000, start: 4010, end: 9000, status: 'FAILED', properties: {} };
      return url.endsWith('/runs/b') ? { body: record } : undefined;
    });
    const filters = [
      { fieldName: 'namespace', whitelist: ['default'] },
      { fieldName: 'status', whitelist: ['FAILED'] },
    ];
    const request = { name: 'x', start: 1000, end: 5000, fields: ['status', 'running', 'end', 'duration'], filters };
    const [stateFolder, clock] = [folder(), { now: () => 1_700_000_000_000 }];
    const { id = '' } = await makeReportFromRuns(platform, request, { stateFolder, clock, emit }, signal);
    expect(await recordsOf(stateFolder, platform.base, id)).toEqual([
      { status: 'FAILED', running: 4010, end: 9000, duration: 5000, program: 'DataPipelineWorkflow' },
    ]);
  });

  it('asks for the record of a run only when a field needs it', async () => {
    const ended = runs.filter((run) => run.status === 'COMPLETED');
    expect((await made(ended, {})).asked.filter((url) => url.includes('/runs'))).toEqual([]);
    const { asked, records } = await made(runs, { fields: ['run', 'applicationVersion', 'runtimeArgs'] });
    expect(asked.filter((url) => url.includes('/runs/')).length).toBe(4);
    expect(records[0]).toMatchObject({ applicationVersion: '-SNAPSHOT', runtimeArgs: null });
  });

  it('leaves nothing behind when it fails half-way', async () => {
    const stateFolder = folder();
    const { platform } = fakePlatform((_, query) => (query.get('start') === '999' ? { body: runs } : { status: 500 }));
    const request = {
      name: 'x',
      start: 1000,
      end: 50_000,
      fields: ['run'],
      filters: [{ fieldName: 'namespace', whitelist: ['default'] }],
    };
    const deps = { stateFolder, clock: { now: () => 1_700_000_000_000 }, emit };
    expect(await codeOf(makeReportFromRuns(platform, request, deps, signal))).toBe('REMOTE_FAILED');
    const [key = ''] = readdirSync(join(stateFolder, 'reports'));
    expect(readdirSync(join(stateFolder, 'reports', key))).toEqual([]);
    expect(await localReports(stateFolder, platform.base, emit).list(signal)).toEqual([]);
  });

  it('cannot be shared or saved', async () => {
    const { detail } = await made([], {});
    expect(() => {
      refuseLocal(detail.id ?? '', 'share');
    }).toThrow(/not on the platform/u);
    const ids = [detail.id ?? '', 'fb6e8934-e56c-11f1-a9aa-acde48001122'];
    const refusals = ids.map((id) =>
      refusalOf(() => {
        refuseLocal(id, 'save');
      }),
    );
    expect(refusals).toEqual([expect.stringContaining('not on the platform'), undefined]);
  });
});
