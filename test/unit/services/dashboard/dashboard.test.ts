import { describe, expect, it } from 'vitest';
import type { Hint } from '../../../../src/core/next-step.js';
import { CliError } from '../../../../src/core/errors.js';
import {
  dashboardNamespaces,
  openDashboard,
  type DashboardRequest,
} from '../../../../src/services/dashboard/dashboard.js';
import { atWork, clockAt, HOUR, NEVER, NOW, platformOf, record, startAt, type Answer } from './support.js';
import { codeOf } from '../../../support/errors.js';

const REQUEST: DashboardRequest = {
  namespaces: ['etl'],
  window: () => ({ start: NOW - 12 * HOUR, end: NOW + 12 * HOUR }),
  statuses: [],
  types: [],
  pipelines: [],
};
const records = [
  record(),
  record({ run: 'inner', type: 'SPARK', program: 'phase-1' }),
  record({ run: 'failed', status: 'FAILED', start: NOW - 2 * HOUR }),
  atWork({ run: 'clicks', application: { name: 'clicks', version: '-SNAPSHOT' } }),
  startAt(NOW + 2 * HOUR),
  startAt(NOW + HOUR),
];
const time = {
  ...{
    name: 'nightly',
    program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
    status: 'SCHEDULED',
  },
  trigger: { type: 'TIME', cronExpression: '0 18 * * *' },
  constraints: [{ type: 'CONCURRENCY', maxConcurrency: 1 }],
  lastUpdateTime: (NOW - 48 * HOUR) * 1000,
};
const next = (name: string) => [
  {
    appId: 'orders-hourly',
    programId: 'DataPipelineWorkflow',
    schedules: [{ id: `DEFAULT.etl:x:${name}`, time: (NOW + 20 * HOUR) * 1000 }],
  },
  { appId: 'clicks', programId: 'DataPipelineWorkflow', schedules: [] },
];

/** A platform with one schedule; `given` replaces answers by the end of their path. */
function platformWith(schedule: object = time, given: Record<string, Answer> = {}) {
  const application = (name: string) => ({
    name,
    artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
  });
  return platformOf((line, body) => {
    const [, path = ''] = line.split(' ');
    const own = Object.entries(given).findLast(([part]) => path.includes(part));
    if (own !== undefined) return own[1];
    if (path.startsWith('/v3/dashboard')) return { json: records };
    if (path === '/v3/namespaces') return { json: [{ name: 'etl' }, { name: 'default' }] };
    if (path.includes('/schedules')) return { json: [schedule] };
    if (path.endsWith('/nextruntime'))
      return { json: next('nightly').filter(({ appId }) => body.includes(`"${appId}"`)) };
    if (path.includes('/apps?'))
      return { json: { applications: [application('orders-hourly'), application('clicks')] } };
    return undefined;
  });
}

/** Both pipelines have the schedule. */
const BOTH: Record<string, Answer> = {
  '/nextruntime': { json: ['orders-hourly', 'clicks'].map((appId) => ({ ...next('nightly')[0], appId })) },
};

const looked = async (request: Partial<DashboardRequest> = {}, { platform } = platformWith()) =>
  openDashboard(
    { ...REQUEST, ...request },
    platform,
    clockAt(() => NOW),
  )(NEVER);

