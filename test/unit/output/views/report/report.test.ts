import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../../src/output/look.js';
import { render } from '../../../../../src/output/views/view.js';
import { type RenderOptions, type View } from '../../../../../src/output/view-types.js';
import { reportList, type ListedReport } from '../../../../../src/output/views/report/list.js';
import { reportView, type ShownReport } from '../../../../../src/output/views/report/report.js';

const NOW = Date.UTC(2024, 4, 2, 22, 0);
const look: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };

async function shown<R>(view: View<R>, result: R, options: Partial<RenderOptions> = {}): Promise<string> {
  let text = '';
  for await (const piece of render(view, result, { format: 'table', look, ...options })) text += piece;
  return text;
}

const row = (more: Partial<ListedReport>): ListedReport => ({
  engine: 'platform',
  id: '0c3e6f40-9a11-11e8-8c2e-acde48001122',
  short: '0c3e6f40',
  name: 'nightly',
  status: 'COMPLETED',
  created: NOW / 1000 - 60,
  saved: false,
  now: NOW,
  ...more,
});

describe('the list of reports', () => {
  const expiring = (seconds: number): ListedReport => row({ expiry: NOW / 1000 + seconds });
  const items = [
    expiring(47 * 3600),
    expiring(86_400),
    expiring(330),
    expiring(20),
    expiring(0),
    row({ saved: true, name: 'kept \u001b[2J', description: 'for audit' }),
    row({ status: 'FAILED', name: undefined }),
  ];

  it('shows how long each is kept', async () => {
    expect((await shown(reportList, { items })).split('\n').map((line) => line.trimEnd())).toEqual([
      'ID        NAME          STATUS     CREATED            EXPIRES',
      '0c3e6f40  nightly       COMPLETED  2024-05-02 21:59Z  in 1d 23h',
      '0c3e6f40  nightly       COMPLETED  2024-05-02 21:59Z  in 1d',
      '0c3e6f40  nightly       COMPLETED  2024-05-02 21:59Z  in 5m',
      '0c3e6f40  nightly       COMPLETED  2024-05-02 21:59Z  in 20s',
      '0c3e6f40  nightly       COMPLETED  2024-05-02 21:59Z  expired',
      '0c3e6f40  kept \\x1b[2J  COMPLETED  2024-05-02 21:59Z  saved; data still expires',
      '0c3e6f40  -             FAILED     2024-05-02 21:59Z  -',
      '',
    ]);
  });

  it('has whole ids and times for programs', async () => {
    const [first] = items;
    const csv = await shown(reportList, { items: first === undefined ? [] : [first] }, { format: 'csv' });
    expect(csv.split('\r\n')[1]).toBe(
      '0c3e6f40-9a11-11e8-8c2e-acde48001122,nightly,COMPLETED,platform,2024-05-02T21:59:00.000Z,2024-05-04T21:00:00.000Z,false,',
    );
    const json = JSON.parse(await shown(reportList, { items }, { format: 'json' })) as { items: unknown[] };
    for (const item of json.items) expect(z.safeParse(reportList.schema, item).error).toBeUndefined();
    expect(json.items[0]).toMatchObject({ created: NOW / 1000 - 60, createdAt: '2024-05-02T21:59:00Z', saved: false });
  });
});

const report: ShownReport = {
  engine: 'platform',
  id: '0c3e6f40-9a11-11e8-8c2e-acde48001122',
  name: 'etl FAILED',
  status: 'COMPLETED',
  created: NOW / 1000,
  expiry: NOW / 1000 + 172_800,
  saved: false,
  onlySummary: false,
  request: {
    name: 'etl FAILED',
    start: NOW / 1000 - 86_400,
    end: NOW / 1000,
    fields: ['run', 'status'],
    filters: [
      { fieldName: 'status', whitelist: ['FAILED'] },
      { fieldName: 'duration', range: { min: 1, max: 9 } },
    ],
    sort: [{ fieldName: 'end', order: 'DESCENDING' }],
  },
  summary: {
    namespaces: [{ namespace: 'etl', runs: 37 }],
    start: NOW / 1000 - 86_400,
    end: NOW / 1000,
    artifacts: [{ name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM', runs: 37 }],
    durations: { min: 12, max: 95, average: 41.666 },
    starts: { oldest: NOW / 1000 - 80_000, newest: NOW / 1000 - 1000 },
    owners: [{ runs: 7 }, { user: 'alice', runs: 30 }],
    startMethods: [
      { method: 'MANUAL', runs: 2 },
      { method: 'SCHEDULED', runs: 35 },
    ],
    recordCount: 37,
    creationTimeMillis: NOW + 123,
    expirationTimeMillis: NOW + 172_800_123,
  },
};

describe('one report', () => {
  it('is shown with its window, what it holds and its numbers', async () => {
    expect((await shown(reportView, report)).split('\n')).toEqual([
      'Report 0c3e6f40-9a11-11e8-8c2e-acde48001122   "etl FAILED"   COMPLETED',
      '  created     2024-05-02 22:00Z',
      '  expires     2024-05-04 22:00Z',
      '  window      2024-05-01 22:00Z -> 2024-05-02 22:00Z   37 runs',
      '  filters     status=FAILED  duration=1..9',
      '  fields      run, status',
      '  sort        end DESCENDING',
      '  durations   min 12 s   mean 42 s   max 1m 35s',
      '  starts      first 2024-05-01 23:46Z   last 2024-05-02 21:43Z',
      '  namespaces  etl 37',
      '  methods     SCHEDULED 35, MANUAL 2',
      '  artifacts   cdap-data-pipeline 6.1.1 (SYSTEM) 37',
      '  owners      alice 30, (unknown) 7',
      '',
    ]);
  });

  it('has a twin for every time, and fits its schema', async () => {
    const { item } = JSON.parse(await shown(reportView, report, { format: 'json' })) as { item: unknown };
    expect(z.safeParse(reportView.schema, item).error).toBeUndefined();
    expect(item).toMatchObject({
      createdAt: '2024-05-02T22:00:00Z',
      expiryAt: '2024-05-04T22:00:00Z',
      request: { startAt: '2024-05-01T22:00:00Z', endAt: '2024-05-02T22:00:00Z' },
      summary: { starts: { newestAt: '2024-05-02T21:43:20Z' }, expirationTimeAt: '2024-05-04T22:00:00Z' },
    });
  });

  it('tells when a saved one expires all the same, only the first line of an error, and only numbers when asked to', async () => {
    expect(await shown(reportView, { ...report, saved: true, expiry: undefined })).toContain(
      '2024-05-04 22:00Z   (saved; data still expires)',
    );
    const failed = await shown(reportView, {
      ...report,
      status: 'FAILED',
      summary: undefined,
      error: 'X: \u001b[2J\n\tat a.b',
    });
    expect(failed).toContain('  error       X: \\x1b[2J\n');
    expect(failed).not.toContain('at a.b');
    const numbers = await shown(reportView, { ...report, onlySummary: true });
    expect(numbers).toContain('  runs        37\n');
    expect(numbers).not.toContain('filters');
  });
});
