import { describe, expect, it } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/start.js';
import { withEmulator } from './emulator.js';

const PROGRAM = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const REPORTS = `${PROGRAM}/methods/reports`;
const START = Date.UTC(2026, 10, 21);
const SECOND = START / 1000;

/** A clock that stands still until it is moved. */
function clock(): { now: () => number; pass: (milliseconds: number) => void } {
  let time = START;
  return { now: () => time, pass: (milliseconds) => (time += milliseconds) };
}

const record = (number: number, members: object = {}) => ({
  namespace: 'etl',
  artifactScope: 'SYSTEM' as const,
  artifactName: 'cdap-data-pipeline',
  artifactVersion: '6.10.0',
  applicationName: 'orders',
  programType: 'Workflow',
  program: 'DataPipelineWorkflow',
  run: `run-${number}`,
  status: 'COMPLETED',
  start: SECOND - 1000 + number,
  running: SECOND - 998 + number,
  end: SECOND - 900 + 2 * number,
  user: 'alice',
  startMethod: 'MANUAL' as const,
  runtimeArgs: { date: '2026-11-20', 'logical.start.time': '1' },
  ...members,
});

const RECORDS = [
  record(0),
  record(1, { status: 'FAILED', user: null }),
  record(2, { status: 'RUNNING', end: null, user: 'bob' }),
  record(3, { namespace: 'default', status: 'KILLED', running: null }),
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

async function withReports(
  run: (ask: Ask, time: ReturnType<typeof clock>) => Promise<void>,
  { seed, ...options }: Partial<EmulatorOptions> = {},
): Promise<void> {
  const time = clock();
  const settings = { running: true, collects: true, records: RECORDS, ...seed?.reports };
  await withEmulator(
    async ({ url }) => {
      await run(async (method, path, body) => {
        const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
        const answer = await fetch(url + path, { method, ...init });
        return { status: answer.status, text: await answer.text() };
      }, time);
    },
    { now: time.now, seed: { ...seed, reports: settings }, ...options },
  );
}

const WINDOW = { start: SECOND - 2000, end: SECOND };
const request = (members: object = {}) => ({ name: 'r', ...WINDOW, fields: ['run'], filters: [], ...members });

async function generate(ask: Ask, members: object = {}): Promise<string> {
  const { text } = await ask('POST', REPORTS, request(members));
  return (JSON.parse(text) as { id: string }).id;
}

async function download(
  ask: Ask,
  id: string,
  query = '',
): Promise<{ total: number; details: Record<string, unknown>[] }> {
  const { text } = await ask('GET', `${REPORTS}/download?report-id=${id}${query}`);
  return JSON.parse(text) as { total: number; details: Record<string, unknown>[] };
}

describe('the records of a report', () => {
  it.each([
    ['all in the window', {}, ['run-0', 'run-1', 'run-2', 'run-3']],
    ['values', { filters: [{ fieldName: 'status', whitelist: ['FAILED', 'KILLED'] }] }, ['run-1', 'run-3']],
    [
      'not values, where the field is known',
      { filters: [{ fieldName: 'user', blacklist: ['bob'] }] },
      ['run-0', 'run-3'],
    ],
    [
      'a range without its end',
      { filters: [{ fieldName: 'start', range: { min: SECOND - 999, max: SECOND - 997 } }] },
      ['run-1', 'run-2'],
    ],
    [
      'a range drops what has no value',
      { filters: [{ fieldName: 'duration', range: { min: 0 } }] },
      ['run-0', 'run-1', 'run-3'],
    ],
    [
      'two filters',
      {
        filters: [
          { fieldName: 'namespace', whitelist: ['etl'] },
          { fieldName: 'status', blacklist: ['FAILED'] },
        ],
      },
      ['run-0', 'run-2'],
    ],
    [
      'descending, unknown last',
      { sort: [{ fieldName: 'duration', order: 'DESCENDING' }] },
      ['run-3', 'run-1', 'run-0', 'run-2'],
    ],
    [
      'ascending, unknown first',
      { sort: [{ fieldName: 'end', order: 'ASCENDING' }] },
      ['run-2', 'run-0', 'run-1', 'run-3'],
    ],
    ['runs that ended before the window are out, active ones in', { start: SECOND - 897 }, ['run-2', 'run-3']],
    ['runs that start at its end are out', { end: SECOND - 998 }, ['run-0', 'run-1']],
  ])('are those of %s', async (_, members, runs) => {
    await withReports(async (ask, time) => {
      const id = await generate(ask, members);
      time.pass(1000);
      const { details, total } = await download(ask, id);
      const own = details.map(({ run }) => run).filter((run) => String(run).startsWith('run-'));
      expect([own, total]).toEqual([runs, details.length]);
    });
  });

  it('are printed with nulls, and with the program though nobody asked for it', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask, {
        fields: ['end', 'user', 'runtimeArgs', 'numLogErrors', 'duration'],
        filters: [{ fieldName: 'run', whitelist: ['run-2'] }],
      });
      time.pass(1000);
      const { text } = await ask('GET', `${REPORTS}/download?report-id=${id}`);
      expect(text).toBe(
        '{"offset":0, "limit":10000, "total":1, "details":[{"duration": null, "program": "DataPipelineWorkflow", "numLogErrors": 0, "end": null, "runtimeArgs": {"date": "2026-11-20", "logical.start.time": "1"}, "user": "bob"}]}',
      );
    });
  });

  it('come in pages, of which the last is short and the one behind it empty', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask, { filters: [{ fieldName: 'namespace', whitelist: ['etl'] }] });
      time.pass(1000);
      const pages = [0, 2, 4].map((offset) => download(ask, id, `&offset=${offset}&limit=2`));
      expect((await Promise.all(pages)).map(({ details }) => details.map(({ run }) => run))).toEqual([
        ['run-0', 'run-1'],
        ['run-2'],
        [],
      ]);
    });
  });

  it('hold the generated runs, too', async () => {
    await withReports(
      async (ask, time) => {
        const id = await generate(ask, {
          start: 0,
          fields: ['run', 'start'],
          filters: [{ fieldName: 'startMethod', whitelist: ['SCHEDULED', 'MANUAL', 'TRIGGERED'] }],
        });
        time.pass(1000);
        const { total, details } = await download(ask, id, '&offset=15000&limit=3');
        expect([total >= 20_000, details.length]).toEqual([true, 3]);
      },
      { seed: { runs: { count: 20_000 } } },
    );
  });

  it('are summed up', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask, { filters: [{ fieldName: 'applicationName', whitelist: ['orders'] }] });
      time.pass(1000);
      const { text } = await ask('GET', `${REPORTS}/info?report-id=${id}`);
      expect(JSON.parse(text)).toMatchObject({
        status: 'COMPLETED',
        created: SECOND,
        expiry: SECOND + 172_800,
        summary: {
          namespaces: [
            { namespace: 'etl', runs: 3 },
            { namespace: 'default', runs: 1 },
          ],
          ...WINDOW,
          artifacts: [{ name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM', runs: 4 }],
          durations: { min: 100, max: 103, average: 304 / 3 },
          starts: { oldest: SECOND - 1000, newest: SECOND - 997 },
          owners: [{ user: 'alice', runs: 2 }, { runs: 1 }, { user: 'bob', runs: 1 }],
          startMethods: [{ method: 'MANUAL', runs: 4 }],
          recordCount: 4,
          creationTimeMillis: START + 300,
          expirationTimeMillis: START + 300 + 172_800_000,
        },
      });
    });
  });

  it('are none where nothing matches, and the summary names the namespaces that were asked for', async () => {
    await withReports(async (ask) => {
      const id = await generate(ask, { filters: [{ fieldName: 'namespace', whitelist: ['nowhere'] }] });
      const { text } = await ask('GET', `${REPORTS}/info?report-id=${id}`);
      expect(text).toContain('"namespaces":[{"namespace":"nowhere","runs":0}]');
      expect(text).toContain('"durations":{"min":0,"max":0,"average":0.0}');
      expect(JSON.parse(text)).toMatchObject({ status: 'COMPLETED', summary: { recordCount: 0 } });
    });
  });
});

