import type { ScheduleDetails, ShownSwitch } from '../../output/views/schedules.js';
import { shownValue } from '../../core/secrets/shown-value.js';
import type { ScheduleFacts } from '../../services/schedules/details.js';
import { withNextRuns, type FoundSchedule, type ScheduleReader } from '../../services/schedules/find.js';
import type { SwitchOutcome } from '../../services/schedules/switch.js';

/** The outcome of each schedule; those that are active now with their next start. */
export async function shownSwitches(
  outcomes: readonly SwitchOutcome[],
  found: readonly FoundSchedule[],
  deps: ScheduleReader,
): Promise<readonly ShownSwitch[]> {
  const resumed = outcomes.filter(({ after, state }) => after === 'active' && state === 'changed');
  const active = found
    .filter((one) => resumed.some((other) => isSame(one, other)))
    .map((one): FoundSchedule => ({ ...one, status: 'active' }));
  const next = await withNextRuns(active, deps);
  return outcomes.map(({ error, ...outcome }) => {
    const { nextRun, nextRunAt } = next.find((one) => isSame(one, outcome)) ?? {};
    return {
      ...outcome,
      ...(error !== undefined && { message: error.message }),
      ...(nextRun !== undefined && { nextRun, nextRunAt }),
    };
  });
}

/** Whether two are about the same schedule. */
export const isSame = (
  one: Pick<FoundSchedule, 'namespace' | 'pipeline' | 'schedule'>,
  other: Pick<FoundSchedule, 'namespace' | 'pipeline' | 'schedule'>,
): boolean => one.namespace === other.namespace && one.pipeline === other.pipeline && one.schedule === other.schedule;

/** A schedule with its arguments as they may be shown. */
export const shownArguments = (facts: ScheduleFacts, showSecrets: boolean): ScheduleDetails['schedules'][number] => ({
  ...facts,
  properties: Object.fromEntries(
    Object.entries(facts.properties).map(([key, value]) => [key, shownValue(key, value, showSecrets)]),
  ),
});
