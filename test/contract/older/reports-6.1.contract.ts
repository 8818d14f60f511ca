import { describe, expect, vi } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import type { ContractTarget } from '../../support/target.js';
import { casesOn, expectEmpty, json, NO_TYPE, TEXT_TYPE, type Answer, type Call } from '../suite.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp';
const PROGRAM = `${APP}/spark/ReportGenerationSpark`;
const REPORTS = `${PROGRAM}/methods/reports`;
/** The service writes the name of the encoding in capitals. */
const REPORT_TEXT = 'text/plain; charset=UTF-8';
const UNKNOWN = '00000000-e567-11f1-a095-acde48001122';
// A generation takes 20 seconds where nothing else happens, and minutes on a busy machine.
const PATIENCE = { timeout: 600_000, interval: 1000 };
const LONG = { timeout: 900_000 };
const NAMES =
  '[applicationVersion, runtimeArgs, programType, artifactVersion, numLogErrors, start, run, program, running, duration, artifactScope, artifactName, startMethod, numLogWarnings, namespace, numRecordsOut, end, user, applicationName, status]';

/** The platform 6.1.1 at `CDAPCTL_CONTRACT_URL_6_1`, or an emulated one: its report service stays up, and collects. */
async function platformWithReports(): Promise<ContractTarget> {
  const url = process.env['CDAPCTL_CONTRACT_URL_6_1'];
  if (url !== undefined && url !== '') return { url, real: true, close: async () => undefined };
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1' });
  return { url: emulator.url, real: false, hub: emulator.hub, close: () => emulator.close() };
}

const it = casesOn(platformWithReports);

interface Entry {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly status: string;
  readonly expiry?: number;
}
interface Info extends Entry {
  readonly error?: string;
  readonly summary?: {
    readonly recordCount: number;
    readonly namespaces: readonly { readonly namespace: string; readonly runs: number }[];
    readonly owners: readonly { readonly runs: number }[];
    readonly creationTimeMillis: number;
    readonly expirationTimeMillis: number;
  };
}
interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

const told = (answer: Answer, status: number, text: string | RegExp): void => {
  const expected = typeof text === 'string' ? text : (expect.stringMatching(text) as string);
  expect(answer).toEqual({ status, type: REPORT_TEXT, text: expected });
};

async function deploy(call: Call): Promise<void> {
  const { version } = json<{ version: string }>(await call('GET', '/v3/version'));
  const artifact = { name: 'cdap-program-report', version, scope: 'SYSTEM' };
  expect(await call('PUT', APP, { body: { artifact } })).toMatchObject({ status: 200 });
}

/** Makes sure that the service answers. */
async function running(call: Call): Promise<void> {
  if ((await call('GET', APP)).status === 404) await deploy(call);
  const { status } = json<{ status: string }>(await call('GET', `${PROGRAM}/status`));
  if (status === 'STOPPED') expectEmpty(await call('POST', `${PROGRAM}/start`));
  await vi.waitFor(async () => {
    expect(await call('GET', `${PROGRAM}/methods/health`)).toEqual({ status: 200, type: 'text/plain', text: '' });
  }, PATIENCE);
}

/** Stops the service and removes its application; what it keeps stays. */
async function removed(call: Call): Promise<void> {
  if ((await call('GET', APP)).status === 404) return;
  await call('POST', `${PROGRAM}/stop`);
  await vi.waitFor(async () => {
    expectEmpty(await call('DELETE', APP));
  }, PATIENCE);
}

const window = () => {
  const now = Math.floor(Date.now() / 1000);
  return { start: now - 86_400, end: now + 60 };
};
const EMPTY = { start: 1000, end: 2000 };
const FIELDS = ['namespace', 'applicationName', 'status', 'start', 'end', 'user', 'runtimeArgs'];

async function generate(call: Call, members: object): Promise<string> {
  const body = { name: 'contract', fields: FIELDS, filters: [], ...members };
  const { id } = json<{ id: string }>(await call('POST', REPORTS, { body }));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/u);
  return id;
}

const info = async (call: Call, id: string): Promise<Info> =>
  json<Info>(await call('GET', `${REPORTS}/info?report-id=${id}`));
const page = async (call: Call, id: string, query = ''): Promise<Page> =>
  json<Page>(await call('GET', `${REPORTS}/download?report-id=${id}${query}`), REPORT_TEXT);
const listed = async (call: Call): Promise<readonly Entry[]> =>
  json<{ reports: readonly Entry[] }>(await call('GET', REPORTS)).reports;

