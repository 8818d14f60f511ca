import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { failureOfRun, waitForRun, type RunPatience } from '../../../../src/services/pipelines/wait.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, waitingOn, type Reply } from './support.js';

const state = (status: string): Reply => ({ json: { runid: RUN, status } });
const ABSENT: Reply = { status: 404 };
const AWAY = new CliError('NET_REFUSED', 'nobody there', { request: { method: 'GET', url: 'x' } });
const patience: RunPatience = { until: 'done', timeout: 600_000, interval: 3000, outage: undefined };
const target = { namespace: 'etl', pipeline: 'orders', run: RUN };
const GO_ON = { next: 'wait-for-run', pipeline: 'etl/orders', run: RUN };

function wait(replies: readonly Reply[], wanted: Partial<RunPatience> = {}) {
  const { platform, asked } = platformWith({ [`GET ${ORDERS}/runs/${RUN}`]: replies });
  const { waiting, ...seen } = waitingOn(platform);
  return { ended: waitForRun(RUN, foundPipeline(), { ...patience, ...wanted }, waiting), asked, ...seen };
}
const told = (status: string) => ({ type: 'state', what: 'run 5933a68e', state: status });
const LOST = { type: 'warning', code: 'AWAY', message: 'platform not responding, retrying: nobody there' };