describe('a look at a platform', () => {
  it('lists what failed, was missed, runs, finished and comes, the nearest to now first', async () => {
    const { items, summary, window } = await looked();
    expect(items.map(({ state, run, start }) => [state, run ?? (start - NOW) / HOUR])).toEqual([
      ['FAILED', 'failed'],
      ['missed', -4],
      ['RUNNING', 'clicks'],
      ['COMPLETED', record().run],
      ['scheduled', 1],
      ['scheduled', 2],
    ]);
    expect(summary).toMatchObject({ total: 3, running: 1, failed: 1, completed: 1, scheduled: 2, missed: 1 });
    expect(window).toEqual({ start: NOW - 12 * HOUR, end: NOW + 12 * HOUR });
  });

  it('asks for a sign of life of what runs all through a short window', async () => {
    const { platform, asked } = platformWith();
    const { items, window } = await looked(
      { window: () => ({ start: NOW - 600, end: NOW }), types: ['WORKFLOW'] },
      { platform, asked },
    );
    expect(window).toEqual({ start: NOW - 600, end: NOW });
    expect(asked.filter((line) => line.includes('/v3/dashboard'))).toEqual([
      `GET /v3/dashboard?start=${NOW - 3700}&duration=3700&namespace=etl`,
    ]);
    expect(items.map(({ state }) => state)).toEqual(['RUNNING', 'scheduled', 'scheduled']);
  });

  it.each<[string, Partial<DashboardRequest>, readonly string[]]>([
    ['status', { statuses: ['FAILED', 'scheduled'] }, ['FAILED', 'scheduled', 'scheduled']],
    ['pipeline', { pipelines: ['cl*'] }, ['RUNNING']],
    ['type', { types: ['SPARK'] }, ['COMPLETED']],
    ['what was missed', { statuses: ['missed'] }, ['missed']],
  ])('chooses by %s', async (_, request, states) => {
    expect((await looked(request)).items.map(({ state }) => state)).toEqual(states);
  });

  it('says nothing of missed starts where only programs are shown that no schedule starts', async () => {
    expect([(await looked({ types: ['SPARK'] })).notJudged, (await looked()).notJudged]).toEqual([undefined, 0]);
  });

  it.each<[string, object]>([
    ['is not told since when it is active', { ...time, lastUpdateTime: undefined }],
    ['could be held back by something else', { ...time, constraints: [{ type: 'DELAY', millisAfterTrigger: 1000 }] }],
    ['has a cron entry that is not understood', { ...time, trigger: { type: 'TIME', cronExpression: '0 18 L * *' } }],
    ['has no cron entry', { ...time, trigger: { type: 'TIME' } }],
  ])(
    'does not judge a schedule that %s, and knows of no missed start where it is the only one',
    async (_, schedule) => {
      const { summary, notJudged } = await looked({}, platformWith(schedule));
      expect([summary.missed, notJudged]).toEqual([0, undefined]);
    },
  );

  it.each<[string, Record<string, Answer>]>([
    ['a schedule', { '/apps/clicks/schedules': { json: [time, { name: 7 }] } }],
    ['a list of schedules', { '/apps/clicks/schedules': { status: 200, text: '<html>' } }],
    ['what was asked of a program', { '/nextruntime': { json: [...next('nightly').slice(0, 1), { appId: 7 }] } }],
    [
      'a next start',
      {
        '/nextruntime': {
          json: [...next('nightly').slice(0, 1), { ...next('x')[1], schedules: [{ id: 7 }] }],
        },
      },
    ],
  ])('judges the others when %s cannot be read, and counts it', async (_, given) => {
    const { items, notJudged } = await looked({}, platformWith(time, { ...BOTH, ...given }));
    const missed = items.filter(({ state }) => state === 'missed').map(({ pipeline }) => pipeline);
    expect(missed).toContain('orders-hourly');
    expect(notJudged).toBe(1);
  });

  it('knows of no missed start where the platform does not tell the next ones (6.1.1)', async () => {
    const { summary, notJudged } = await looked({}, platformWith(time, { '/nextruntime': undefined }));
    expect([summary.missed, notJudged]).toEqual([0, undefined]);
  });

  it('asks for no schedule where nobody wants to know', async () => {
    const { platform, asked } = platformWith();
    await looked({ statuses: ['FAILED'] }, { platform, asked });
    await looked({ types: ['SPARK'] }, { platform, asked });
    await looked({ window: () => ({ start: NOW, end: NOW + HOUR }) }, { platform, asked });
    expect(asked.filter((line) => !line.includes('/v3/dashboard'))).toEqual([]);
  });

  it('asks for schedules again only after five minutes', async () => {
    const { platform, asked } = platformWith();
    let now = NOW;
    const look = openDashboard(
      REQUEST,
      platform,
      clockAt(() => now),
    );
    for (const later of [0, 30, 60, 400]) {
      now = NOW + later;
      await look(NEVER);
    }
    expect(asked.filter((line) => line.includes('nextruntime'))).toHaveLength(2);
    expect(asked.filter((line) => line.includes('/v3/dashboard'))).toHaveLength(4);
  });
});

