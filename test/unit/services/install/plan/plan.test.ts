import { describe, expect, it } from 'vitest';
import type { FlaggedGap } from '../../../../../src/services/catalog/open-inputs.js';
import type { Observation, PreparedAction, Step, StepContext } from '../../../../../src/services/install/action.js';
import { stepKey } from '../../../../../src/services/install/journal/step-history.js';
import { refuseNamespace } from '../../../../../src/services/install/namespace.js';
import { observeAll } from '../../../../../src/services/install/plan/observe.js';
import { planInstall } from '../../../../../src/services/install/plan/plan.js';
import type { InstallEntry } from '../../../../../src/state/install-journal.js';
import { NEVER } from '../../../../support/clock.js';
import { codeOf, thrownBy } from '../../../../support/errors.js';
import { inMemory } from '../../in-memory-platform.js';
import { action, COMMANDS, errorWith, NO_PLATFORM, observed, prepared } from '../support.js';

const identity = {
  package: { name: 'p', version: '1', hub: 'h', label: 'P' },
  target: { url: 'u', namespace: 'default', namespaceFrom: 'the default' },
};
const actions = [action(1, 'create_pipeline'), { ...action(2, 'informational'), label: undefined }];
const read: PreparedAction = {
  ...{ n: 2, type: 'informational', label: 'read', target: { kind: 'none', name: '' }, inputs: {} },
  ...{ texts: ['do this'], notices: ['odd'] },
};
const copy = prepared(1, 'copy');
const differs: Observation = { state: 'differs', effect: 'overwrite', consent: 'overwrite pipeline copy' };
const COPY = {
  ...{ n: 1, type: 'create_pipeline', label: 'Label 1', state: 'planned', effect: 'absent', writes: true },
  ...{ target: { kind: 'pipeline', name: 'copy' }, texts: [], notices: [], inputs: { name: 'copy' } },
};
const READ = {
  ...{ n: 2, type: 'informational', label: 'informational', state: 'planned', effect: 'shows text, no request' },
  ...{ writes: false, target: { kind: 'none', name: '' }, texts: ['do this'], notices: ['odd'], inputs: {} },
};
const SKIPPED = {
  ...{ n: 1, type: 'create_pipeline', label: 'Label 1', state: 'skipped', target: { kind: 'none', name: '' } },
  ...{ effect: 'skipped', writes: false, texts: [], notices: [], inputs: {} },
};
const gap = (changes: object): FlaggedGap => ({
  kind: 'argument',
  n: 1,
  type: 'create_pipeline',
  label: 'x',
  name: 'name',
  flag: '--set 1.name=TEXT',
  ...changes,
});
const NEEDED = gap({});
const PROPOSED = gap({ proposal: 'copy' });
const LICENSE: FlaggedGap = { kind: 'license', file: 'L', flag: '--accept-license' };

const looked = (observation: Observation | undefined): ReadonlyMap<number, Observation> =>
  new Map(observation === undefined ? [] : [[1, observation]]);

describe('a plan', () => {
  it('is of all actions in their order', () => {
    const all = [copy, read];
    expect(planInstall(identity, actions, all, looked(observed('absent')), false)).toEqual({
      ...identity,
      actions: [COPY, READ],
      consents: [],
      overwriting: new Set(),
      prepared: all,
      open: [],
    });
  });

  it.each<[string, Observation | undefined, object]>([
    ['is there', observed('done'), { effect: 'done', writes: false }],
    ['is overwritten', differs, { effect: 'overwrite', writes: true }],
    ['was not looked at', undefined, { effect: 'not checked (offline)', writes: false }],
  ])('says of an action whose target %s', (_, observation, changes) => {
    const plan = planInstall(identity, actions, [copy, read], looked(observation), false);
    expect(plan.actions).toEqual([{ ...COPY, ...changes }, READ]);
  });

  it('has to be agreed to where it overwrites, or where nothing is verified', () => {
    const consents = (observation: Observation, unverified: boolean) => {
      const plan = planInstall(identity, actions, [copy], looked(observation), unverified);
      return [plan.consents, [...plan.overwriting]];
    };
    const blind = 'install p 1 without a trusted signature';
    expect(consents(differs, false)).toEqual([['overwrite pipeline copy'], [1]]);
    expect(consents(differs, true)).toEqual([[blind, 'overwrite pipeline copy'], [1]]);
    expect(consents(observed('absent'), true)).toEqual([[blind], []]);
  });

  it.each<[string, readonly FlaggedGap[], object]>([
    ['nothing', [], SKIPPED],
    ['something of another action', [gap({ n: 2 })], SKIPPED],
    ['a license', [LICENSE], SKIPPED],
    ['a proposal', [PROPOSED], SKIPPED],
    ['an argument', [NEEDED], { ...SKIPPED, state: 'planned', effect: 'needs --set 1.name=TEXT', writes: true }],
    [
      'two arguments',
      [NEEDED, gap({ flag: '--jar 1=FILE', kind: 'jar' })],
      { ...SKIPPED, state: 'planned', effect: 'needs --set 1.name=TEXT --jar 1=FILE', writes: true },
    ],
  ])('of an action that is not prepared lacks %s', (_, open, expected) => {
    expect(planInstall(identity, actions, [read], looked(undefined), false, open).actions).toEqual([expected, READ]);
  });

  it('shows the proposals that nobody was asked about', () => {
    const open = [PROPOSED, gap({ name: 'other', proposal: 'x' }), gap({ n: 2, proposal: 'not here' })];
    const [line] = planInstall(identity, actions, [copy], looked(observed('absent')), false, open).actions;
    expect(line?.effect).toBe('absent (name: copy, other: x)');
  });

  it.each<[readonly FlaggedGap[], boolean]>([
    [[], true],
    [[PROPOSED], true],
    [[LICENSE], true],
    [[LICENSE, PROPOSED], true],
    [[NEEDED], false],
    [[PROPOSED, NEEDED], false],
  ])('with %j open fails for a refused action: %s', (open, fails) => {
    const error = errorWith('INCOMPATIBLE');
    const refused: Observation = { state: 'refused', effect: 'no', error };
    const plan = () => planInstall(identity, actions, [copy, read], looked(refused), false, open);
    if (fails) expect(thrownBy(plan)).toBe(error);
    else expect(plan().actions[0]).toMatchObject({ effect: expect.stringMatching(/^no/u) as string, writes: true });
  });
});

