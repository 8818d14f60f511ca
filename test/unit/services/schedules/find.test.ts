import { describe, expect, it } from 'vitest';
import { scheduleFacts } from '../../../../src/services/schedules/details.js';
import {
  findSchedules,
  listWithNextRuns,
  schedulesOfApp,
  schedulesOfApps,
  withNextRuns,
  type FoundSchedule,
  type ScheduleSelection,
} from '../../../../src/services/schedules/find.js';
import { nextStartsOf } from '../../../../src/services/schedules/next.js';
import { NEVER } from '../../../support/clock.js';
import { platformWith, type Replies } from '../pipelines/support.js';

const at = (namespace: string): string => `/v3/namespaces/${namespace}`;
const apps = (namespace: string): string => `GET ${at(namespace)}/apps?pageSize=1000`;
const app = (name: string, artifact = 'cdap-data-pipeline') => ({
  ...{ name, version: 'v', artifact: { name: artifact, version: '1', scope: 'SYSTEM' } },
});
const schedules = (namespace: string, name: string): string => `GET ${at(namespace)}/apps/${name}/schedules`;
const program = { programName: 'Flow', programType: 'WORKFLOW' };
const time = (name: string, status = 'SCHEDULED') => ({
  ...{ name, status, program, trigger: { type: 'TIME', cronExpression: '0 1 * * *' } },
});
const NEXT = 1_700_000_000_000;
const NEXT_AT = '2023-11-14T22:13:20Z';

const depsOf = (replies: Replies) => {
  const { platform, asked } = platformWith(replies);
  return { deps: { platform, signal: NEVER }, asked };
};
async function names(selection: Partial<ScheduleSelection>, replies: Replies): Promise<readonly string[]> {
  const found: string[] = [];
  const all = { namespaces: ['etl'], patterns: [], ...selection };
  for await (const some of findSchedules(all, depsOf(replies).deps))
    found.push(...some.map((one) => `${one.namespace}/${one.pipeline}/${one.schedule}`));
  return found;
}
async function withNext(replies: Replies, ...details: readonly FoundSchedule['detail'][]) {
  const { deps, asked } = depsOf({ [schedules('etl', 'orders')]: { json: details }, ...replies });
  const found = await withNextRuns(await schedulesOfApp({ namespace: 'etl', name: 'orders' }, deps), deps);
  return { found, times: found.map(({ schedule, nextRun }) => [schedule, nextRun]), asked: asked.slice(1) };
}

describe('the schedules of several applications', () => {
  it('are read at the same time, and told in the order of the applications', async () => {
    const all = ['a', 'b', 'c'];
    let [asked, allAsked] = [0, (): void => undefined];
    const together = new Promise<void>((resolve) => (allAsked = resolve));
    const { platform } = platformWith(
      Object.fromEntries(all.map((name) => [schedules('etl', name), { json: [time(name)] }])),
    );
    const waiting: typeof platform = {
      ...platform,
      find: async (endpoint, parameters, signal) => {
        if ((asked += 1) === all.length) allAsked();
        await together;
        return platform.find(endpoint, parameters, signal);
      },
    };
    const found: string[] = [];
    const chosen = all.map((name) => ({ namespace: 'etl', name }));
    for await (const some of schedulesOfApps(chosen, { platform: waiting, signal: NEVER }))
      found.push(...some.map(({ schedule }) => schedule));
    expect(found).toEqual(all);
  });
});

describe('the schedules of an application', () => {
  it('are told by name, with what they start by', async () => {
    const details = [
      time('nightly'),
      { name: 'after', status: 'SUSPENDED', trigger: { type: 'PROGRAM_STATUS' } },
      { name: 'odd', status: 'DELETING', trigger: { type: 7 } },
      { name: 'bare' },
    ];
    const { deps } = depsOf({ [schedules('etl', 'orders')]: { json: details } });
    const own = { namespace: 'etl', pipeline: 'orders' };
    expect(await schedulesOfApp({ namespace: 'etl', name: 'orders' }, deps)).toEqual([
      { ...own, schedule: 'after', status: 'suspended', trigger: 'PROGRAM_STATUS', detail: details[1] },
      { ...own, schedule: 'bare', status: 'suspended', detail: details[3] },
      { ...own, schedule: 'nightly', status: 'active', cron: '0 1 * * *', trigger: 'TIME', detail: details[0] },
      { ...own, schedule: 'odd', status: 'suspended', detail: details[2] },
    ]);
  });

  it('are none where it is gone', async () => {
    expect(await schedulesOfApp({ namespace: 'etl', name: 'orders' }, depsOf({}).deps)).toEqual([]);
  });
});