describe('a generation', () => {
  it('is RUNNING for a while: no download, no save, but an id to share', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask);
      expect(await ask('GET', `${REPORTS}/download?report-id=${id}`)).toEqual({
        status: 202,
        text: `ReportId : ${id} is still being generated, please retry later.`,
      });
      expect(await ask('POST', `${REPORTS}/${id}/save`, { name: 'n' })).toMatchObject({ status: 403 });
      expect(await ask('POST', `${REPORTS}/${id}/share`)).toMatchObject({ status: 200 });
      const info = JSON.parse((await ask('GET', `${REPORTS}/info?report-id=${id}`)).text) as object;
      expect(info).toEqual({ request: request(), name: 'r', created: SECOND, status: 'RUNNING' });
      time.pass(300);
      expect(await ask('POST', `${REPORTS}/${id}/save`, { name: 'n' })).toMatchObject({ status: 200 });
    });
  });

  it('shows RUNNING as often as it is told', async () => {
    await withReports(
      async (ask) => {
        const id = await generate(ask);
        const states: unknown[] = [];
        for (let look = 0; look < 3; look++) {
          const { text } = await ask('GET', `${REPORTS}/info?report-id=${id}`);
          states.push((JSON.parse(text) as { status: string }).status);
        }
        expect(states).toEqual(['RUNNING', 'RUNNING', 'COMPLETED']);
      },
      { seed: { reports: { generatePolls: 2, generateMilliseconds: 0 } } },
    );
  });

  it('fails when the service stops before its end', async () => {
    await withReports(
      async (ask, time) => {
        const id = await generate(ask);
        time.pass(100);
        await ask('POST', `${PROGRAM}/stop`);
        await ask('POST', `${PROGRAM}/start`);
        time.pass(1000);
        const { text } = await ask('GET', `${REPORTS}/info?report-id=${id}`);
        expect(JSON.parse(text)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('\n') as string });
        expect(await ask('GET', `${REPORTS}/download?report-id=${id}`)).toMatchObject({ status: 400 });
      },
      { platform: '6.1.1' },
    );
  });

  it('is refused as the fourth at a time, and then stays RUNNING until it is deleted', async () => {
    await withReports(async (ask, time) => {
      for (const name of ['a', 'b', 'c']) await generate(ask, { name });
      expect(await ask('POST', REPORTS, request({ name: 'd' }))).toMatchObject({
        status: 500,
        text: expect.stringContaining('rejected from java.util.concurrent.ThreadPoolExecutor') as string,
      });
      time.pass(10_000);
      const list = async () => {
        const { text } = await ask('GET', REPORTS);
        const { reports } = JSON.parse(text) as { reports: { id: string; name: string; status: string }[] };
        return reports.map((report) => [report.name, report.status, report.id] as const);
      };
      const [stuck] = await list();
      expect(stuck?.slice(0, 2)).toEqual(['d', 'RUNNING']);
      expect((await list()).filter(([, status]) => status === 'COMPLETED')).toHaveLength(3);
      await ask('DELETE', `${REPORTS}/${stuck?.[2] ?? ''}`);
      expect(await list()).toHaveLength(3);
      expect(await ask('POST', REPORTS, request())).toMatchObject({ status: 200 });
    });
  });

  it('breaks the list when its report is deleted before its end, until it is deleted again', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask);
      expect(await ask('DELETE', `${REPORTS}/${id}`)).toEqual({ status: 200, text: '' });
      expect(await ask('GET', `${REPORTS}/info?report-id=${id}`)).toMatchObject({ status: 404 });
      expect(await ask('GET', REPORTS)).toMatchObject({ status: 200 });
      time.pass(1000);
      const cause = `/data/namespaces/system/data/ReportFileset/system/${id}/_START (No such file or directory)`;
      expect(await ask('GET', REPORTS)).toEqual({
        status: 500,
        text: `Failed to list reports because of error: ${cause}`,
      });
      expect(await ask('DELETE', `${REPORTS}/${id}`)).toMatchObject({ status: 200 });
      expect(await ask('GET', REPORTS)).toMatchObject({ status: 200 });
    });
  });
});

