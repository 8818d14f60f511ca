import { describe, expect, it } from 'vitest';
import { activeSchedules } from '../../../../src/services/dashboard/schedules.js';
import { NEVER, NOW, platformOf, type Answer } from './support.js';

const time = (given: object = {}) => ({
  ...{ name: 'nightly', status: 'SCHEDULED', lastUpdateTime: (NOW - 60) * 1000 + 1 },
  program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
  trigger: { type: 'TIME', cronExpression: '0 18 * * *' },
  constraints: [{ type: 'CONCURRENCY', maxConcurrency: 1 }],
  ...given,
});
const next = (appId: string, ids: readonly string[] = ['DEFAULT.etl:x:nightly']) => ({
  ...{ appId, programId: 'DataPipelineWorkflow' },
  schedules: ids.map((id) => ({ id, time: (NOW + 60) * 1000 + 999 })),
});
const app = (name: string, artifact = 'cdap-data-pipeline') => ({
  ...{ name, artifact: { name: artifact, version: '6.11.0', scope: 'SYSTEM' } },
});

/** A platform whose namespaces have these applications, each with the schedules; `given` replaces answers. */
function learned(
  schedules: readonly object[],
  { patterns = [] as readonly string[], namespaces = ['etl'], apps = [app('orders')], given = {} } = {},
) {
  const { platform, asked } = platformOf((line, body) => {
    const own = Object.entries<Answer>(given).find(([part]) => line.includes(part));
    if (own !== undefined) return own[1];
    if (line.includes('/schedules')) return { json: schedules };
    if (line.includes('/apps?')) return { json: { applications: apps } };
    const items = JSON.parse(body) as { appId: string }[];
    return { json: items.map(({ appId }) => next(appId)) };
  });
  return { found: activeSchedules(namespaces, patterns, platform, () => NOW, NEVER), asked };
}
const known = {
  ...{ namespace: 'etl', application: 'orders', program: 'DataPipelineWorkflow', name: 'nightly' },
  ...{ cron: '0 18 * * *', since: NOW - 59, next: NOW + 60, askedAt: NOW, maxConcurrency: 1 },
};

describe('the active schedules of pipelines', () => {
  it('are told with what they start by, in whole seconds', async () => {
    expect(await learned([time()]).found).toEqual({ active: [known], notJudged: 0 });
  });

  it.each<[string, object, number | undefined]>([
    ['no constraint', { constraints: [] }, undefined],
    ['no list of them', { constraints: undefined }, undefined],
    ['one without a number', { constraints: [{ type: 'CONCURRENCY' }] }, undefined],
    [
      'several',
      { constraints: [3, undefined, 2, 4].map((maxConcurrency) => ({ type: 'CONCURRENCY', maxConcurrency })) },
      2,
    ],
  ])('with %s are limited by the smallest', async (_, given, maxConcurrency) => {
    expect(await learned([time(given)]).found).toEqual({ active: [{ ...known, maxConcurrency }], notJudged: 0 });
  });

  it.each<[string, object]>([
    ['has no next start', { name: 'other' }],
    ['has no cron entry', { trigger: { type: 'TIME' } }],
    ['was changed nobody knows when', { lastUpdateTime: undefined }],
    ['is held back by something else', { constraints: [{ type: 'CONCURRENCY' }, { type: 'DELAY' }] }],
    ['is not active', { status: 'SUSPENDED' }],
    ['cannot be read', { program: undefined }],
  ])('are not judged where one %s, and the others are', async (_, given) => {
    expect(await learned([time(given), time()]).found).toEqual({ active: [known], notJudged: 1 });
  });

  it('are those of batch pipelines that a pattern fits, in every namespace', async () => {
    const apps = [app('orders'), app('stream', 'cdap-data-streams'), app('clicks'), app('orders')];
    const { found, asked } = learned([time()], { namespaces: ['etl', 'ops'], patterns: ['ops/c*', 'ord*'], apps });
    const names = (await found).active.map(({ namespace, application }) => `${namespace}/${application}`);
    expect(names).toEqual(['etl/orders', 'ops/orders', 'ops/clicks']);
    expect(asked.filter((line) => line.includes('/schedules'))).toEqual(
      names
        .map((name) => name.replace('/', '/apps/'))
        .map((path) => `GET /v3/namespaces/${path}/schedules?trigger-type=time&schedule-status=SCHEDULED`),
    );
  });

  it.each<[string, Answer, number]>([
    ['none', { json: [{ ...next('orders'), schedules: [] }] }, 0],
    ['no list of them', { json: [{ ...next('orders'), schedules: undefined }] }, 0],
    ['some that cannot be read', { json: [{ ...next('orders'), schedules: [{ id: 7 }] }] }, 1],
    ['nothing that can be read', { json: [{ appId: 7 }] }, 1],
  ])('are looked for only of what has next starts: %s', async (_, answer, count) => {
    const { found, asked } = learned([time()], { given: { '/nextruntime': answer } });
    expect(await found).toEqual({ active: [], notJudged: count });
    expect(asked.filter((line) => line.includes('/schedules'))).toHaveLength(count);
  });

  it('are asked for five hundred pipelines at once', async () => {
    const apps = Array.from({ length: 501 }, (_, at) => app(`p${at}`));
    const { found, asked } = learned([time()], { apps });
    expect((await found).active).toHaveLength(501);
    expect(asked.filter((line) => line.includes('/nextruntime'))).toHaveLength(2);
  });

  it('may have the name of the schedule alone for its id', async () => {
    const given = { '/nextruntime': { json: [next('orders', ['nightly'])] } };
    expect((await learned([time()], { given }).found).active).toEqual([known]);
  });

  it('are unknown in all where a namespace does not tell next starts', async () => {
    const { found } = learned([time()], { namespaces: ['old', 'etl'], given: { 'old/nextruntime': undefined } });
    expect(await found).toEqual({ active: [known], notJudged: undefined });
  });

  it.each<[string, Answer, number]>([
    ['are gone', undefined, 0],
    ['cannot be read', { status: 200, text: '<html>' }, 1],
  ])('may be missing where those of a pipeline %s', async (_, answer, notJudged) => {
    const { found } = learned([time()], { given: { '/apps/orders/schedules': answer } });
    expect(await found).toEqual({ active: [], notJudged });
  });

  it('end with the error of a list that is refused', async () => {
    const { found } = learned([], { given: { '/apps/orders/schedules': { status: 403, text: 'no' } } });
    await expect(found).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
