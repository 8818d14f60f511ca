import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import { change, type Found, type ScheduleRun } from '../../../../src/flows/schedules/change.js';
import { errorOf, saidBy } from '../../../support/errors.js';
import { NEVER } from '../../../support/clock.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';
import { platformWith } from '../../services/pipelines/support.js';

const named = (pipeline: string, status: 'active' | 'suspended'): Found[number] => {
  return { namespace: 'etl', pipeline, schedule: 'nightly', status, detail: { name: 'nightly' } };
};
const orders = named('orders', 'active');
const clicks = named('clicks', 'active');

it.each([
  ['appeared', [orders], [orders, clicks]],
  ['appeared where there was nothing to suspend', [], [clicks]],
  ['was resumed', [orders, named('clicks', 'suspended')], [orders, clicks]],
])('does not suspend a schedule that %s after the confirmation', async (_, before, after) => {
  const { platform, asked } = platformWith({});
  const run = {
    session: { argv: [], clock: systemClock, signal: NEVER, terminal: fakeTerminal({}), writing: new Set() },
    context: {
      consent: { ask: async () => undefined },
      emit: () => undefined,
      stateFolder: mkdtempSync(join(tmpdir(), 'cdapctl-tests-')),
    },
    target: { platform, url: 'http://127.0.0.1:1', namespace: 'etl' },
    wanted: 'suspended',
    dryRun: false,
  } as unknown as ScheduleRun;
  const looks: Found[] = [before, after];
  const steps = { find: async () => looks.shift() ?? [], locks: [] };
  expect(saidBy(await errorOf(change(run, steps)))).toEqual({
    code: 'CHANGED_MEANWHILE',
    message: 'schedule nightly of etl/clicks was not active before',
    hints: ['run the same command again'],
    target: { namespace: 'etl', pipeline: 'clicks' },
  });
  expect(asked).toEqual([]);
});