describe('a report', () => {
  it('expires after 48 hours, saved or not', async () => {
    await withReports(async (ask, time) => {
      const [id, kept] = [await generate(ask), await generate(ask)];
      time.pass(1000);
      await ask('POST', `${REPORTS}/${kept}/save`, { name: 'kept', description: 'for audit' });
      time.pass(172_800_000);
      for (const gone of [id, kept]) {
        expect(await ask('GET', `${REPORTS}/info?report-id=${gone}`)).toMatchObject({ status: 404 });
        expect(await ask('GET', `${REPORTS}/download?report-id=${gone}`)).toMatchObject({ status: 404 });
        expect(await ask('POST', `${REPORTS}/${gone}/share`)).toMatchObject({ status: 200 });
        expect(await ask('DELETE', `${REPORTS}/${gone}`)).toEqual({
          status: 404,
          text: `Report with id ${gone} has already been deleted`,
        });
      }
      expect(JSON.parse((await ask('GET', REPORTS)).text)).toMatchObject({ total: 0 });
    });
  });

  it('is ended, and expires, when the control says so', async () => {
    await withReports(
      async (ask) => {
        const [id, other] = [await generate(ask), await generate(ask)];
        expect(await ask('POST', '/emulator/reports', { finish: true })).toEqual({ status: 200, text: '' });
        expect(await download(ask, id)).toMatchObject({ total: expect.any(Number) as number });
        expect(await ask('POST', '/emulator/reports', { expire: [id] })).toEqual({ status: 200, text: '' });
        expect(await ask('GET', `${REPORTS}/download?report-id=${id}`)).toMatchObject({ status: 404 });
        expect(await ask('GET', `${REPORTS}/download?report-id=${other}`)).toMatchObject({ status: 200 });
        expect(await ask('POST', '/emulator/reports', { expire: ['nope'] })).toEqual({
          status: 400,
          text: 'there is no report nope\n',
        });
        expect(await ask('POST', '/emulator/reports', { colour: 'red' })).toMatchObject({ status: 400 });
      },
      { seed: { reports: { generateMilliseconds: 1_000_000 } } },
    );
  });

  it('is found by the id that it was shared under', async () => {
    await withReports(async (ask, time) => {
      const id = await generate(ask);
      time.pass(1000);
      const { shareId } = JSON.parse((await ask('POST', `${REPORTS}/${id}/share`)).text) as { shareId: string };
      expect(shareId).toMatch(/^[\w-]{107}=$/u);
      const shared = await ask('GET', `${REPORTS}/info?share-id=${encodeURIComponent(shareId)}`);
      expect(shared).toEqual(await ask('GET', `${REPORTS}/info?report-id=${id}`));
      await ask('DELETE', `${REPORTS}/${id}`);
      expect(await ask('GET', `${REPORTS}/download?share-id=${shareId}`)).toEqual({
        status: 404,
        text: `Report with ShareId : ${shareId} does not exist.`,
      });
    });
  });
});

