import { expect, it } from 'vitest';
import { shownSwitches } from '../../../../src/flows/schedules/show.js';
import type { FoundSchedule } from '../../../../src/services/schedules/find.js';
import type { SwitchOutcome } from '../../../../src/services/schedules/switch.js';
import { NEVER } from '../../../support/clock.js';
import { platformWith } from '../../services/pipelines/support.js';

it('looks at each of many schedules a few times, not once for each other one', async () => {
  const many = 200;
  let looks = 0;
  const numbered = <T extends object>(members: T, at: number): T & { readonly pipeline: string } =>
    Object.defineProperty({ ...members, pipeline: '' }, 'pipeline', {
      enumerable: true,
      get: () => {
        looks += 1;
        return `p${at}`;
      },
    });
  const numbers = Array.from({ length: many }, (_, at) => at);
  const one = { namespace: 'etl', schedule: 's' };
  const found = numbers.map((at): FoundSchedule =>
    numbered({ ...one, status: 'suspended' as const, detail: { name: 's' } }, at),
  );
  const outcomes = numbers.map((at): SwitchOutcome =>
    numbered({ ...one, before: 'suspended' as const, after: 'active' as const, state: 'changed' as const }, at),
  );
  const shown = await shownSwitches(outcomes, found, { platform: platformWith({}).platform, signal: NEVER });
  expect(shown.map(({ pipeline }) => pipeline)).toEqual(numbers.map((at) => `p${at}`));
  expect(looks).toBeLessThan(20 * many);
});