describe('the schedules of a selection', () => {
  const replies: Replies = {
    [apps('etl')]: { json: { applications: [app('b'), app('b')], nextPageToken: 'x' } },
    [`${apps('etl')}&pageToken=x`]: { json: { applications: [app('b'), app('live', 'cdap-data-streams'), app('a')] } },
    [apps('sales')]: { json: [app('b')] },
    [schedules('etl', 'a')]: { json: [time('two'), time('one')] },
    [schedules('etl', 'b')]: { json: [time('three')] },
    [schedules('etl', 'live')]: { json: [time('never')] },
    [schedules('sales', 'b')]: { json: [time('four')] },
  };

  it.each<[string, Partial<ScheduleSelection>, readonly string[]]>([
    ['all', {}, ['etl/a/one', 'etl/a/two', 'etl/b/three']],
    ['those of several namespaces', { namespaces: ['sales', 'etl'], patterns: ['b'] }, ['sales/b/four', 'etl/b/three']],
    ['those that fit a pattern', { patterns: ['x*', 'etl/a'] }, ['etl/a/one', 'etl/a/two']],
  ])('are %s, once for each application that has any', async (_, selection, found) => {
    expect(await names(selection, replies)).toEqual(found);
  });
});

describe('the next starts of schedules', () => {
  const MANY = `POST ${at('etl')}/nextruntime`;
  const answer = (...ids: readonly string[]) => ({
    json: [{ appId: 'orders', programId: 'Flow', schedules: ids.map((id) => ({ id, time: NEXT })) }],
  });

  it('are asked for those that are active and have a time trigger', async () => {
    const { found, asked } = await withNext(
      { [MANY]: answer('DEFAULT.WORKFLOW:etl:orders:nightly') },
      ...[time('nightly'), time('paused', 'SUSPENDED'), { ...time('after'), trigger: { type: 'PROGRAM_STATUS' } }],
    );
    expect(found.map(({ schedule, nextRun, nextRunAt }) => [schedule, nextRun, nextRunAt])).toEqual([
      ['after', undefined, undefined],
      ['nightly', NEXT, NEXT_AT],
      ['paused', undefined, undefined],
    ]);
    expect(asked).toEqual([`${MANY} [{"appId":"orders","programType":"Workflow","programId":"Flow"}]`]);
  });

  it.each<[string, readonly FoundSchedule['detail'][]]>([
    ['are suspended', [time('a', 'SUSPENDED')]],
    ['have no time trigger', [{ ...time('a'), trigger: { type: 'OR' } }]],
    ['do not say what they start', [{ ...time('a'), program: {} }]],
  ])('are not asked for where all %s', async (_, details) => {
    const { asked, found } = await withNext({ [MANY]: answer('x:a') }, ...details);
    expect([asked, found.map(({ nextRun }) => nextRun)]).toEqual([[], [undefined]]);
  });

  it('are read around what cannot be read', async () => {
    const json = [{ appId: 7 }, { appId: 'orders', programId: 'Flow' }, ...answer('nightly').json];
    const odd = [{ id: 7 }, ...(answer('nightly').json[0]?.schedules ?? [])];
    const { times } = await withNext({ [MANY]: { json } }, time('nightly'));
    expect(times).toEqual([['nightly', NEXT]]);
    const mixed = { [MANY]: { json: [{ ...json[1], schedules: odd }] } };
    expect((await withNext(mixed, time('nightly'))).times).toEqual([['nightly', NEXT]]);
  });

  it('are asked for one by one where the platform does not tell several (6.1.1)', async () => {
    const ONE = `GET ${at('etl')}/apps/orders/workflows/Flow/nextruntime`;
    const json = [{ id: 'x:nightly', time: NEXT }, { id: 7 }];
    const { times, asked } = await withNext({ [ONE]: { json } }, time('nightly'), time('other'));
    expect(times).toEqual([
      ['nightly', NEXT],
      ['other', undefined],
    ]);
    expect(asked.slice(1)).toEqual([ONE]);
    expect((await withNext({}, time('nightly'))).times).toEqual([['nightly', undefined]]);
  });

  it('are asked for in each namespace by itself', async () => {
    const own = (namespace: string, start: number): Replies => ({
      [apps(namespace)]: { json: [app('orders')] },
      [schedules(namespace, 'orders')]: { json: [time('nightly')] },
      [`POST ${at(namespace)}/nextruntime`]: {
        json: [{ appId: 'orders', programId: 'Flow', schedules: [{ id: 'nightly', time: start }] }],
      },
    });
    const { deps, asked } = depsOf({ ...own('etl', NEXT), ...own('sales', NEXT + 1000) });
    const times: unknown[] = [];
    for await (const one of listWithNextRuns({ namespaces: ['etl', 'sales'], patterns: [] }, deps))
      times.push([one.namespace, one.nextRun]);
    expect(times).toEqual([
      ['etl', NEXT],
      ['sales', NEXT + 1000],
    ]);
    expect(asked.filter((line) => line.startsWith('POST')).every((line) => line.split('appId').length === 2)).toBe(
      true,
    );
  });

  it('are asked for after five hundred schedules, not after all of them', async () => {
    const list = Array.from({ length: 501 }, (_, index) => app(`p${index}`));
    const own = list.map(({ name }) => [schedules('etl', name), { json: [time('nightly')] }] as const);
    const { deps, asked } = depsOf({
      ...{ [apps('etl')]: { json: list }, ...Object.fromEntries(own), [MANY]: { json: [] } },
    });
    let count = 0;
    for await (const { schedule } of listWithNextRuns({ namespaces: ['etl'], patterns: [] }, deps))
      if (schedule === 'nightly') count += 1;
    const sizes = asked.filter((line) => line.startsWith('POST')).map((line) => line.split('appId').length - 1);
    expect([count, sizes]).toEqual([501, [500, 1]]);
  });

  it('follow each other over all schedules, the soonest first and no more than wanted', () => {
    const one = (pipeline: string, given: Partial<FoundSchedule>): FoundSchedule => ({
      ...{ namespace: 'etl', pipeline, schedule: 's', status: 'active', detail: { name: 's' }, ...given },
    });
    const start = Date.UTC(2024, 4, 2, 22);
    const found = nextStartsOf(
      [
        one('none', {}),
        one('later', { nextRun: start + 1_800_000 }),
        one('hourly', { nextRun: start, cron: '0 * * * *' }),
      ],
      3,
    );
    const entry = (pipeline: string, milliseconds: number, nextRunAt: string, from: string) => ({
      ...{ namespace: 'etl', pipeline, schedule: 's', nextRun: start + milliseconds, nextRunAt, from },
    });
    expect(found).toEqual([
      entry('hourly', 0, '2024-05-02T22:00:00Z', 'platform'),
      entry('later', 1_800_000, '2024-05-02T22:30:00Z', 'platform'),
      entry('hourly', 3_600_000, '2024-05-02T23:00:00Z', 'cron'),
    ]);
  });
});

