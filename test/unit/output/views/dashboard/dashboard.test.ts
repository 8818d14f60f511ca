import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Format } from '../../../../../src/output/format.js';
import type { Look } from '../../../../../src/output/look.js';
import { lengthText } from '../../../../../src/core/duration.js';
import { spanOfTime } from '../../../../../src/output/clock-text.js';
import { changeLines } from '../../../../../src/output/views/dashboard/changes.js';
import { countedOf } from '../../../../../src/services/dashboard/summary.js';
import { dashboardView } from '../../../../../src/output/views/dashboard/dashboard.js';
import type { ShownDashboard } from '../../../../../src/output/views/dashboard/text.js';
import type { DashboardRecord } from '../../../../../src/platform/dashboard.js';
import { groupItems } from '../../../../../src/services/dashboard/groups.js';
import { missedItem } from '../../../../../src/services/dashboard/item.js';
import { atWork, dashboardOf, DAY, HOUR, itemsOf, NOW, record, startAt } from '../../../services/dashboard/support.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const terminal: Look = { ...plain, terminal: true, columns: 80 };
const items = [
  ...itemsOf(
    atWork({ application: { name: 'clicks-stream', version: '-SNAPSHOT' }, startMethod: 'MANUAL', user: 'alice' }),
  ),
  ...itemsOf(record({ status: 'FAILED' }), record({ run: '77b0e1aa-1', start: NOW - 2 * HOUR })),
  ...itemsOf(startAt(NOW + HOUR)),
];
const shown: ShownDashboard = {
  dashboard: dashboardOf(items),
  target: { url: 'https://cdap.example.com', context: 'prod' },
  parts: 'auto',
  grouping: undefined,
};

async function textOf(format: Format, look = plain, given: Partial<ShownDashboard> = {}, fields?: string[]) {
  let text = '';
  for await (const piece of dashboardView.render({ ...shown, ...given }, { format, look, fields })) text += piece;
  return text;
}

