import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { Platform } from '../../../../src/platform/client.js';
import { listSchedules, resumeSchedule } from '../../../../src/platform/schedules.js';
import { keepSchedules, settleSchedules } from '../../../../src/services/install/kept-schedules.js';
import { contextWith, errorWith } from './support.js';

const PIPELINE = { kind: 'pipeline', name: 'copy' } as const;
const BEFORE = { hourly: 'SCHEDULED', nightly: 'SUSPENDED' };

/** A platform with two schedules, a deploy that suspends them, and a journal. */
function setUp() {
  const now = new Map<string, string>(Object.entries(BEFORE));
  const facts = new Map<string, unknown>();
  const platform: Platform = {
    base: 'http://platform.example',
    find: async () => Promise.reject(new Error('not asked for')),
    call: async (endpoint, parameters) => {
      if ((endpoint as unknown) === listSchedules) return [...now].map(([name, status]) => ({ name, status })) as never;
      const { schedule } = parameters as { schedule: string };
      now.set(schedule, (endpoint as unknown) === resumeSchedule ? 'SCHEDULED' : 'SUSPENDED');
      return '' as never;
    },
  };
  const context = contextWith({
    platform,
    history: { begun: false, done: false, facts },
    note: async (name, value) => void facts.set(name, value),
  });
  const suspend = (): void => {
    for (const name of now.keys()) now.set(name, 'SUSPENDED');
  };
  const deploy = (error?: CliError) => async (): Promise<void> => {
    suspend();
    if (error !== undefined) throw error;
  };
  return { now, facts, context, deploy, suspend };
}

const refused = (status: number): CliError =>
  new CliError('REMOTE_FAILED', 'no', { request: { method: 'PUT', url: 'http://platform.example/x', status } });

describe('schedules of a pipeline that is deployed over', () => {
  it('are suspended by the deploy and come back when it is settled', async () => {
    const { now, context, deploy } = setUp();
    await keepSchedules(PIPELINE, context, deploy());
    expect(Object.fromEntries(now)).toEqual({ hourly: 'SUSPENDED', nightly: 'SUSPENDED' });
    await settleSchedules(PIPELINE, context);
    expect(Object.fromEntries(now)).toEqual(BEFORE);
  });

  it('are known to the journal before the deploy, and the statuses of an attempt that was cut off win', async () => {
    const { now, facts, context, deploy, suspend } = setUp();
    facts.set('schedules', BEFORE);
    suspend();
    await keepSchedules(PIPELINE, context, deploy());
    await settleSchedules(PIPELINE, context);
    expect(Object.fromEntries(now)).toEqual(BEFORE);
  });

  it.each<[string, CliError, object, object]>([
    ['come back after a deploy that failed half way, and are forgotten', refused(500), BEFORE, {}],
    [
      'are left as they are after a deploy that did not begin, and are forgotten',
      refused(403),
      { hourly: 'SUSPENDED', nightly: 'SUSPENDED' },
      {},
    ],
    [
      'stay in the journal where nobody knows what became of the deploy',
      errorWith('UNKNOWN_OUTCOME'),
      { hourly: 'SUSPENDED', nightly: 'SUSPENDED' },
      BEFORE,
    ],
  ])('%s', async (_, error, statuses, noted) => {
    const { now, facts, context, deploy } = setUp();
    await expect(keepSchedules(PIPELINE, context, deploy(error))).rejects.toBe(error);
    expect(Object.fromEntries(now)).toEqual(statuses);
    expect(facts.get('schedules')).toEqual(noted);
  });

  it('stay in the journal where they cannot be restored, which is told', async () => {
    const { facts, context, deploy } = setUp();
    const platform = { ...context.platform };
    const failing = { ...context, platform };
    const error = refused(500);
    const broken = async (): Promise<void> => {
      platform.call = async () => Promise.reject(new CliError('NET_RESET', 'cut'));
      await deploy(error)();
    };
    await expect(keepSchedules(PIPELINE, failing, broken)).rejects.toBe(error);
    expect(facts.get('schedules')).toEqual(BEFORE);
    expect(context.warnings).toEqual([
      expect.stringMatching(/^the next run restores the schedules of pipeline copy: ./u),
    ]);
  });

  it('of which the journal has nothing are not touched', async () => {
    const { now, context, suspend } = setUp();
    suspend();
    await settleSchedules(PIPELINE, context);
    expect(now.get('hourly')).toBe('SUSPENDED');
  });
});
