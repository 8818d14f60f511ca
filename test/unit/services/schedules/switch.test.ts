import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import { platformTransport } from '../../../../src/http/undici-transport.js';
import { platformClient } from '../../../../src/platform/client.js';
import { findSchedules, listWithNextRuns } from '../../../../src/services/schedules/find.js';
import {
  failureOfSwitches,
  switchSchedules,
  type SwitchDeps,
  type SwitchOutcome,
} from '../../../../src/services/schedules/switch.js';
import { NEVER } from '../../../support/clock.js';
import { openSettingsSite, type SettingsSite } from '../../../support/settings-site.js';

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
      warn: () => undefined,
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
  const forbidden = new CliError('FORBIDDEN', 'no');

  it.each([
    ['all are as wanted', [one('changed'), one('unchanged')], undefined],
    ['one of one is refused', [one('failed', forbidden)], 'FORBIDDEN'],
    ['one of two is refused', [one('changed'), one('failed', forbidden)], 'PARTIAL'],
    ['all are refused', [one('failed', forbidden), one('failed', forbidden)], 'PARTIAL'],
    ['of one nobody knows', [one('changed'), one('failed', forbidden), one('failed', unknown)], 'UNKNOWN_OUTCOME'],
  ] as const)('%s', (_, outcomes, code) => {
    expect(failureOfSwitches(outcomes, 'suspended', undefined)?.code).toBe(code);
  });
});
