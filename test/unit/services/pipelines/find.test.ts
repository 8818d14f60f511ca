import { describe, expect, it } from 'vitest';
import type { Hint } from '../../../../src/core/next-step.js';
import { findPipeline, findPipelineRun, readPipeline } from '../../../../src/services/pipelines/find.js';
import { findRun } from '../../../../src/services/pipelines/find-run.js';
import { NEVER } from '../../../support/clock.js';
import { errorOf } from '../../../support/errors.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, waitingOn, type Replies } from './support.js';

const APP = '/v3/namespaces/etl/apps/orders';
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
const detail = (...programs: readonly string[]) => ({
  ...{ name: 'orders', artifact },
  programs: programs.map((name) => ({ type: 'Workflow', name })),
});
const place = { namespace: 'etl', name: 'orders' };
const LIST = 'GET /v3/namespaces/etl/apps?pageSize=1000';
const NAMESPACES = { 'GET /v3/namespaces': { json: [{ name: 'default' }, { name: 'etl' }] } };
const other = (name: string) => ({ name, artifact });

describe('a pipeline that is named', () => {
  it.each([
    ['DataPipelineWorkflow', 'batch', 'workflows'],
    ['DataStreamsSparkStreaming', 'realtime', 'spark'],
  ])('with the program %s is of kind %s', async (program, kind, type) => {
    const { platform } = platformWith({ [`GET ${APP}`]: { json: detail('Inner', program) } });
    expect(await findPipeline(place, platform, NEVER)).toEqual({
      ...{ ...place, kind: expect.objectContaining({ kind, program }) as unknown, detail: detail('Inner', program) },
      place: { namespace: 'etl', app: 'orders', type, program },
    });
  });

  it.each([
    ['has other programs', detail('Hello')],
    ['has no programs', { name: 'orders', artifact }],
  ])('is refused where it %s', async (_, json) => {
    const { platform } = platformWith({ [`GET ${APP}`]: { json } });
    expect(await failure(findPipeline(place, platform, NEVER))).toEqual({
      ...{ code: 'USAGE', message: '"orders" is an application, but not a pipeline' },
      ...{ hints: [{ next: 'list-pipelines', namespace: 'etl' }], target: { namespace: 'etl', pipeline: 'orders' } },
    });
  });

  it('that exists only under versions somebody named is the last of them', async () => {
    const { platform } = platformWith({
      [`GET ${APP}/versions`]: { json: ['1.0', '2.0'] },
      [`GET ${APP}/versions/1.0`]: { json: { ...detail(), appVersion: '1.0' } },
      [`GET ${APP}/versions/2.0`]: { json: { ...detail(), appVersion: '2.0' } },
    });
    expect((await readPipeline(place, platform, NEVER)).appVersion).toBe('2.0');
  });

  it.each<[string, Replies, readonly Hint[]]>([
    ['with one of a similar name', { [LIST]: { json: [other('order'), other('clicks')] } }, ['Did you mean "order"?']],
    ['with a page', { [LIST]: { json: { applications: [other('order')] } } }, ['Did you mean "order"?']],
    ['where none can be listed', {}, [{ next: 'list-pipelines', namespace: 'etl' }]],
  ])('is not found in a namespace %s', async (_, replies, hints) => {
    const { platform } = platformWith({ ...NAMESPACES, ...replies });
    expect(await failure(readPipeline(place, platform, NEVER))).toEqual({
      ...{ code: 'NOT_FOUND', message: 'namespace "etl" has no pipeline "orders"' },
      ...{ hints, target: { namespace: 'etl', pipeline: 'orders' } },
    });
  });

  it('is not found in a namespace that is absent', async () => {
    const { platform } = platformWith(NAMESPACES);
    expect(await failure(readPipeline({ namespace: 'elt', name: 'orders' }, platform, NEVER))).toEqual({
      ...{ code: 'NOT_FOUND', message: 'the platform has no namespace "elt"' },
      ...{ hints: ['Did you mean "etl"?', { next: 'list-namespaces' }], target: { namespace: 'elt' } },
    });
  });

  it('may be in the namespace of the system, which is not listed', async () => {
    const { platform } = platformWith(NAMESPACES);
    const error = await errorOf(readPipeline({ namespace: 'system', name: 'orders' }, platform, NEVER));
    expect(error.message).toBe('namespace "system" has no pipeline "orders"');
  });
});

