import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { runsBefore, startPipeline } from '../../../../src/services/pipelines/start.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf, errorOf } from '../../../support/errors.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, waitingOn, type Replies, type Reply } from './support.js';

const SENT = 'POST /v3/namespaces/etl/start';
const RUNS = `GET ${ORDERS}/runs?limit=100`;
const LOST = new CliError('NET_RESET', 'the connection broke', { sent: 'unknown', serverSaid: 'x' });
const target = { namespace: 'etl', pipeline: 'orders' };
const run = (runid: string, given: Readonly<Record<string, string>> = {}) => ({
  ...{ runid, status: 'RUNNING', properties: { runtimeArgs: JSON.stringify(given) } },
});
const STORED = { region: 'eu', day: '0' };
const NO_PREFERENCES = { json: {} };
const PREFERENCES = {
  'GET /v3/preferences': { json: STORED },
  'GET /v3/namespaces/etl/preferences': NO_PREFERENCES,
  'GET /v3/namespaces/etl/apps/orders/preferences': NO_PREFERENCES,
  [`GET ${ORDERS}/preferences`]: NO_PREFERENCES,
};
const BEFORE = [{ ...run('old', { day: '1' }) }];

function start(
  sent: Reply,
  runs: Reply | readonly Reply[] = { json: [] },
  given: Readonly<Record<string, string>> = { day: '1' },
  replies: Replies = {},
) {
  const { platform, asked } = platformWith({ [SENT]: sent, [RUNS]: runs, ...PREFERENCES, ...replies });
  const { waiting, ...seen } = waitingOn(platform);
  return { begun: startPipeline(foundPipeline(), given, BEFORE, waiting), asked, waiting, ...seen };
}

