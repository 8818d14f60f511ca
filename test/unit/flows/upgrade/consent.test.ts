import { expect, it } from 'vitest';
import { agreeTo } from '../../../../src/flows/upgrade/consent.js';
import type { UpgradeDeps } from '../../../../src/flows/upgrade/upgrade-deps.js';
import { pipeline, resultOf } from '../../output/upgrade-result.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

it.each([
  [80, 'PIPELINE                        FROM   TO     PLUGINS  STATE', []],
  [42, 'PIPELINE             FROM   TO     STATE', ['1 column hidden: -o wide shows all']],
] as const)(
  'a plan on %d columns is shown before the prompt, and what had no room is told',
  async (columns, head, told) => {
    const stderr = { terminal: true, color: false, columns, unicode: true, utc: true };
    const terminal = fakeTerminal({ interactive: true, stderr });
    const context = { consent: { ask: async () => undefined } };
    const plan = resultOf([pipeline('x'.repeat(30), { state: 'planned' })], { state: 'planned' });
    const deps = { session: { terminal }, context, command: 'upgrade', isWhole: false } as unknown as UpgradeDeps;
    await agreeTo(deps, plan);
    const from = terminal.notes.indexOf(head);
    expect(terminal.notes.slice(from)).toEqual([head, expect.stringContaining('planned'), ...told]);
  },
);