describe('the facts of a schedule', () => {
  const found = (detail: object, given: Partial<FoundSchedule> = {}): FoundSchedule => ({
    ...{
      namespace: 'etl',
      pipeline: 'orders',
      schedule: 's',
      status: 'active',
      detail: { name: 's', ...detail },
      ...given,
    },
  });

  it('are all that the platform tells', () => {
    const detail = {
      ...{ description: 'each night', program, lastUpdateTime: NEXT },
      constraints: [{ type: 'DELAY' }, { maxConcurrency: 'x' }, { maxConcurrency: 2 }, { maxConcurrency: 3 }],
      properties: { day: 'monday', size: 7, list: ['a'] },
    };
    const given = { cron: '0 1 * * *', trigger: 'TIME', nextRun: NEXT, nextRunAt: NEXT_AT };
    expect(scheduleFacts(found(detail, given))).toEqual({
      ...{ schedule: 's', status: 'active', description: 'each night', ...given, program: 'Flow' },
      ...{ maxConcurrentRuns: 2, properties: { day: 'monday', size: '7', list: '["a"]' } },
      ...{ lastUpdateTime: NEXT, lastUpdateTimeAt: NEXT_AT },
    });
  });

  it.each([{}, { description: 7, constraints: 7, properties: 7, lastUpdateTime: 'x', program: 7 }])(
    'are few where it tells nothing that can be read: %j',
    (detail) => {
      const facts = scheduleFacts(found(detail));
      expect(facts).toEqual({ schedule: 's', status: 'active', properties: {} });
      expect(['lastUpdateTime', 'lastUpdateTimeAt', 'nextRun', 'nextRunAt'].filter((name) => name in facts)).toEqual(
        [],
      );
    },
  );
});