describe('a pipeline that is named', () => {
  const QUIET: Record<string, Answer> = { '/v3/dashboard': { json: [] } };
  const lists = (asked: readonly string[]) => asked.filter((line) => line.includes('/apps?')).length;
  const FAILED = { statuses: ['FAILED'] };

  it.each<[string, string, readonly Hint[]]>([
    ['a name', 'orders-huorly', ['Did you mean "orders-hourly"?']],
    ['a name in other letters', 'Clicks', ['Did you mean "clicks"?']],
    ['a pattern', 'nightly-*', [{ next: 'list-pipelines', namespace: 'etl' }]],
    ['of another namespace', 'nosuch/clicks', [{ next: 'list-pipelines', namespace: 'etl' }]],
    ['a name with its namespace', 'etl/clikcs', ['Did you mean "etl/clicks"?']],
  ])('is refused where it is %s that no application has', async (_, pipeline, hints) => {
    await expect(looked({ pipelines: [pipeline] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `namespace "etl" has no pipeline "${pipeline}"`,
      details: { hints, target: { namespace: 'etl', pipeline } },
    });
    await expect(looked({ pipelines: [pipeline], namespaces: ['default', 'etl'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `no namespace has a pipeline "${pipeline}"`,
    });
  });

  it('is looked for in other namespaces, too, to say where it is', async () => {
    const apps = (...names: readonly string[]) => ({
      json: names.map((name) => ({ name, artifact: { name: 'x', version: '1', scope: 'USER' } })),
    });
    const given = {
      '/v3/namespaces': { json: ['etl', 'sales', 'stock', 'ads', 'hr', 'it'].map((name) => ({ name })) },
      ...{ '/etl/apps?': apps('bills'), '/sales/apps?': apps('billing', 'bills'), '/hr/apps?': apps('bill') },
      '/stock/apps?': { status: 403, text: 'no' },
      ...{ '/ads/apps?': apps(), '/it/apps?': apps('invoice') },
      ...{ '/schedules': { json: [] }, '/v3/dashboard': { json: [] } },
    };
    const hintsFor = async (pipeline: string): Promise<unknown> => {
      const failed: unknown = await looked({ pipelines: [pipeline] }, platformWith(time, given)).catch(
        (error: unknown) => error,
      );
      return failed instanceof CliError ? failed.details.hints : undefined;
    };
    expect(await hintsFor('inv*')).toEqual(['Did you mean "it/inv*"?']);
    expect(await hintsFor('bill')).toEqual(['Did you mean one of these?', 'bills', 'hr/bill']);
    expect(await hintsFor('b*ng')).toEqual(['Did you mean "sales/b*ng"?']);
  });

  it('is refused where only another one of them is there', async () => {
    expect(await codeOf(looked({ pipelines: ['orders-hourly', 'nope'] }))).toBe('NOT_FOUND');
  });

  it.each(['orders-hourly', 'ord*', 'etl/orders-hourly', 'e*/ord*'])('may have done nothing (%s)', async (pipeline) => {
    const { items } = await looked({ ...FAILED, pipelines: [pipeline] }, platformWith(time, QUIET));
    expect(items).toEqual([]);
  });

  it('is looked for on the second page, too', async () => {
    const apps = (name: string) => [{ name, artifact: { name: 'x', version: '1', scope: 'USER' } }];
    const given = {
      ...QUIET,
      '/apps?': { json: { applications: apps('a'), nextPageToken: 'more' } },
      'pageToken=more': { json: { applications: apps('b') } },
    };
    await looked({ ...FAILED, pipelines: ['b'] }, platformWith(time, given));
    await expect(looked({ ...FAILED, pipelines: ['c'] }, platformWith(time, given))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('may be there where applications cannot be listed', async () => {
    const given = { ...QUIET, '/apps?': { status: 403, text: 'no' } };
    expect((await looked({ ...FAILED, pipelines: ['nope'] }, platformWith(time, given))).items).toEqual([]);
  });

  it('is no reason for a green gate where applications cannot be listed', async () => {
    const given = { ...QUIET, '/apps?': { status: 403, text: 'no' } };
    const gated = { ...FAILED, pipelines: ['nope'], gate: '--fail-if' };
    expect(await codeOf(looked(gated, platformWith(time, given)))).toBe('FORBIDDEN');
    const nowhere = { ...FAILED, namespaces: [], gate: '--fail-if' };
    expect(await codeOf(looked(nowhere, platformWith(time, QUIET)))).toBe('NOT_FOUND');
    expect((await looked({ ...nowhere, gate: undefined }, platformWith(time, QUIET))).items).toEqual([]);
  });

  it('is not looked for where a record has its name, whatever its state and type, nor at later looks', async () => {
    const { platform, asked } = platformWith();
    await looked({ statuses: ['KILLED'], types: ['FLOW'], pipelines: ['clicks'] }, { platform, asked });
    expect(lists(asked)).toBe(0);
    const quiet = platformWith(time, QUIET);
    const request = { ...REQUEST, ...FAILED, pipelines: ['clicks'] };
    const look = openDashboard(
      request,
      quiet.platform,
      clockAt(() => NOW),
    );
    for (let at = 0; at < 3; at++) await look(NEVER);
    expect(lists(quiet.asked)).toBe(1);
  });
});

describe('the namespaces of a dashboard', () => {
  it('are those that are named, else all', async () => {
    const { platform } = platformWith();
    expect(await dashboardNamespaces(undefined, platform, NEVER)).toEqual(['default', 'etl']);
    expect(await dashboardNamespaces(['etl', 'system', 'etl'], platform, NEVER)).toEqual(['etl', 'system']);
    expect(await codeOf(dashboardNamespaces(['nope'], platform, NEVER))).toBe('NOT_FOUND');
  });
});
