import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../../src/platform/client.js';
import { listPipelines, type PipelineSelection } from '../../../../src/services/pipelines/list.js';
import { NEVER } from '../../../support/clock.js';
import { platformWith, type Replies } from './support.js';

const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
const STREAMS = { name: 'cdap-data-streams', version: '6.11.0', scope: 'SYSTEM' };
const NEW = { ...BATCH, version: '6.11.1' };
const at = (namespace: string): string => `/v3/namespaces/${namespace}`;
const bothKinds = 'artifactName=cdap-data-pipeline,cdap-data-streams';
const apps = (namespace: string, kinds = bothKinds): string => `GET ${at(namespace)}/apps?${kinds}&pageSize=1000`;
const app = (name: string, artifact: object = BATCH, version = '-SNAPSHOT') => ({ name, artifact, version });

const ORDERS = {
  namespace: 'etl',
  name: 'orders',
  kind: 'batch',
  artifact: BATCH,
  program: { type: 'Workflow', name: 'DataPipelineWorkflow' },
};
const CLICKS = {
  ...{ namespace: 'etl', name: 'clicks', kind: 'realtime', artifact: STREAMS },
  program: { type: 'Spark', name: 'DataStreamsSparkStreaming' },
};

const full: Replies = {
  [apps('etl')]: { json: { applications: [app('orders'), app('clicks', STREAMS)] } },
  [`POST ${at('etl')}/status`]: {
    json: [
      {
        appId: 'orders',
        programType: 'Workflow',
        programId: 'DataPipelineWorkflow',
        statusCode: 200,
        status: 'STOPPED',
      },
      { appId: 'clicks', programType: 'Spark', programId: 'DataStreamsSparkStreaming', statusCode: 404 },
    ],
  },
  [`POST ${at('etl')}/runs`]: {
    json: [
      { appId: 'orders', runs: [{ runid: 'r1', status: 'FAILED', starting: 1_700_000_000, end: 1_700_000_060 }] },
      { appId: 'clicks' },
    ],
  },
  [`POST ${at('etl')}/nextruntime`]: {
    json: [
      {
        ...{ appId: 'orders', programId: 'DataPipelineWorkflow' },
        schedules: [
          { id: 'DEFAULT.WORKFLOW:etl:orders:nightly', time: 1_700_000_900_000 },
          { id: 7 },
          { id: 'DEFAULT.WORKFLOW:etl:orders:hourly', time: 1_700_000_100_000 },
        ],
      },
      { appId: 7 },
      { appId: 'clicks', programId: 'DataStreamsSparkStreaming' },
    ],
  },
};

async function listed(wanted: Partial<PipelineSelection>, replies: Replies) {
  const { platform, asked } = platformWith(replies);
  const every = {
    namespaces: ['etl'],
    patterns: [],
    kind: undefined,
    version: undefined,
    statuses: [],
    withRuns: true,
  };
  const all = { ...every, ...wanted };
  const found = [];
  for await (const one of listPipelines(all, platform, NEVER)) found.push(one);
  return { found, names: found.map(({ name }) => name), asked };
}

/** A namespace with applications of which nothing more is known. */
const bare = (namespace: string, list: unknown, kinds?: string): Replies => ({
  [apps(namespace, kinds)]: { json: list },
  [`POST ${at(namespace)}/status`]: { json: [] },
  [`POST ${at(namespace)}/runs`]: { json: [] },
});