describe('a start', () => {
  it('is sent once with its arguments, and answered with the run', async () => {
    const { begun, asked } = start({ json: [{ statusCode: 200, runId: RUN }] });
    expect(await begun).toBe(RUN);
    const item = {
      appId: 'orders',
      programType: 'Workflow',
      programId: 'DataPipelineWorkflow',
      runtimeargs: { day: '1' },
    };
    expect(asked).toEqual([`${SENT} ${JSON.stringify([item])}`]);
  });

  it.each([
    [401, 'AUTH'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [500, 'REMOTE_FAILED'],
  ])('may be refused with %s', async (statusCode, code) => {
    const { begun, asked } = start({ json: [{ statusCode, error: 'no' }] });
    expect(await failure(begun)).toEqual({
      ...{ code, message: `the platform did not start pipeline "orders" (${statusCode})`, serverSaid: 'no', target },
    });
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['never left', new CliError('NET_REFUSED', 'nobody there', { sent: 'no' })],
    ['is not allowed', { status: 403 }],
  ])('ends at once where it %s', async (_, sent) => {
    const { begun, asked } = start(sent);
    await errorOf(begun);
    expect(asked).toHaveLength(1);
  });

  it('knows the runs that were there before it', async () => {
    const { platform } = platformWith({ [RUNS]: { json: [run('a')] } });
    expect((await runsBefore(foundPipeline(), { platform, signal: NEVER })).map(({ runid }) => runid)).toEqual(['a']);
  });
});

describe('a start whose answer is lost', () => {
  const message = (runid: string): string =>
    `the response was lost; run ${runid}, which started since then with the same arguments, is used instead`;

  it.each<[string, Reply]>([
    ['lost', LOST],
    ['without a run', { json: [{ statusCode: 200 }] }],
    ['empty', { json: [] }],
  ])('(%s) is found by its arguments', async (_, sent) => {
    const others = [
      run('old', { day: '1' }),
      run('x', { day: '2' }),
      run('y'),
      run('z', { day: '1', scheduleName: 's' }),
    ];
    const { begun, told, asked } = start(sent, {
      json: [...others, run('new', { day: '1', region: 'eu', 'logical.start.time': '1' })],
    });
    expect(await begun).toBe('new');
    expect(told).toEqual([{ type: 'warning', code: 'RESPONSE_LOST', message: message('new') }]);
    expect(asked.filter((line) => line.startsWith(SENT))).toHaveLength(1);
  });

  it('is found by and by, also through errors', async () => {
    const { begun, naps } = start(LOST, [{ status: 500 }, { json: [] }, { json: [run('new', { day: '1' })] }]);
    expect([await begun, naps]).toEqual(['new', [1000, 1000, 1000]]);
  });

  it('is found where preferences of the instance may not be read', async () => {
    const replies = { 'GET /v3/preferences': { status: 403 } };
    expect(await start(LOST, { json: [run('new', { day: '1' })] }, undefined, replies).begun).toBe('new');
  });

  it('is not taken for one by preferences that cannot be read', async () => {
    const { begun } = start(LOST, { json: [run('new', { day: '1' })] }, undefined, {
      'GET /v3/preferences': { status: 500 },
    });
    expect(await codeOf(begun)).toBe('UNKNOWN_OUTCOME');
  });

  it.each([
    ['an argument that is neither given nor stored', { more: '2' }],
    ['another value of one that is stored', { region: 'us' }],
  ])('is not taken for a run with %s', async (_, more) => {
    const theirs = run('theirs', { day: '1', ...more });
    expect(await failure(start(LOST, { json: [theirs] }).begun)).toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      lines: [expect.anything(), 'theirs  RUNNING'],
    });
    const both = [{ json: [theirs] }, { json: [run('new', { day: '1' }), theirs] }];
    expect(await start(LOST, both).begun).toBe('new');
  });

  it('is not decided while another run of the same arguments shows and it may not yet', async () => {
    const theirs = run('theirs', { day: '1' });
    const late = [{ json: [theirs] }, { json: [theirs] }, { json: [run('ours', { day: '1' }), theirs] }];
    expect(await failure(start(LOST, late).begun)).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
  });

  it('is not taken for a run with another compute profile', async () => {
    const theirs = { ...run('new', { day: '1', 'system.profile.name': 'USER:big' }), start: 1 };
    expect(await failure(start(LOST, { json: [theirs] }).begun)).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
  });

  it('waits for the arguments of a run that is only being prepared', async () => {
    const prepared = run('new', { 'cluster.name': '', 'system.profile.name': 'SYSTEM:native' });
    const { begun, naps } = start(
      LOST,
      [...Array.from({ length: 5 }, () => ({ json: [prepared] })), { json: [run('new')] }],
      {},
    );
    expect([await begun, naps.length]).toEqual(['new', 5]);
  });

  const unknown = (seen: string, ...lines: readonly string[]) => ({
    code: 'UNKNOWN_OUTCOME',
    message: `the start of pipeline "orders" was sent, but its outcome is unknown: ${seen}`,
    ...{ serverSaid: 'x', lines: ['the response was lost: the connection broke', ...lines], target },
    hints: [
      { next: 'list-runs', pipeline: 'etl/orders' },
      'check its runs first: starting it again could start a second run',
    ],
  });

  it('is unknown where it does not show for ten seconds', async () => {
    const { begun, passed } = start(LOST);
    expect(await failure(begun)).toEqual(unknown('no new run of it is visible'));
    expect(passed()).toBe(11_000);
    expect(await failure(start(LOST, { status: 500 }).begun)).toEqual(unknown('its runs cannot be read'));
  });

  it('is unknown where several may be it, of which ten are shown', async () => {
    const runs = Array.from({ length: 11 }, (_, at) => run(`r${at}`, { day: '1' }));
    const { begun, naps } = start(LOST, { json: runs });
    const lines = runs.slice(0, 10).map(({ runid }) => `${runid}  RUNNING`);
    expect(await failure(begun)).toEqual(unknown('11 runs of it started since then', ...lines));
    expect(naps).toEqual([]);
  });

  it('is not taken for a run whose arguments cannot be read', async () => {
    const bare = { ...run('new'), properties: {} };
    expect(await codeOf(start(LOST, { json: [bare] }, {}).begun)).toBe('UNKNOWN_OUTCOME');
    expect(await start(LOST, { json: [run('new'), run('z', { scheduleName: 's' })] }, {}).begun).toBe('new');
  });

  it('is not looked for once the run is stopped', async () => {
    const { platform, asked } = platformWith({ [SENT]: LOST, [RUNS]: { status: 500 }, ...PREFERENCES });
    const stopped = { ...waitingOn(platform).waiting, signal: AbortSignal.abort(new CliError('INTERRUPTED', 'x')) };
    expect(await codeOf(startPipeline(foundPipeline(), {}, [], stopped))).toBe('REMOTE_FAILED');
    expect(asked.filter((line) => line === RUNS)).toHaveLength(1);
  });
});
