import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import { platformTransport } from '../../../../src/http/undici/undici-transport.js';
import { platformClient } from '../../../../src/platform/client.js';
import { findSchedules, listWithNextRuns } from '../../../../src/services/schedules/find.js';
import {
  failureOfSwitches,
  switchSchedules,
  type SwitchDeps,
  type SwitchOutcome,
} from '../../../../src/services/schedules/switch.js';
import { NEVER } from '../../../support/clock.js';
import { platformWith, told, type Replies } from '../pipelines/support.js';
import { openSettingsSite, type SettingsSite } from '../../../support/sites/settings-site.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const EVERYTHING = { namespaces: ['etl'], patterns: [] };

describe.each(['6.11.0', '6.1.1'] as const)('schedules of a platform %s', (version) => {
  let site: SettingsSite;
  let deps: SwitchDeps;
  let close: () => Promise<void>;

  beforeAll(async () => {
    site = await openSettingsSite(NAMES, {}, version);
    const options = {
      base: site.emulator.url,
      clock: systemClock,
      random: () => 0.5,
      userAgent: 'cdapctl/test',
      retries: 0,
    };
    const transport = platformTransport(options);
    close = () => transport.close();
    deps = {
      ...{ platform: platformClient(transport), clock: systemClock, signal: NEVER, stop: NEVER },
      wait: () => Promise.resolve(),
      emit: () => undefined,
      warnAs: 'SCHEDULE',
    };
  });

  afterAll(async () => {
    await close();
    await site.close();
  });

  async function found(): Promise<
    {
      readonly namespace: string;
      readonly pipeline: string;
      readonly schedule: string;
      readonly before: 'active' | 'suspended';
    }[]
  > {
    const all = [];
    for await (const batch of findSchedules(EVERYTHING, deps))
      for (const { namespace, pipeline, schedule, status } of batch)
        all.push({ namespace, pipeline, schedule, before: status });
    return all.sort((one, other) => (one.pipeline < other.pipeline ? -1 : 1));
  }

  const active = async (): Promise<string[]> =>
    (await found()).filter(({ before }) => before === 'active').map(({ pipeline }) => pipeline);
  const fail = (order: object): Promise<Response> =>
    fetch(`${site.emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(order) });

  beforeEach(async () => {
    await switchSchedules(await found(), 'active', deps);
    expect(await active()).toEqual(NAMES);
  });

  it('tell when they start next', async () => {
    const times = [];
    for await (const { nextRun } of listWithNextRuns(EVERYTHING, deps)) times.push(nextRun);
    expect(times.filter((time) => time !== undefined && time > Date.now())).toHaveLength(NAMES.length);
  });

  it.each(['before', 'after'])('are switched once where an answer is lost %s its effect', async (when) => {
    await fail({
      match: { method: 'POST', path: '/v3/namespaces/etl/apps/b/schedules/.*' },
      kind: 'reset',
      when,
      times: 1,
    });
    const outcomes = await switchSchedules(await found(), 'suspended', deps);
    expect(failureOfSwitches(outcomes, 'suspended', undefined)).toBeUndefined();
    expect(await active()).toEqual([]);
  });

  it('are left when somebody was faster, which is no failure', async () => {
    const targets = await found();
    await site.call('POST', '/namespaces/etl/apps/c/schedules/dataPipelineSchedule/suspend');
    const outcomes = await switchSchedules(targets, 'suspended', deps);
    expect(outcomes.find(({ pipeline }) => pipeline === 'c')?.state).toBe('unchanged');
    expect(failureOfSwitches(outcomes, 'suspended', undefined)).toBeUndefined();
  });

  it('are left alone once the token is rejected', async () => {
    await fail({
      match: { method: 'POST', path: '/v3/namespaces/etl/apps/.*' },
      kind: 'status',
      status: 401,
      when: 'before',
      times: 99,
    });
    const outcomes = await switchSchedules(await found(), 'suspended', deps);
    await fetch(`${site.emulator.url}/emulator/faults`, { method: 'DELETE' });
    expect(outcomes.filter(({ state }) => state === 'not-run').length).toBeGreaterThan(0);
    expect(failureOfSwitches(outcomes, 'suspended', undefined)).toMatchObject({ code: 'AUTH' });
    expect(await active()).toEqual(NAMES);
  });

  it('are left alone once the run is told to end, and the others are told', async () => {
    const ending = new AbortController();
    const reason = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
    const targets = await found();
    const stopping: SwitchDeps = {
      ...deps,
      stop: ending.signal,
      platform: {
        ...deps.platform,
        call: async (endpoint, parameters, signal) => {
          const answer = await deps.platform.call(endpoint, parameters, signal);
          if (endpoint.method === 'POST') ending.abort(reason);
          return answer;
        },
      },
    };
    const outcomes = await switchSchedules(targets, 'suspended', stopping);
    const done = outcomes.filter(({ state }) => state === 'changed').map(({ pipeline }) => pipeline);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(NAMES.length);
    expect(await active()).toEqual(NAMES.filter((name) => !done.includes(name)));
    expect(failureOfSwitches(outcomes, 'suspended', reason)).toMatchObject({
      code: 'INTERRUPTED',
      details: { lines: [`${done.length} of ${NAMES.length} schedules are suspended`] },
    });
  });
});

describe('the end of several switches', () => {
  const one = (state: SwitchOutcome['state'], error?: CliError): SwitchOutcome => ({
    ...{ namespace: 'etl', pipeline: 'a', schedule: 's', before: 'active', state },
    error,
  });
  const unknown = new CliError('UNKNOWN_OUTCOME', 'nobody knows');
  const missing = new CliError('NOT_FOUND', 'gone');
  const forbidden = new CliError('FORBIDDEN', 'no');

  it.each([
    ['all are as wanted', [one('changed'), one('unchanged')], undefined],
    ['one of one is refused', [one('failed', forbidden)], 'FORBIDDEN'],
    ['one of two is refused', [one('changed'), one('failed', forbidden)], 'PARTIAL'],
    ['P44: all are refused', [one('failed', forbidden), one('failed', forbidden)], 'FORBIDDEN'],
    ['all fail for two reasons', [one('failed', forbidden), one('failed', missing)], 'PARTIAL'],
    ['one is refused beside one that was so', [one('unchanged'), one('failed', forbidden)], 'FORBIDDEN'],
    ['of one nobody knows', [one('changed'), one('failed', forbidden), one('failed', unknown)], 'UNKNOWN_OUTCOME'],
  ] as const)('%s', (_, outcomes, code) => {
    expect(failureOfSwitches(outcomes, 'suspended', undefined)?.code).toBe(code);
  });
});

describe('the error that switches end with', () => {
  const one = (state: SwitchOutcome['state'], error?: CliError): SwitchOutcome => ({
    ...{ namespace: 'etl', pipeline: 'a', schedule: 's', before: 'active', state },
    error,
  });
  const forbidden = new CliError('FORBIDDEN', 'no');
  const away = new CliError('NET_REFUSED', 'nobody there', { target: { namespace: 'etl' } });
  const unknown = new CliError('UNKNOWN_OUTCOME', 'nobody knows', { hints: ['x'] });
  const stopped = new CliError('INTERRUPTED', 'stopped');
  const hints = ['to continue, run the same command again'];

  it.each<[string, readonly SwitchOutcome[], unknown, object | undefined]>([
    ['one is refused', [one('failed', forbidden)], undefined, { code: 'FORBIDDEN', message: 'no' }],
    [
      'some are',
      [one('changed'), one('failed', forbidden), one('failed', away), one('unchanged')],
      undefined,
      { code: 'PARTIAL', message: '2 of 4 schedules are suspended', lines: ['no', 'nobody there'], hints },
    ],
    [
      'the platform cannot be reached at all',
      [one('unchanged'), one('failed', away), one('not-run')],
      undefined,
      {
        ...{ code: 'NET_REFUSED', message: 'nobody there', target: { namespace: 'etl' } },
        ...{ lines: ['1 of 3 schedules are suspended'], hints },
      },
    ],
    [
      'it cannot be reached after a change',
      [one('changed'), one('failed', away), one('not-run')],
      undefined,
      { code: 'PARTIAL', message: '1 of 3 schedules are suspended', lines: ['nobody there'], hints },
    ],
    [
      'of one nobody knows',
      [one('changed'), one('failed', forbidden), one('failed', unknown)],
      undefined,
      { code: 'UNKNOWN_OUTCOME', message: 'nobody knows', lines: ['1 of 3 schedules are suspended'], hints },
    ],
    [
      'they were stopped',
      [one('changed'), one('failed', forbidden), one('not-run')],
      stopped,
      { code: 'INTERRUPTED', message: 'stopped', lines: ['1 of 3 schedules are suspended', 'no'], hints },
    ],
    ['all were done when they were stopped', [one('changed')], stopped, undefined],
    ['they were stopped by nothing known', [one('changed'), one('not-run')], undefined, undefined],
  ])('where %s', (_, outcomes, by, expected) => {
    const error = failureOfSwitches(outcomes, 'suspended', by);
    expect(error && told(error)).toEqual(expected);
  });
});

describe('a schedule that is switched', () => {
  const PLACE = '/v3/namespaces/etl/apps/a/schedules/s';
  const target = { namespace: 'etl', pipeline: 'a', schedule: 's', before: 'active' } as const;
  const run = async (replies: Replies, wanted: 'active' | 'suspended' = 'suspended') => {
    const { platform, asked } = platformWith(replies);
    const before = wanted === 'active' ? ('suspended' as const) : ('active' as const);
    const deps = {
      platform,
      clock: systemClock,
      signal: NEVER,
      stop: NEVER,
      wait: async () => undefined,
      emit: () => undefined,
      warnAs: 'SCHEDULE',
    };
    const [outcome] = await switchSchedules([{ ...target, before }], wanted, deps);
    return { outcome: outcome && { ...outcome, error: outcome.error && told(outcome.error) }, asked };
  };
  const is = (status: string): Replies => ({ [`GET ${PLACE}/status`]: { json: { status } } });

  it.each([
    ['active', 'SCHEDULED', 'resume'],
    ['suspended', 'SUSPENDED', 'suspend'],
  ] as const)('is %s afterwards', async (wanted, status, word) => {
    const { outcome, asked } = await run({ ...is(status), [`POST ${PLACE}/${word}`]: { status: 200 } }, wanted);
    expect(outcome).toMatchObject({ after: wanted, state: 'changed' });
    expect(asked).toEqual([`POST ${PLACE}/${word}`, `GET ${PLACE}/status`]);
  });

  it('was so already where the platform says so', async () => {
    const { outcome } = await run({ ...is('SUSPENDED'), [`POST ${PLACE}/suspend`]: { status: 409 } });
    expect(outcome).toEqual({ ...target, after: 'suspended', state: 'unchanged' });
  });

  it.each([200, 409])('is an error where it is still not so after %s', async (status) => {
    const { outcome } = await run({ ...is('SCHEDULED'), [`POST ${PLACE}/suspend`]: { status } });
    const message = 'schedule s of pipeline a is still not suspended';
    const error = { code: 'REMOTE_FAILED', message, target: { namespace: 'etl', pipeline: 'a' } };
    expect(outcome).toEqual({ ...target, state: 'failed', error });
  });

  it('P47: has an unknown outcome where it cannot be read back, and is so already in the next run', async () => {
    const away = new CliError('NET_REFUSED', 'connection refused', { sent: 'no' });
    const { outcome, asked } = await run({
      [`POST ${PLACE}/suspend`]: { status: 200 },
      [`GET ${PLACE}/status`]: away,
    });
    expect(asked).toEqual([`POST ${PLACE}/suspend`, `GET ${PLACE}/status`]);
    expect(outcome?.error).toEqual({
      ...{ code: 'UNKNOWN_OUTCOME', target: { namespace: 'etl', pipeline: 'a' } },
      message: 'the request for schedule s of pipeline a was sent, but its status could not be read',
      ...{ lines: ['connection refused'], hints: ['to continue, run the same command again'] },
    });
    const next = await run({ ...is('SUSPENDED'), [`POST ${PLACE}/suspend`]: { status: 409 } });
    expect(next.outcome?.state).toBe('unchanged');
  });

  it('fails as the look does where the platform had nothing to change', async () => {
    const { outcome } = await run({
      [`POST ${PLACE}/suspend`]: { status: 409 },
      [`GET ${PLACE}/status`]: { status: 403 },
    });
    expect(outcome?.error).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('has an unknown outcome by its name', async () => {
    const { outcome } = await run({
      [`POST ${PLACE}/suspend`]: new CliError('NET_RESET', 'broke', { sent: 'unknown' }),
    });
    expect(outcome?.error).toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      message: 'the request to suspend s of a was sent, but it is unknown whether the platform applied it',
    });
  });
});