describe('a list of pipelines', () => {
  it('has what each one does, did last and is to do next', async () => {
    const { found, asked } = await listed({}, full);
    const items = JSON.stringify([
      { appId: 'clicks', programType: 'Spark', programId: 'DataStreamsSparkStreaming' },
      { appId: 'orders', programType: 'Workflow', programId: 'DataPipelineWorkflow' },
    ]);
    expect(found).toEqual([
      CLICKS,
      {
        ...ORDERS,
        status: 'STOPPED',
        lastRun: {
          ...{ runid: 'r1', status: 'FAILED', durationSeconds: 60 },
          ...{ starting: 1_700_000_000, startingAt: '2023-11-14T22:13:20Z' },
          ...{ end: 1_700_000_060, endAt: '2023-11-14T22:14:20Z' },
        },
        schedule: { name: 'hourly', nextRun: 1_700_000_100_000, nextRunAt: '2023-11-14T22:15:00Z' },
      },
    ]);
    expect(asked).toEqual([
      apps('etl'),
      `POST ${at('etl')}/status ${items}`,
      `POST ${at('etl')}/runs ${items}`,
      `POST ${at('etl')}/nextruntime ${items}`,
    ]);
  });

  it('has of the newest runs what a table shows, where no more is wanted', async () => {
    const run = { runid: 'r1', status: 'FAILED', starting: 1_700_000_000, end: 1_700_000_060 };
    const runs = [{ appId: 'orders', runs: [{ ...run, properties: { runtimeArgs: '{"date":"today"}' } }] }];
    const replies = { ...full, [`POST ${at('etl')}/runs`]: { json: runs } };
    const [, brief] = (await listed({ withRuns: false }, replies)).found;
    expect(brief?.lastRun).toEqual({ ...run, durationSeconds: 60 });
    const [, whole] = (await listed({}, replies)).found;
    expect(whole?.lastRun).toMatchObject({ ...run, runtimeArgs: { date: 'today' } });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['none', [], ['clicks', 'orders']],
    ['one of the pipeline', ['STOPPED'], ['orders']],
    ['one of its newest run', ['KILLED', 'FAILED'], ['orders']],
    ['one that none has', ['RUNNING'], []],
  ])('is filtered by statuses: %s', async (_, statuses, names) => {
    expect((await listed({ statuses }, full)).names).toEqual(names);
  });

  it.each([
    ['batch', 'cdap-data-pipeline', 'orders', BATCH],
    ['realtime', 'cdap-data-streams', 'clicks', STREAMS],
  ] as const)('of kind %s alone asks for applications of its artifact', async (kind, artifact, name, record) => {
    const replies = bare('etl', { applications: [app(name, record)] }, `artifactName=${artifact}`);
    const { names, asked } = await listed({ kind }, replies);
    expect(names).toEqual([name]);
    expect(asked[0]).toBe(apps('etl', `artifactName=${artifact}`));
  });

  it.each<[string, Partial<PipelineSelection>, readonly string[]]>([
    ['a name', { patterns: ['b'] }, ['b']],
    ['one of several patterns', { patterns: ['sales/*', 'etl/c*'] }, ['c']],
    ['a version', { version: '6.11.1' }, ['c']],
    ['a version and a name without it', { version: '6.11.1', patterns: ['a'] }, []],
  ])('is filtered by %s before more is asked', async (_, wanted, names) => {
    const { names: found, asked } = await listed(wanted, bare('etl', [app('a'), app('b'), app('c', NEW)]));
    expect(found).toEqual(names);
    expect(asked.slice(1).filter((line) => line.includes('"appId":"a"'))).toEqual([]);
    // Where nothing is left, nothing is asked.
    expect(asked).toHaveLength(names.length === 0 ? 1 : 4);
  });

  it('leaves out what is not a pipeline', async () => {
    const { names, asked } = await listed({}, bare('etl', [app('a'), app('tool', { ...BATCH, name: 'other' })]));
    expect(names).toEqual(['a']);
    expect(asked.join()).not.toContain('tool');
  });

  it('has an application once: as its unnamed version, else as the last one listed', async () => {
    const versions = [
      ...[app('a', BATCH, '1'), app('a', NEW), app('a', BATCH, '2')],
      ...[app('b', BATCH, '1'), app('b', NEW, '2')],
    ];
    const { found } = await listed({}, bare('etl', versions));
    expect(found.map(({ name, artifact }) => [name, artifact.version])).toEqual([
      ['a', '6.11.1'],
      ['b', '6.11.1'],
    ]);
  });

  it('goes through all pages of all namespaces in order, and asks about each namespace', async () => {
    const replies: Replies = {
      ...bare('etl', { applications: [app('a')], nextPageToken: 'more' }),
      [`${apps('etl')}&pageToken=more`]: { json: { applications: [app('b')] } },
      ...bare('sales', { applications: [app('c')] }),
      ...bare('none', { applications: [] }),
    };
    const { found, asked } = await listed({ namespaces: ['etl', 'none', 'sales'] }, replies);
    expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['etl/a', 'etl/b', 'sales/c']);
    expect(asked.filter((line) => line.includes('/status'))).toHaveLength(2);
  });

  it('is in the order of names, however the platform orders its pages', async () => {
    const replies: Replies = {
      ...bare('etl', { applications: [app('zoo'), app('a-long-name')], nextPageToken: 'more' }),
      [`${apps('etl')}&pageToken=more`]: { json: { applications: [app('bee'), app('a')] } },
    };
    expect((await listed({}, replies)).names).toEqual(['a', 'a-long-name', 'bee', 'zoo']);
  });

  it('asks about at most a thousand pipelines at once where a platform has no pages', async () => {
    const many = Array.from({ length: 2001 }, (_, at) => app(`p${1e4 + at}`));
    const { names, asked } = await listed({}, bare('etl', many));
    expect(names).toEqual(many.map(({ name }) => name));
    const sizes = asked.filter((line) => line.includes('/status')).map((line) => line.split('appId').length - 1);
    expect(sizes).toEqual([1000, 1000, 1]);
  });

  it('reads the lists of few namespaces ahead while the first one is slow', async () => {
    const namespaces = Array.from({ length: 40 }, (_, at) => `n${at}`);
    const replies = Object.assign({}, ...namespaces.map((name) => bare(name, [app('a')]))) as Replies;
    const { platform, asked } = platformWith(replies);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const call: Platform['call'] = async (endpoint, parameters, signal) => {
      const isFirst = asked.length === 0;
      const answer = await platform.call(endpoint, parameters, signal);
      if (isFirst) await released;
      return answer;
    };
    const every = { namespaces, patterns: [], kind: undefined, version: undefined, statuses: [], withRuns: true };
    const found = listPipelines(every, { ...platform, call }, NEVER);
    const first = found.next();
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    expect(asked.filter((line) => line.includes('/apps?')).length).toBeLessThanOrEqual(4);
    release();
    expect((await first).value).toMatchObject({ namespace: 'n0' });
    let count = 1;
    for await (const _ of found) count += 1;
    expect(count).toBe(40);
  });

  it('asks no more for next starts where the platform does not tell them', async () => {
    const many = Array.from({ length: 3001 }, (_, at) => app(`p${at}`));
    const { found, asked } = await listed({}, bare('etl', many));
    expect(found.every(({ schedule }) => schedule === undefined)).toBe(true);
    // Two chunks are asked about at once.
    expect(asked.filter((line) => line.includes('/nextruntime')).length).toBeLessThanOrEqual(2);
    expect(asked.filter((line) => line.includes('/status'))).toHaveLength(4);
  });
});
