import type { ScheduleDetails, ShownSwitch } from '../../output/views/schedules.js';
import { shownValue } from '../../core/secrets/shown-value.js';
import type { ScheduleFacts } from '../../services/schedules/details.js';
import { scheduleKey, withNextRuns, type FoundSchedule, type ScheduleReader } from '../../services/schedules/find.js';
import type { SwitchOutcome } from '../../services/schedules/switch.js';

/** The outcome of each schedule; those that are active now with their next start. */
export async function shownSwitches(
  outcomes: readonly SwitchOutcome[],
  found: readonly FoundSchedule[],
  deps: ScheduleReader,
): Promise<readonly ShownSwitch[]> {
  const resumed = new Set(
    outcomes.filter(({ after, state }) => after === 'active' && state === 'changed').map(scheduleKey),
  );
  const active = found
    .filter((one) => resumed.has(scheduleKey(one)))
    .map((one): FoundSchedule => ({ ...one, status: 'active' }));
  const next = new Map((await withNextRuns(active, deps)).map((one) => [scheduleKey(one), one]));
  return outcomes.map(({ error, ...outcome }) => {
    const { nextRun, nextRunAt } = next.get(scheduleKey(outcome)) ?? {};
    return {
      ...outcome,
      ...(error !== undefined && { message: error.message }),
      ...(nextRun !== undefined && { nextRun, nextRunAt }),
    };
  });
}

/** A schedule with its arguments as they may be shown. */
export const shownArguments = (facts: ScheduleFacts, showSecrets: boolean): ScheduleDetails['schedules'][number] => ({
  ...facts,
  properties: Object.fromEntries(
    Object.entries(facts.properties).map(([key, value]) => [key, shownValue(key, value, showSecrets)]),
  ),
});