describe('a dashboard', () => {
  it('is a line of counts and a row for each run and start off a terminal', async () => {
    expect((await textOf('table')).split('\n')).toEqual([
      'prod  etl  2024-05-02 10:00Z -> 2024-05-03 10:00Z (now 22:00Z)   failed 1   running 1   completed 1   scheduled 1',
      'NAMESPACE  PIPELINE       STATE      START           WAITED  DURATION  HOW        USER   RUN',
      'etl        clicks-stream  RUNNING    05-02 21:00:00  4 s     1h 00m    manual     alice  open',
      'etl        orders-hourly  FAILED     05-02 21:00:00  4 s     1m 35s    scheduled  -      5d9c0a70',
      'etl        orders-hourly  COMPLETED  05-02 20:00:00  1h 00m  1h 01m    scheduled  -      77b0e1aa',
      'etl        orders-hourly  scheduled  05-02 23:00:00  -       -         scheduled  -      -',
      '',
    ]);
  });

  it('has a timeline, too, at a terminal, and no line wider than it', async () => {
    const lines = (await textOf('table', terminal)).split('\n');
    expect(lines).toContain('✗ failed  ▶ running  ● completed  ○ scheduled  │ now, 22:00');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.slice(0, 2)).toEqual([
      'prod  etl  2024-05-02 10:00Z -> 2024-05-03 10:00Z (now 22:00Z)',
      'failed 1   running 1   completed 1   scheduled 1',
    ]);
  });

  it('leaves out what is far from now at a terminal, says how much, and shows all when it is asked to', async () => {
    const runs = Array.from({ length: 5000 }, (_, at) => record({ run: `r${at}`, start: NOW - HOUR - at }));
    const many = { dashboard: dashboardOf(itemsOf(...runs)) };
    const short = (await textOf('table', terminal, many)).split('\n');
    expect(short.length).toBeLessThan(30);
    expect(short).toContain('not shown: 4990 completed (--runs shows all)');
    expect((await textOf('table', terminal, { ...many, parts: 'runs' })).split('\n').length).toBeGreaterThan(5000);
    expect((await textOf('table', plain, many)).split('\n').length).toBeGreaterThan(5000);
  });

  it.each([
    // Lines, failed, running, finished and coming items; how many rows of each, how many pipelines of the timeline.
    [23, 2, 1, 900, 40, [2, 1, 2, 1], 6],
    [23, 0, 0, 900, 40, [0, 0, 2, 2], 8],
    [23, 9, 2, 900, 40, [9, 2, 4, 3], 0],
    [23, 90, 90, 900, 40, [18, 0, 0, 0], 0],
    [23, 1, 90, 900, 40, [1, 17, 0, 0], 0],
    [49, 20, 10, 900, 40, [20, 10, 2, 1], 5],
    [6, 3, 2, 900, 40, [1, 0, 0, 0], 0],
    [23, 1, 1, 0, 0, [1, 1, 0, 0], 2],
  ] as const)(
    'has what is most urgent in a frame of %i lines: %i failed, %i running, %i finished, %i to come',
    async (rows, failed, running, finished, coming, shares, pipelines) => {
      const of = (count: number, make: (at: number, name: string) => DashboardRecord) =>
        itemsOf(...Array.from({ length: count }, (_, at) => make(at, `p-${at}`)));
      const application = (name: string) => ({ name, version: 'x' });
      const all = [
        ...of(running, (at, name) => atWork({ run: `w${at}`, application: application(`r${name}`) })),
        ...of(failed, (at, name) => record({ run: `f${at}`, status: 'FAILED', application: application(`f${name}`) })),
        ...of(finished, (at, name) => record({ run: `c${at}`, application: application(name) })),
        ...of(coming, (at, name) => startAt(NOW + HOUR + at, name)),
      ];
      const lines = (await textOf('table', terminal, { dashboard: dashboardOf(all), rows })).trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines[1]).toContain(`failed ${failed}   running ${running}   completed ${finished}`);
      const scale = lines.findIndex((line) => line.includes('▼'));
      const drawn = lines.slice(scale + 1, scale < 0 ? 0 : lines.findIndex((line, at) => at > scale && line === ''));
      const rowsOfPipelines = drawn.filter((line) => /^[fr]?p-/u.test(line)).length;
      const table = lines.slice(lines.findIndex((line) => line.startsWith('PIPELINE')));
      const shown = ['FAILED', 'RUNNING', 'COMPLETED', 'scheduled'].map(
        (state) => table.filter((line) => line.split(/ +/u)[1] === state).length,
      );
      expect([shown, rowsOfPipelines]).toEqual([shares, pipelines]);
      const hidden = failed + running + finished + coming - shown.reduce((sum, one) => sum + one, 0);
      const told = [...(table.at(-1) ?? '').matchAll(/(\d+) (?:running|failed|completed|scheduled)/gu)];
      expect(told.reduce((sum, [, number]) => sum + Number(number), 0)).toBe(hidden);
    },
  );

  it.each([
    [80, ['etl', 'x'], 'NAMESPACE  PIPELINE       STATE   START           WAITED  DURATION  RUN', 2],
    [80, ['etl'], 'PIPELINE       STATE   START           WAITED  DURATION  HOW        RUN', 1],
    [100, ['etl', 'x'], 'NAMESPACE  PIPELINE       STATE   START           WAITED  DURATION  HOW        USER   RUN', 0],
  ] as const)(
    'leaves out what is the same or can be spared on %i columns of %j, and tells how many, but never the state',
    async (columns, namespaces, heading, left) => {
      const failed = ['a', 'b'].map((run) => record({ run: `5d9c0a7${run}`, status: 'FAILED', user: 'alice' }));
      const dashboard = { ...dashboardOf(itemsOf(...failed)), namespaces };
      let told = 0;
      let text = '';
      const onLeftOut = (count: number): number => (told = count);
      const look = { ...terminal, columns };
      for await (const piece of dashboardView.render({ ...shown, dashboard }, { format: 'table', look, onLeftOut }))
        text += piece;
      expect([text.split('\n').find((line) => line.includes('PIPELINE  ')), told]).toEqual([heading, left]);
    },
  );

  it('tells missed starts that are not shown apart from what failed', async () => {
    const failed = itemsOf(...Array.from({ length: 60 }, (_, at) => record({ run: `f${at}`, status: 'FAILED' })));
    const late = [1, 2].map((hours) => missedItem(record(), 'nightly', NOW - hours * HOUR));
    const frame = { dashboard: dashboardOf([...failed, ...late]), rows: 20 };
    expect(await textOf('table', terminal, frame)).toMatch(/not shown: \d+ failed, 2 missed \(--runs\); timeline/u);
    const some = { dashboard: dashboardOf([...failed.slice(0, 14), ...late]), rows: 20 };
    expect(await textOf('table', terminal, some)).toMatch(/\nnot shown: 1 missed \(--runs\); timeline/u);
  });

  it.each([80, 200])('has no line wider than a terminal of %i columns, whatever there is to tell', async (columns) => {
    const name = 'a pipeline with a name that is longer than there is room for '.repeat(4);
    const many = Array.from({ length: 12 }, (_, at) => (at === 0 ? name : `pipeline-${at}`)).flatMap((pipeline, at) =>
      ['COMPLETED', 'FAILED', 'KILLED', 'REJECTED'].map((status) => {
        const application = { name: pipeline, version: 'x' };
        return record({ run: `${at}-${status}`, application, status, start: NOW - HOUR, user: 'alice' });
      }),
    );
    const open = [atWork({ status: 'PENDING' }), atWork({ status: 'SUSPENDED' }), atWork()];
    const all = [...itemsOf(...many, ...open, startAt(NOW + HOUR)), missedItem(record(), 'daily', NOW - HOUR)];
    const url = `https://cdap.${'platform.'.repeat(columns === 80 ? 6 : 18)}example.com`;
    const text = await textOf('table', { ...terminal, columns }, { dashboard: dashboardOf(all), target: { url } });
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(text).toContain('│ now, 22:00');
    expect(text).toContain('scheduled 1');
    expect(lines.find((line) => line.startsWith('PIPELINE'))).toContain(columns === 80 ? 'DURATION' : 'RUN');
  });

  it('is only its timeline when it is asked to be', async () => {
    const lines = (await textOf('table', plain, { parts: 'timeline' })).split('\n');
    expect(lines).toHaveLength(7 + 1);
    expect(lines.join('')).not.toContain('NAMESPACE');
  });

  it('says what may be tried where nothing ran', async () => {
    const text = await textOf('table', terminal, { dashboard: dashboardOf([]) });
    expect(text.split('\n')).toEqual([
      'prod  etl  2024-05-02 10:00Z -> 2024-05-03 10:00Z (now 22:00Z)',
      'failed 0   running 0   completed 0   scheduled 0',
      '',
      'no runs or scheduled starts in namespace etl in this window; try --last 7d or -A',
      '',
    ]);
  });

  it('has no 0 of what was not asked for', async () => {
    const dashboard = dashboardOf(items.slice(1, 2), { counted: ['total', 'failed'] });
    const [head] = (await textOf('table', terminal, { dashboard })).split('\n');
    expect(head).toMatch(/\(now 22:00Z\) {3}failed 1$/u);
  });

  it('ends with what stands below, within the lines that it may have', async () => {
    const runs = Array.from({ length: 90 }, (_, at) => record({ run: `r${at}`, start: NOW - HOUR - at }));
    const footer = ['22:00:00Z, every 30s, q ends'];
    const text = await textOf('table', terminal, { dashboard: dashboardOf(itemsOf(...runs)), rows: 15, footer });
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines.at(-1)).toBe(footer[0]);
  });

  it('has every item with summary and window in json, as the schema says', async () => {
    const document = JSON.parse(await textOf('json')) as { items: object[] };
    expect(document).toMatchObject({
      ...{
        schemaVersion: 1,
        kind: 'Dashboard',
        schedulesNotJudged: 0,
        namespaces: ['etl'],
        nowAt: '2024-05-02T22:00:00Z',
      },
      summary: { total: 3, active: 1, running: 1, failed: 1, completed: 1, scheduled: 1, missed: 0 },
      window: { start: NOW - 12 * HOUR, startAt: '2024-05-02T10:00:00Z', endAt: '2024-05-03T10:00:00Z' },
    });
    for (const item of document.items) expect(z.safeParse(dashboardView.schema, item).success).toBe(true);
    expect(document.items[3]).toMatchObject({ scheduled: true, state: 'scheduled', startAt: '2024-05-02T23:00:00Z' });
  });

  it('has no count of what was not asked for, which would be a false 0', async () => {
    const failed = items.filter(({ state }) => state === 'FAILED');
    const counted = countedOf(['FAILED']);
    const dashboard = dashboardOf(failed, { counted });
    const nothing = { active: null, running: null, completed: null, killed: null, scheduled: null, missed: null };
    const summary = { total: 1, failed: 1, pending: null, suspended: null, rejected: null, ...nothing };
    for (const [format, line] of [
      ['json', 0],
      ['ndjson', 1],
    ] as const) {
      const last: unknown = JSON.parse((await textOf(format, plain, { dashboard })).trim().split('\n')[line] ?? '');
      expect((last as { summary: object }).summary).toEqual(summary);
    }
    const grouping = { by: 'pipeline', groups: groupItems(failed, 'pipeline', shown.dashboard.window) } as const;
    expect(JSON.parse(await textOf('json', plain, { dashboard, grouping }))).toMatchObject({ groups: [summary] });
    expect((await textOf('csv', plain, { dashboard, grouping })).split('\r\n')[1]).toMatch(/,1,1,,,,,,,95$/u);
  });

  it('has one line for each item and the summary in the last one in ndjson', async () => {
    const lines = (await textOf('ndjson')).trim().split('\n');
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({ type: 'result', kind: 'Dashboard', summary: { total: 3 } });
  });

  it('is exact in csv, and has the ids of runs as names', async () => {
    const [head, first] = (await textOf('csv')).split('\r\n');
    expect(head).toMatch(
      /^namespace,pipeline,state,startAt,runningAt,endAt,waitedSeconds,durationSeconds,startMethod,user,run,/u,
    );
    expect(first).toMatch(
      /^etl,clicks-stream,RUNNING,2024-05-02T21:00:00Z,2024-05-02T21:00:04Z,,4,3600,MANUAL,alice,open,/u,
    );
    expect(await textOf('name')).toBe(`open\n${record().run ?? ''}\n77b0e1aa-1\n`);
  });

  it('has the columns that are asked for', async () => {
    const text = await textOf('table', plain, {}, ['pipeline', 'program', 'endAt']);
    expect(text.split('\n')[0]).toBe('PIPELINE       PROGRAM               END AT');
    await expect(textOf('table', plain, {}, ['nope'])).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('counts groups for people and programs', async () => {
    const grouping = { by: 'hour', groups: groupItems(items, 'hour', shown.dashboard.window) } as const;
    const text = await textOf('table', plain, { grouping });
    const lines = text.split('\n');
    expect(lines).toHaveLength(1 + 1 + 25 + 1);
    expect(lines.slice(1, 3).concat(lines.slice(12, 13))).toEqual([
      'HOUR               RUNS  FAILED  ACTIVE  COMPLETED  SCHEDULED    MEAN',
      '2024-05-02 10:00Z     0       0       0          0          0       -',
      '2024-05-02 20:00Z     1       0       0          1          0  1h 01m',
    ]);
    expect((await textOf('csv', plain, { grouping })).split('\r\n')[11]).toBe(
      '2024-05-02T20:00:00Z,1,0,0,0,0,1,0,0,3695',
    );
    const document = JSON.parse(await textOf('json', plain, { grouping })) as object;
    expect(document).toMatchObject({ groupedBy: 'hour' });
  });

  it('has counts of groups in the colour of their state, but no zeros', async () => {
    const grouping = { by: 'hour', groups: groupItems(items, 'hour', shown.dashboard.window) } as const;
    const [, ...rows] = (await textOf('table', { ...plain, color: true }, { grouping })).split('HOUR');
    const painted = [...rows.join('').matchAll(/\u001b\[(31|36|32|2)m *(\d+)/gu)].map(([, style, count]) => [
      style,
      count,
    ]);
    expect(painted.sort()).toEqual([
      ['2', '1'],
      ['31', '1'],
      ['32', '1'],
      ['36', '1'],
    ]);
  });

  it('says that nobody knows what was missed where the platform does not tell', async () => {
    const grouping = { by: 'status', groups: groupItems(items, 'status', shown.dashboard.window) } as const;
    const unknown = { dashboard: dashboardOf(items, { notJudged: undefined }), grouping };
    expect(JSON.parse(await textOf('json', plain, unknown))).toMatchObject({
      summary: { total: 3, missed: null },
      groups: [{ missed: null }, { missed: null }, { missed: null }, { missed: null }],
      schedulesNotJudged: null,
    });
    expect((await textOf('csv', plain, unknown)).split('\r\n')[3]).toBe('COMPLETED,1,0,0,,0,1,0,0,3695');
    expect((await textOf('table', plain, unknown)).split('\n').slice(1)).toEqual([
      'STATUS     COUNT    MEAN',
      'FAILED         1  1m 35s',
      'RUNNING        1       -',
      'COMPLETED      1  1h 01m',
      'scheduled      1       -',
      '',
    ]);
  });

  it('tells each change in a line, and then the counts', () => {
    const [running] = items;
    if (running === undefined) throw new Error('there is a run');
    const lines = changeLines(
      [{ change: 'new', item: running }],
      { now: NOW, summary: shown.dashboard.summary },
      plain,
    );
    expect(lines).toEqual([
      '05-02 22:00:00  new  etl/clicks-stream  RUNNING  started 05-02 21:00:00  1h 00m  open',
      '05-02 22:00:00  failed 1   running 1   completed 1   scheduled 1',
    ]);
    expect(changeLines([], { now: NOW, summary: shown.dashboard.summary }, plain)).toEqual([]);
  });

  it('shows a missed start as what is wrong', async () => {
    const missed = missedItem(record(), 'dataPipelineSchedule', NOW - HOUR);
    const dashboard = dashboardOf([missed]);
    const text = await textOf('table', { ...plain, color: true }, { dashboard });
    expect(text).toContain('\u001b[33mmissed');
    expect(text).toContain('missed 1');
  });
});

describe('times for people', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [95, '1m 35s'],
    [28_620, '7h 57m'],
    [2 * DAY + 3 * HOUR, '2d 03h'],
  ])('%i seconds are %s', (seconds, text) => {
    expect(lengthText(seconds)).toBe(text);
  });

  it('name the day once where it is the same', () => {
    expect(spanOfTime(NOW - 6 * HOUR, NOW, { utc: true })).toBe('2024-05-02 16:00Z -> 22:00Z');
  });
});
