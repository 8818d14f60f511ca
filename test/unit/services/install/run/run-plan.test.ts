import { describe, expect, it } from 'vitest';
import type { PreparedAction } from '../../../../../src/services/install/action.js';
import { planInstall } from '../../../../../src/services/install/plan/plan.js';
import { plannedResult, trustOf } from '../../../../../src/services/install/plan/planned-result.js';
import { runPlan, type RunPlanOptions } from '../../../../../src/services/install/run/run-plan.js';
import type { InstallEntry } from '../../../../../src/state/install-journal.js';
import { CLOCK, inMemory, NEVER } from '../../in-memory-platform.js';
import { action, COMMANDS, errorWith, observed, prepared } from '../support.js';
import { saidBy } from '../../../../support/errors.js';

const IDENTITY = {
  package: { name: 'p', version: '1', hub: 'h', label: 'P' },
  target: { url: 'u', namespace: 'default', namespaceFrom: 'the default' },
};
const RETRY = 'cdapctl install p';
const TRUST = { ...trustOf('require', [], 7), verified: true, fingerprints: ['A'] };

/** Runs a plan of two actions of which the journal knows nothing; a third may have been left out. */
async function run(first: Partial<PreparedAction['step'] & object>, leftOut: readonly number[] = []) {
  const one = prepared(1, 'p1');
  const steps = [{ ...one, ...(one.step && { step: { ...one.step, ...first } }) }, prepared(2, 'p2')];
  const actions = [1, 2].map((n) => action(n, 'create_pipeline'));
  const looked = new Map([1, 2].map((n) => [n, observed('absent')] as const));
  const plan = planInstall(IDENTITY, actions, steps, looked, false);
  const entries: InstallEntry[] = [];
  let closed = 0;
  const journal = {
    ...{ file: '', entries, append: async (entry: InstallEntry) => void entries.push(entry) },
    close: async () => void (closed += 1),
  };
  const site = inMemory({});
  const all = [...actions, ...leftOut.map((n) => action(n, 'create_pipeline'))];
  const options = {
    ...{ plan, planned: plannedResult(plan, trustOf('require', [], undefined)), retry: RETRY, commands: COMMANDS },
    ...{ platform: site.platform, namespace: 'default', capabilities: site.capabilities, again: false, force: false },
    ...{ clock: CLOCK, emit: () => undefined, stop: NEVER },
    opened: { specification: { actions: all }, staging: {} },
  } as unknown as RunPlanOptions;
  const end = await runPlan({ journal, trust: TRUST }, options).catch((error: unknown) => error);
  return { end: end as Awaited<ReturnType<typeof runPlan>>, entries, closed };
}

describe('a plan that is carried out', () => {
  it('has the trust of what was staged, and the end of all in its journal, which is closed', async () => {
    const { end, entries, closed } = await run({});
    expect(end.failure).toBeUndefined();
    expect(end.result).toMatchObject({ ...IDENTITY, trust: TRUST, state: 'installed' });
    expect(end.result.actions.map(({ n, state }) => [n, state])).toEqual([
      [1, 'done'],
      [2, 'done'],
    ]);
    expect(entries.at(-1)).toMatchObject({ type: 'finished', verified: true });
    expect(closed).toBe(1);
  });

  it('has no end in its journal while an action was left out', async () => {
    expect((await run({}, [3])).entries.at(-1)).toMatchObject({ type: 'step', n: 2, state: 'done' });
  });

  it('that stops says how it is continued, and closes its journal', async () => {
    const { end, closed } = await run({ observe: async () => Promise.reject(errorWith('FORBIDDEN', 'not allowed')) });
    expect(end.result).toMatchObject({ state: 'failed', retry: RETRY });
    expect(end.failure && saidBy(end.failure)).toMatchObject({ code: 'FORBIDDEN', hints: [RETRY] });
    expect(closed).toBe(1);
  });
});