describe('a run that is named', () => {
  const run = (runid: string, status = 'COMPLETED') => ({ runid, status, properties: {} });
  const newest = (limit: number): string => `GET ${ORDERS}/runs?limit=${limit}`;
  const RUNS = { next: 'list-runs', pipeline: 'etl/orders' };
  const target = (named: string) => ({ namespace: 'etl', pipeline: 'orders', run: named });
  const search = (text: string, replies: Replies, hidesNewRuns = false) => {
    const { platform, asked } = platformWith(replies);
    const { waiting, naps } = waitingOn(platform);
    const found = findPipelineRun(text, foundPipeline(), { ...waiting, capabilities: { hidesNewRuns } });
    return { found, asked, naps };
  };
  const find = (text: string, replies: Replies) => search(text, replies).found;

  it.each<[string, Replies]>([
    ['latest', { [newest(1)]: { json: [run(RUN)] } }],
    ['LATEST', { [newest(1)]: { json: [run(RUN)] } }],
    [RUN, { [`GET ${ORDERS}/runs/${RUN}`]: { json: run(RUN) } }],
    [RUN.toUpperCase(), { [`GET ${ORDERS}/runs/${RUN}`]: { json: run(RUN) } }],
    ['5933a68e', { [newest(5000)]: { json: [run('x'), run(RUN)] } }],
    ['5933A68E-E569', { [newest(5000)]: { json: [run(RUN.toUpperCase())] } }],
    [RUN.slice(0, -1), { [newest(5000)]: { json: [run(RUN)] } }],
  ])('%s', async (text, replies) => {
    expect((await find(text, replies)).runid.toLowerCase()).toBe(RUN);
  });

  it.each([RUN, RUN.slice(0, 8)])('is the one that has a run inside it of the id %s', async (text) => {
    const outer = { ...run('outer'), properties: { 'phase-1': RUN } };
    const other = { ...run('x'), properties: { 'phase-1': 'inner', note: RUN.slice(0, 20) } };
    expect((await find(text, { [newest(5000)]: { json: [other, outer] } })).runid).toBe('outer');
  });

  it('is the one whose own id begins so, before those that have such a run inside', async () => {
    const outer = { ...run('outer'), properties: { 'phase-1': RUN.replace('1122', '1133') } };
    expect((await find('5933a68e', { [newest(5000)]: { json: [outer, run(RUN)] } })).runid).toBe(RUN);
  });

  it('is waited for where it was just started and the platform hides it', async () => {
    const late = [404, 404, 404, 404].map((status) => ({ status }));
    const replies = { [`GET ${ORDERS}/runs/${RUN}`]: [...late, { json: run(RUN) }], [newest(5000)]: { json: [] } };
    const { found, naps, asked } = search(RUN, replies, true);
    expect([(await found).runid, naps]).toEqual([RUN, [600, 600, 600, 600]]);
    expect(asked.filter((line) => line === newest(5000))).toHaveLength(1);
    for (const [text, hides] of [
      [RUN, false],
      ['deadbeef', true],
    ] as const) {
      const missing = search(text, { [newest(5000)]: { json: [] } }, hides);
      expect(await failure(missing.found)).toMatchObject({ code: 'NOT_FOUND' });
      expect(missing.naps).toEqual([]);
    }
  });

  const full = Array.from({ length: 5000 }, (_, at) => run(`run-${at}`));
  it.each<[string, Replies, object]>([
    [
      'latest',
      { [newest(1)]: { json: [] } },
      { message: 'pipeline "orders" has not run yet', hints: [{ next: 'start-run', pipeline: 'etl/orders' }] },
    ],
    [RUN, { [newest(5000)]: { json: [run('x')] } }, { message: `pipeline "orders" has no run ${RUN}`, hints: [RUNS] }],
    [
      'deadbeef',
      { [newest(5000)]: { json: [] } },
      { message: 'pipeline "orders" has no run whose ID starts with deadbeef', hints: [RUNS] },
    ],
    [
      'deadbeef',
      { [newest(5000)]: { json: full.slice(1) } },
      {
        message: 'pipeline "orders" has no run whose ID starts with deadbeef',
        hints: [{ next: 'take-latest-run' }, RUNS],
      },
    ],
    [
      'deadbeef',
      { [newest(5000)]: { json: full } },
      {
        message: 'pipeline "orders" has no run whose ID starts with deadbeef',
        hints: ['only the newest 5000 runs were searched: use the full ID', { next: 'take-latest-run' }, RUNS],
      },
    ],
  ])('is not found: %s', async (text, replies, told) => {
    expect(await failure(find(text, replies))).toEqual({ code: 'NOT_FOUND', target: target(text), ...told });
  });

  it('is not guessed where several begin so, which are all named', async () => {
    const ids = Array.from({ length: 11 }, (_, at) => `5933a68e-${at}`);
    const runs = ids.map((id, at) => ({ ...run(id, 'KILLED'), starting: 5, ...(at > 0 && { start: 5 + at }) }));
    expect(await errorOf(find('5933a68e', { [newest(5000)]: { json: runs } }))).toMatchObject({
      ...{ code: 'USAGE', message: '11 runs of "orders" have an ID that starts with 5933a68e' },
      all: ids.map((id, at) => ({ id, status: 'KILLED', at: 5 + at })),
    });
  });

  it.each([
    ['5933a68', '"5933a68"'],
    ['', '""'],
    ['-5933a68e', '"-5933a68e"'],
    ['5933a68g', '"5933a68g"'],
    ['x5933a68e', '"x5933a68e"'],
    [`${RUN}1`, `"${RUN}1"`],
    ['g'.repeat(41), `"${'g'.repeat(40)}"`],
  ])('is refused for what is none: %s', async (text, shown) => {
    expect(await failure(find(text, {}))).toEqual({
      ...{ code: 'USAGE', message: `${shown} is not a run` },
      hints: ['use a run ID, its first 8 or more characters, or latest'],
    });
  });

  it('is refused for an application that is no pipeline', async () => {
    const owner = { namespace: 'etl', name: 'tool', program: undefined };
    expect(await failure(findRun('latest', owner, platformWith({}).platform, NEVER))).toEqual({
      ...{ code: 'USAGE', message: '"tool" is not a pipeline, so its runs cannot be selected' },
      hints: [{ next: 'tag-run' }],
    });
  });
});