const at = '2025-06-01T12:00:00Z';
const jar = { file: '/a.jar', bytes: 1, sha256: 'f' };

/** Looks with steps that keep what they were given. */
async function observe(
  observations: readonly Observation[],
  {
    entries = [],
    again = false,
    withJar = false,
  }: { entries?: readonly InstallEntry[]; again?: boolean; withJar?: boolean } = {},
) {
  const contexts: StepContext[] = [];
  const jars: unknown[] = [];
  const all = observations.map((observation, index): PreparedAction => {
    const { step, ...rest } = prepared(index + 1, `p${index + 1}`);
    const look: Step['observe'] = async (context) => {
      contexts.push(context);
      return observation;
    };
    return step === undefined
      ? rest
      : { ...rest, step: { ...step, observe: look, ...(withJar && { jar: { kind: 'hub', name: 'a.jar' } }) } };
  });
  const seen = await observeAll([...all, { ...read, n: 9 }], {
    platform: NO_PLATFORM,
    namespace: 'default',
    capabilities: {} as never,
    force: true,
    again,
    entries,
    jar: async (source) => {
      jars.push(source);
      return jar;
    },
    commands: COMMANDS,
    signal: NEVER,
  });
  return { seen, contexts, jars, all };
}

describe('looking for a plan', () => {
  it('sees of each step what the earlier ones will have made, but for refused ones', async () => {
    const refused: Observation = { state: 'refused', effect: '', error: errorWith('CONFLICT') };
    const three = [observed('absent'), refused, observed('done')];
    const { seen, contexts } = await observe([...three, differs]);
    expect([...seen]).toEqual([...three, differs].map((one, index) => [index + 1, one]));
    const names = contexts.map(({ upcoming }) => upcoming.map(({ name }) => name));
    expect(names).toEqual([[], ['p1'], ['p1'], ['p1', 'p3']]);
    expect(contexts[0]).toMatchObject({
      platform: NO_PLATFORM,
      namespace: 'default',
      force: true,
      again: false,
      commands: COMMANDS,
    });
  });

  it('writes, notes and waits for nothing', async () => {
    const { contexts } = await observe([observed('absent')]);
    const [context] = contexts;
    await expect(context?.note('a', 1)).rejects.toThrow('a plan writes nothing');
    await expect(context?.wait(1)).rejects.toThrow('a plan writes nothing');
    expect([context?.clock.monotonic(), context?.emit({ type: 'note', message: 'x' })]).toEqual([0, undefined]);
  });

  it('fetches a JAR only where the journal knows the action, and knows what was done with it', async () => {
    const unknown = await observe([observed('absent')], { withJar: true });
    expect([unknown.jars, unknown.contexts[0]?.jar]).toEqual([[], undefined]);
    const [one] = unknown.all;
    if (one === undefined) throw new Error('there is no action');
    const entry = (n: number, key: string): InstallEntry => ({ v: 1, type: 'step', n, key, state: 'done', at });
    const known = await observe([observed('absent')], { withJar: true, entries: [entry(1, stepKey(one, jar))] });
    expect([known.jars, known.contexts[0]?.jar]).toEqual([[{ kind: 'hub', name: 'a.jar' }], jar]);
    expect(known.contexts[0]?.history).toMatchObject({ begun: true, done: true });
    const other = await observe([observed('absent')], { withJar: true, entries: [entry(2, stepKey(one, jar))] });
    expect([other.jars, other.contexts[0]?.history.done]).toEqual([[], false]);
  });

  it.each([
    ['forgets what was done', [], false],
    ['forgets it for other actions than those of the run that stopped', [1, 2], false],
    ['knows it where it goes on', [1], true],
  ])('once more %s', async (_, stopped, done) => {
    const { all } = await observe([observed('absent')]);
    const [one] = all;
    if (one === undefined) throw new Error('there is no action');
    const begun: InstallEntry = { v: 1, type: 'again', state: 'begun', actions: stopped, at };
    const entries: InstallEntry[] = [
      ...(stopped.length > 0 ? [begun] : []),
      { v: 1, type: 'step', n: 1, key: stepKey(one, undefined), state: 'done', at },
    ];
    const { contexts } = await observe([observed('absent')], { entries, again: true });
    expect([contexts[0]?.again, contexts[0]?.history.done]).toEqual([true, done]);
  });
});

describe('the namespace of an install', () => {
  it('must be there', async () => {
    const { platform } = inMemory({ namespaces: ['etl'] });
    await expect(refuseNamespace({ platform, namespace: 'etl' }, NEVER)).resolves.toBeUndefined();
    expect(await codeOf(refuseNamespace({ platform, namespace: 'none' }, NEVER))).toBe('NOT_FOUND');
  });
});
