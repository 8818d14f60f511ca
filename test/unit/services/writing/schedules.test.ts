import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../../src/platform/client.js';
import { listSchedules, resumeSchedule } from '../../../../src/platform/schedules.js';
import { restoreStatuses } from '../../../../src/services/writing/schedules.js';
import { contextWith, errorWith, NO_PLATFORM } from '../install/support.js';

/** A platform with these schedules; `deaf` ones cannot be switched. */
function platformWith(statuses: Readonly<Record<string, string>>, deaf: readonly string[] = []) {
  const now = new Map(Object.entries(statuses));
  const platform: Platform = {
    ...NO_PLATFORM,
    call: async (endpoint, parameters) => {
      if ((endpoint as unknown) === listSchedules) return [...now].map(([name, status]) => ({ name, status })) as never;
      const { schedule } = parameters as { schedule: string };
      if (deaf.includes(schedule)) throw errorWith('FORBIDDEN');
      now.set(schedule, (endpoint as unknown) === resumeSchedule ? 'SCHEDULED' : 'SUSPENDED');
      return undefined as never;
    },
  };
  return { platform, now };
}

const PIPELINE = { kind: 'pipeline', name: 'p' } as const;

describe('restoring schedules', () => {
  it('resumes and suspends what changed', async () => {
    const { platform, now } = platformWith({ a: 'SUSPENDED', b: 'SCHEDULED', c: 'SUSPENDED' });
    const context = contextWith({ platform });
    await restoreStatuses(PIPELINE, { a: 'SCHEDULED', b: 'SUSPENDED' }, context);
    expect(Object.fromEntries(now)).toEqual({ a: 'SCHEDULED', b: 'SUSPENDED', c: 'SUSPENDED' });
    expect(context.warnings).toEqual([
      'schedules of pipeline p are set back to their status before the deploy: a (active), b (suspended)',
    ]);
  });

  it('says nothing where all are as before', async () => {
    const { platform } = platformWith({ a: 'SCHEDULED', b: 'SUSPENDED' });
    const context = contextWith({ platform });
    await restoreStatuses(PIPELINE, { a: 'SCHEDULED' }, context);
    expect(context.warnings).toEqual([]);
  });

  it('warns of a schedule that is gone, and restores the others', async () => {
    const { platform, now } = platformWith({ b: 'SUSPENDED' });
    const context = contextWith({ platform });
    await restoreStatuses(PIPELINE, { a: 'SCHEDULED', b: 'SCHEDULED' }, context);
    expect(now.get('b')).toBe('SCHEDULED');
    expect(context.warnings).toEqual([
      'schedules of pipeline p are set back to their status before the deploy: b (active)',
      'pipeline p no longer has these schedules: a',
    ]);
  });

  it('fails with the names of those that could not be restored, and requests that make them what they were', async () => {
    const { platform } = platformWith({ a: 'SUSPENDED', 'b b': 'SUSPENDED', c: 'SCHEDULED' }, ['b b', 'c']);
    const before = { a: 'SCHEDULED', 'b b': 'SCHEDULED', c: 'SUSPENDED' };
    const restoring = restoreStatuses(PIPELINE, before, contextWith({ platform }));
    await expect(restoring).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
      message: 'schedules of pipeline p differ from before its deploy: b b, c',
      details: {
        hints: [
          'run the same command again',
          'or fix it manually:',
          'POST /v3/namespaces/default/apps/p/schedules/b%20b/resume',
          'POST /v3/namespaces/default/apps/p/schedules/c/suspend',
        ],
      },
    });
  });
});