async function ended(call: Call, id: string): Promise<Info> {
  return vi.waitFor(async () => {
    const report = await info(call, id);
    expect(report.status).not.toBe('RUNNING');
    return report;
  }, PATIENCE);
}

describe('the report service (6.1)', () => {
  it('is not there before it is deployed', async ({ call }) => {
    await removed(call);
    expect(await call('GET', REPORTS)).toEqual({
      status: 503,
      type: NO_TYPE,
      text: `No discoverable found for request GET ${REPORTS} HTTP/1.1`,
    });
    expect(await call('GET', APP)).toEqual({
      status: 404,
      type: TEXT_TYPE,
      text: "'application:system.ReportGenerationApp.-SNAPSHOT' was not found.",
    });
    expect(await call('POST', `${PROGRAM}/start`)).toMatchObject({ status: 404 });
  });

  it('is there, stopped, when it is deployed', async ({ call }) => {
    await removed(call);
    await deploy(call);
    expect(json(await call('GET', `${PROGRAM}/status`))).toEqual({ status: 'STOPPED' });
    expect(await call('GET', `${PROGRAM}/available`)).toEqual({
      status: 503,
      type: TEXT_TYPE,
      text: 'Service is stopped. Please start it.',
    });
    expect(await call('GET', REPORTS)).toMatchObject({ status: 503 });
  });

  it('answers when it is started, and stays', async ({ call }) => {
    await running(call);
    expect(await call('GET', `${PROGRAM}/available`)).toMatchObject({
      status: 200,
      text: 'Service is available to accept requests.',
    });
    expect(await call('DELETE', APP)).toMatchObject({ status: 409 });
  });

  const wrong = 'Please fix the following errors in the report generation request: ';
  const stumbled = 'Exception occurred while handling request: ';
  it.for<[string, string | Record<string, unknown>, number, string]>([
    ['nothing', '', 400, 'Request body cannot be empty.'],
    ['null', 'null', 400, 'Request body cannot be empty.'],
    [
      'half a body',
      '{"name":',
      400,
      'Request body is invalid json: java.io.EOFException: End of input at line 1 column 9',
    ],
    ['no times', {}, 500, `${stumbled}null`],
    ['an end before the start', { start: 2, end: 1 }, 400, `${wrong}'start' must be smaller than 'end'.`],
    ['no fields', { fields: [] }, 400, `${wrong}'fields' must be specified.`],
    [
      'an unknown field',
      { fields: ['nope'] },
      400,
      `${wrong}Invalid field name 'nope' in fields. Field name must be one of: ${NAMES}`,
    ],
    [
      'a filter on an unknown field',
      { filters: [{ fieldName: 'nope', whitelist: ['a'] }] },
      500,
      `${stumbled}Invalid field name '"nope"'. Field name must be one of: ${NAMES}`,
    ],
    [
      'a range of texts',
      { filters: [{ fieldName: 'user', range: { min: 1 } }] },
      500,
      `${stumbled}No applicable filter found for field "user" with value type java.lang.String.`,
    ],
    [
      'a list of counts',
      { filters: [{ fieldName: 'numLogErrors', whitelist: ['1'] }] },
      500,
      `${stumbled}No applicable filter found for field "numLogErrors" with value type java.lang.Integer.`,
    ],
    [
      'two problems of one sort',
      { sort: [{ fieldName: 'user', order: 'up' }] },
      400,
      `${wrong}Sort user contains these errors: Field 'user' in sort is not sortable. Only fields: [start, running, end, duration, numLogWarnings, numLogErrors, numRecordsOut] are sortable; 'order' cannot be null, it can only be ASCENDING or DESCENDING`,
    ],
    [
      'a list of arguments',
      { filters: [{ fieldName: 'runtimeArgs', whitelist: ['a'], blacklist: ['b'] }] },
      400,
      `${wrong}Filter runtimeArgs contains these errors: Field 'runtimeArgs' cannot be filtered by value. It can only be filtered by: []; Only one of 'whitelist' and 'blacklist' can be non-empty`,
    ],
  ])('refuses a request with %s', async ([, members, status, text], { call }) => {
    await running(call);
    const isWhole = typeof members === 'string' || Object.keys(members).length === 0;
    const body = isWhole ? members : { name: 'r', ...EMPTY, fields: ['program'], filters: [], ...members };
    told(await call('POST', REPORTS, { body }), status, text);
  });

  it('makes a report of the runs that it has seen, its own among them', LONG, async ({ call }) => {
    await running(call);
    const { id, report } = await vi.waitFor(async () => {
      const made = await generate(call, window());
      const done = await ended(call, made);
      expect(done.summary?.recordCount).toBeGreaterThan(0);
      return { id: made, report: done };
    }, PATIENCE);
    const { summary, status, expiry = 0 } = report;
    const all = await page(call, id);
    expect([status, all.total, all.details.length]).toEqual([
      'COMPLETED',
      summary?.recordCount,
      Math.min(10_000, all.total),
    ]);
    expect(summary?.namespaces.reduce((sum, { runs }) => sum + runs, 0)).toBe(all.total);
    expect(summary?.owners.reduce((sum, { runs }) => sum + runs, 0)).toBe(all.total);
    expect(all.details.map((record) => Object.keys(record).sort())).toEqual(
      all.details.map(() => [...FIELDS, 'program'].sort()),
    );
    expect(all.details).toContainEqual(
      expect.objectContaining({ program: 'ReportGenerationSpark', status: 'RUNNING', end: null, user: null }),
    );
    expect(expiry).toBe(Math.floor((summary?.expirationTimeMillis ?? 0) / 1000));
    const lifetime = (summary?.expirationTimeMillis ?? 0) - (summary?.creationTimeMillis ?? 0);
    expect(lifetime).toBe(172_800_000);
    expect(await page(call, id, '&offset=1000000&limit=5')).toEqual({
      offset: 1_000_000,
      limit: 5,
      total: all.total,
      details: [],
    });
    const one = await page(call, id, '&limit=1');
    expect(one.details).toEqual(all.details.slice(0, 1));
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
  });

  it('refuses pages that are none, and ids that are none', async ({ call }) => {
    await running(call);
    const id = await generate(call, EMPTY);
    const get = (query: string) => call('GET', `${REPORTS}/download?report-id=${id}${query}`);
    told(await get('&offset=-1'), 400, 'offset cannot be negative');
    told(await get('&limit=0'), 400, 'limit must be a positive integer');
    told(await get('&limit=10001'), 400, 'limit must cannot be larger than 10000');
    expect(await get('&limit=x')).toMatchObject({ status: 500, type: NO_TYPE });
    told(await get('&share-id=x'), 400, 'Only one of reportId or sharedId must be provided, provided both');
    for (const kind of ['info', 'download']) {
      told(await call('GET', `${REPORTS}/${kind}`), 400, 'Either reportId or sharedId must be provided, missing both');
      told(
        await call('GET', `${REPORTS}/${kind}?report-id=${UNKNOWN}`),
        404,
        `Report with ReportId : ${UNKNOWN} does not exist.`,
      );
      told(
        await call('GET', `${REPORTS}/${kind}?share-id=nope`),
        500,
        'Error while decoding shareId nope, due to exception : ',
      );
    }
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
    told(await call('DELETE', `${REPORTS}/${id}`), 404, `Report with id ${id} does not exist.`);
    expect(await call('PUT', REPORTS, { body: {} })).toEqual({ status: 405, type: NO_TYPE, text: REPORTS });
  });

  it('names the namespaces that were asked for in a report without runs', async ({ call }) => {
    await running(call);
    const filters = [{ fieldName: 'namespace', whitelist: ['etl', 'nope'] }];
    const id = await generate(call, { ...EMPTY, filters });
    const { status, summary } = await ended(call, id);
    expect([status, summary?.recordCount]).toEqual(['COMPLETED', 0]);
    expect(summary?.namespaces).toEqual([
      { namespace: 'etl', runs: 0 },
      { namespace: 'nope', runs: 0 },
    ]);
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
  });

  it('fails without filters where there are no runs', async ({ call }) => {
    await running(call);
    const id = await generate(call, { ...EMPTY, filters: undefined });
    expect((await ended(call, id)).status).toBe('FAILED');
    // The trace may come a moment after the status.
    const failed = { status: 'FAILED', error: expect.stringMatching(/\n/u) as string };
    await vi.waitFor(async () => {
      expect(await info(call, id)).toMatchObject(failed);
    }, PATIENCE);
    told(
      await call('GET', `${REPORTS}/download?report-id=${id}`),
      400,
      `Reading details of the ReportId : ${id} with failed status is not allowed.`,
    );
    told(
      await call('POST', `${REPORTS}/${id}/save`, { body: { name: 'x' } }),
      403,
      'Cannot save the report with status FAILED',
    );
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
  });

  it('shares a report under one id, which must not be encoded twice', async ({ call }) => {
    await running(call);
    const id = await generate(call, EMPTY);
    await ended(call, id);
    const share = () => call('POST', `${REPORTS}/${id}/share`);
    const { shareId } = json<{ shareId: string }>(await share());
    expect(json(await share())).toEqual({ shareId });
    const shared = json(await call('GET', `${REPORTS}/info?share-id=${encodeURIComponent(shareId)}`));
    expect(shared).toEqual(await info(call, id));
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
    told(
      await call('GET', `${REPORTS}/info?share-id=${encodeURIComponent(shareId)}`),
      404,
      `Report with ShareId : ${shareId} does not exist.`,
    );
    told(await share(), 404, `Invalid report-id ${id}, report does not exist`);
  });

  it('saves a report once, by which its expiry is no longer told', async ({ call }) => {
    await running(call);
    const id = await generate(call, EMPTY);
    await ended(call, id);
    const save = (body: unknown) => call('POST', `${REPORTS}/${id}/save`, { body });
    told(
      await save('{"name"'),
      400,
      'Failed to parse the report saving request: com.google.gson.JsonSyntaxException: java.io.EOFException: End of input at line 1 column 8',
    );
    told(
      await save({ name: 'kept', description: 'for audit' }),
      200,
      `Report with id ${id} is saved successfully with the name: 'kept' and description: 'for audit' `,
    );
    told(
      await save({ name: 'again' }),
      403,
      `Report with id ${id} is already saved with name 'kept' and description 'for audit'. Updating the saved report is not allowed.`,
    );
    const entry = (await listed(call)).find((report) => report.id === id);
    expect(entry).toMatchObject({ name: 'kept', description: 'for audit', status: 'COMPLETED' });
    expect(entry?.expiry).toBeUndefined();
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
    told(await save({ name: 'late' }), 404, `Report with id ${id} does not exist.`);
  });

  it('breaks its list when a report is saved with nothing, until that report is deleted', async ({ call }) => {
    await running(call);
    const id = await generate(call, EMPTY);
    await ended(call, id);
    told(await call('POST', `${REPORTS}/${id}/save`), 500, `${stumbled}null`);
    told(await call('GET', REPORTS), 500, 'Failed to list reports because of error: null');
    expectGone(await call('DELETE', `${REPORTS}/${id}`));
    expect((await listed(call)).map((report) => report.id)).not.toContain(id);
  });

  it('generates three reports at a time, and leaves a fourth RUNNING', LONG, async ({ call }) => {
    await running(call);
    const names = ['first', 'second', 'third'];
    const ids = await Promise.all(names.map((name) => generate(call, { ...window(), name })));
    const body = { name: 'fourth', ...window(), fields: ['program'], filters: [] };
    told(await call('POST', REPORTS, { body }), 500, /rejected from java\.util\.concurrent\.ThreadPoolExecutor/u);
    told(
      await call('GET', `${REPORTS}/download?report-id=${ids[2] ?? ''}`),
      202,
      `ReportId : ${ids[2] ?? ''} is still being generated, please retry later.`,
    );
    for (const id of ids) expect(await ended(call, id)).toMatchObject({ status: 'COMPLETED' });
    const stuck = (await listed(call)).filter(({ name }) => name === 'fourth');
    expect(stuck).toMatchObject([{ status: 'RUNNING' }]);
    for (const id of [...ids, stuck[0]?.id ?? '']) expectGone(await call('DELETE', `${REPORTS}/${id}`));
  });

  it('lists newest first, in pages that count only themselves', async ({ call }) => {
    await running(call);
    const ids = [await generate(call, EMPTY), await generate(call, EMPTY)];
    const { total, reports } = json<{ total: number; reports: readonly { created: number }[] }>(
      await call('GET', `${REPORTS}?offset=-3&limit=2`),
    );
    expect([total, reports.length]).toEqual([2, 2]);
    expect(json(await call('GET', `${REPORTS}?offset=100000&limit=2`))).toEqual({
      offset: 100_000,
      limit: 2,
      total: 0,
      reports: [],
    });
    const times = reports.map(({ created }) => created);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    for (const id of ids) expectGone(await call('DELETE', `${REPORTS}/${id}`));
  });

  it('is gone when it was stopped and removed', async ({ call }) => {
    await running(call);
    await removed(call);
    expect(await call('GET', REPORTS)).toMatchObject({ status: 503 });
  });
});

function expectGone(answer: Answer): void {
  expect(answer).toEqual({ status: 200, type: 'text/plain', text: '' });
}