describe('the service of a platform 6.11.0', () => {
  const start = async (ask: Ask): Promise<void> => {
    const artifact = { name: 'cdap-program-report', version: '6.11.0', scope: 'SYSTEM' };
    expect(await ask('PUT', '/v3/namespaces/system/apps/ReportGenerationApp', { artifact })).toMatchObject({
      status: 200,
    });
    expect(await ask('POST', `${PROGRAM}/start`)).toEqual({ status: 200, text: '' });
  };
  const status = async (ask: Ask) =>
    (JSON.parse((await ask('GET', `${PROGRAM}/status`)).text) as { status: string }).status;

  it('answers a moment after its start, and is stopped by the platform', async () => {
    await withReports(
      async (ask, time) => {
        expect(await ask('GET', `${PROGRAM}/methods/health`)).toMatchObject({ status: 503 });
        await start(ask);
        expect(await ask('GET', `${PROGRAM}/available`)).toMatchObject({ status: 503 });
        expect(await status(ask)).toBe('STARTING');
        time.pass(1000);
        expect([await status(ask), (await ask('GET', `${PROGRAM}/methods/health`)).status]).toEqual(['RUNNING', 200]);
        time.pass(60_000);
        expect(await status(ask)).toBe('STOPPED');
        const { text } = await ask('GET', `${PROGRAM}/runs`);
        expect(JSON.parse(text)).toMatchObject([{ status: 'KILLED', starting: SECOND, end: SECOND + 5 }]);
      },
      { seed: { reports: { running: false } } },
    );
  });

  it('collects nothing of itself: a report ends at once, and is empty', async () => {
    await withReports(
      async (ask) => {
        const id = await generate(ask);
        const { text } = await ask('GET', `${REPORTS}/info?report-id=${id}`);
        expect(JSON.parse(text)).toMatchObject({ status: 'COMPLETED', summary: { recordCount: 0 } });
      },
      { seed: { reports: { collects: false } } },
    );
  });

  it('is started again after a stop where a capability file lists it, with the arguments that were set', async () => {
    await withReports(async (ask, time) => {
      await ask('PUT', `${PROGRAM}/runtimeargs`, { readLimit: '5' });
      await ask('POST', `${PROGRAM}/stop`);
      expect(await status(ask)).toBe('STOPPED');
      time.pass(5000);
      expect(await status(ask)).toBe('STARTING');
      time.pass(1000);
      expect(await ask('GET', `${REPORTS}/download?report-id=x`)).toEqual({
        status: 400,
        text: 'limit must cannot be larger than 5',
      });
    });
  });

  it('is not what a capability file lists when it was deployed over HTTP', async () => {
    await withReports(
      async (ask, time) => {
        await start(ask);
        await ask('POST', '/emulator/reports', { capability: true });
        time.pass(10_000);
        expect(await status(ask)).toBe('STOPPED');
        await ask('DELETE', '/v3/namespaces/system/apps/ReportGenerationApp');
        expect(await status(ask)).toBe('STARTING');
      },
      { seed: { reports: { running: false } } },
    );
  });

  it('loses the older of two runs', async () => {
    await withReports(async (ask, time) => {
      await ask('POST', `${PROGRAM}/start`);
      time.pass(6000);
      await ask('GET', REPORTS);
      const { text } = await ask('GET', `${PROGRAM}/runs`);
      expect(JSON.parse(text)).toMatchObject([{ status: 'RUNNING' }, { status: 'KILLED' }]);
    });
  });
});