describe('a run that is waited for', () => {
  it.each(['COMPLETED', 'FAILED', 'KILLED', 'REJECTED'])('is waited for until it is %s', async (status) => {
    const { ended, naps, told: events } = wait([state('STARTING'), state('RUNNING'), state('RUNNING'), state(status)]);
    expect((await ended).status).toBe(status);
    // Looks are close together at first.
    expect(naps).toEqual([500, 1000, 2000]);
    expect(events).toEqual([told('STARTING'), told('RUNNING'), told(status)]);
  });

  it('is waited for until it runs where that is wanted, or it has ended already', async () => {
    const running = wait([state('PENDING'), state('RUNNING'), state('COMPLETED')], { until: 'running' });
    expect((await running.ended).status).toBe('RUNNING');
    expect((await wait([state('FAILED')], { until: 'running' }).ended).status).toBe('FAILED');
  });

  it('is looked at no less often than at the interval', async () => {
    const { ended, naps } = wait([...Array.from({ length: 6 }, () => state('RUNNING')), state('COMPLETED')]);
    await ended;
    expect(naps).toEqual([500, 1000, 2000, 3000, 3000, 3000]);
    const quick = wait([state('RUNNING'), state('RUNNING'), state('COMPLETED')], { interval: 100 });
    await quick.ended;
    expect(quick.naps).toEqual([100, 100]);
  });

  it.each<[string, Reply, string]>([
    ['runs', state('RUNNING'), `run ${RUN} is RUNNING after 4s; it continues`],
    ['does not show', ABSENT, `run ${RUN} is not visible yet after 4s; it continues`],
  ])('is let go after the time where it still %s', async (_, reply, message) => {
    const { ended, naps } = wait([reply], { timeout: 4000 });
    expect(await failure(ended)).toEqual({ code: 'STILL_RUNNING', message, hints: [GO_ON], target });
    expect(naps).toEqual([500, 1000, 2000, 500]);
  });

  it('may be invisible for half a minute and no longer', async () => {
    const late = wait([...Array.from({ length: 8 }, () => ABSENT), state('COMPLETED')], { interval: 5000 });
    expect((await late.ended).status).toBe('COMPLETED');
    const never = wait([ABSENT], { interval: 5000 });
    expect(await failure(never.ended)).toEqual({
      ...{ code: 'NOT_FOUND', message: `pipeline "orders" has no run ${RUN}`, target },
      hints: [{ next: 'list-runs', pipeline: 'etl/orders' }],
    });
    expect(never.naps).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000, 5000, 5000]);
    // At half a minute to the second it is still looked for.
    const edge = wait([ABSENT], { interval: 500 });
    await failure(edge.ended);
    expect(edge.passed()).toBe(30_500);
  });

  it('may be named by a run inside it, which is asked for once', async () => {
    const inner = RUN.replace('5933', '6044');
    const record = { runid: RUN, status: 'RUNNING', properties: { 'phase-1': inner } };
    const { platform, asked } = platformWith({
      [`GET ${ORDERS}/runs?limit=5000`]: { json: [record] },
      [`GET ${ORDERS}/runs/${RUN}`]: state('COMPLETED'),
    });
    const { waiting, told: events } = waitingOn(platform);
    const ended = await waitForRun(inner, foundPipeline(), { ...patience, mayBeInner: true }, waiting);
    expect([ended.runid, ended.status, asked.length]).toEqual([RUN, 'COMPLETED', 3]);
    expect(events).toEqual([told('RUNNING'), told('COMPLETED')]);
  });

  it('is gone where it was seen and does not show any more', async () => {
    expect(await failure(wait([state('RUNNING'), ABSENT]).ended)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is waited for through outages, each of which is told of once', async () => {
    const { ended, told: events } = wait([AWAY, AWAY, state('RUNNING'), AWAY, state('COMPLETED')], { outage: 1000 });
    expect((await ended).status).toBe('COMPLETED');
    expect(events).toEqual([LOST, told('RUNNING'), LOST, told('COMPLETED')]);
  });

  it('is waited for through an outage of more than an hour', async () => {
    const away = Array.from({ length: 20 }, () => AWAY);
    const replies = [state('RUNNING'), ...away, state('RUNNING'), state('KILLED')];
    const { ended, told: events, passed } = wait(replies, { interval: 300_000, timeout: 32_400_000 });
    expect((await ended).status).toBe('KILLED');
    expect(passed()).toBeGreaterThan(3_600_000);
    expect(events).toEqual([told('RUNNING'), LOST, told('KILLED')]);
  });

  it.each<[string, Partial<RunPatience>, number]>([
    ['as long as wanted', { outage: 3500 }, 3500],
    ['for as long as the wait lasts', { timeout: 6500 }, 6500],
  ])('is lost from sight where the platform is away %s', async (_, wanted, passed) => {
    const { ended, passed: time } = wait([AWAY], wanted);
    expect(await failure(ended)).toEqual({
      code: 'NET_REFUSED',
      message: `the platform does not respond, so the state of run ${RUN} is unknown: nobody there`,
      ...{ hints: [GO_ON], target },
    });
    expect(time()).toBe(passed);
  });

  it('is not waited for where the platform refuses to show it', async () => {
    const { ended, naps } = wait([{ status: 403 }, state('COMPLETED')]);
    expect(await failure(ended)).toMatchObject({ code: 'FORBIDDEN' });
    expect(naps).toEqual([]);
  });

  it('is not waited for once the wait is stopped', async () => {
    const { platform } = platformWith({ [`GET ${ORDERS}/runs/${RUN}`]: AWAY });
    const { waiting, told: events } = waitingOn(platform);
    const stopped = { ...waiting, signal: AbortSignal.abort(new CliError('INTERRUPTED', 'stopped')) };
    const error = await failure(waitForRun(RUN, foundPipeline(), patience, stopped));
    expect([error, events]).toEqual([{ code: 'NET_REFUSED', message: 'nobody there' }, []]);
  });
});

describe('the failure of a run', () => {
  it.each([
    ['FAILED', { starting: 10, end: 70 }, ' after 1m 00s'],
    ['KILLED', { starting: 10, end: 11 }, ' after 1 s'],
    ['REJECTED', { end: 11 }, ''],
    ['FAILED', { starting: 10 }, ''],
  ])('is that it is %s with the times %j', (status, times, after) => {
    const error = failureOfRun({ runid: RUN, status, properties: {}, ...times }, foundPipeline());
    expect({ code: error?.code, message: error?.message, ...error?.details }).toEqual({
      ...{ code: 'RUN_FAILED', message: `run ${RUN} of pipeline "orders" is ${status}${after}`, target },
      hints: [{ next: 'why-run', pipeline: 'etl/orders', run: RUN }],
    });
  });

  it.each(['COMPLETED', 'RUNNING', 'STOPPING'])('is none where it is %s', (status) => {
    expect(failureOfRun({ runid: RUN, status, properties: {} }, foundPipeline())).toBeUndefined();
  });
});
