import { describe, expect, it } from 'vitest';
import { planUninstall, samePlan, type Decision, type ItemFacts } from '../../../../src/services/installed/plan.js';
import type { LedgerItem } from '../../../../src/state/ledger.js';
import { thrownBy } from '../../../support/errors.js';

const AS = 'a'.repeat(64);

type Changes = { readonly [K in keyof LedgerItem]?: LedgerItem[K] | undefined };

const item = (kind: string, name: string, changes: Changes = {}): LedgerItem =>
  ({
    kind,
    name,
    ...(kind === 'artifact' || kind === 'application' ? { version: '1.0.0' } : {}),
    actions: [1],
    origin: 'created',
    standing: 'live',
    as: AS,
    ...changes,
  }) as LedgerItem;

const facts = (of: LedgerItem, changes: Partial<ItemFacts> = {}): ItemFacts => ({
  item: of,
  standing: { state: 'present', as: AS },
  applications: of.kind === 'pipeline' ? [of.name] : [],
  running: [],
  scheduled: [],
  neededBy: [],
  usedBy: [],
  ...changes,
});

const artifact = (name: string, changes: Partial<ItemFacts> = {}): ItemFacts => facts(item('artifact', name), changes);
const pipeline = (name: string, changes: Partial<ItemFacts> = {}): ItemFacts => facts(item('pipeline', name), changes);

const fate = (decision: Decision): string =>
  [decision.item.name, decision.action, ...(decision.action === 'leave' ? [decision.reason] : [])].join(' ');

const plan = (...all: readonly ItemFacts[]): readonly string[] => planUninstall(all, 'default').map(fate);

it.each<[string, readonly Decision[], boolean]>([
  ['the same', [{ item: item('artifact', 'a'), action: 'remove' }], true],
  ['another item', [{ item: item('artifact', 'b'), action: 'remove' }], false],
  ['another fate', [{ item: item('artifact', 'a'), action: 'gone' }], false],
  ['nothing', [], false],
])('a plan to remove an artifact is not that to do %s', (_, other, isSame) => {
  const plan: readonly Decision[] = [{ item: item('artifact', 'a'), action: 'remove' }];
  expect([samePlan(plan, other), samePlan(other, plan)]).toEqual([isSame, isSame]);
});

describe('planUninstall', () => {
  it.each<[string, ItemFacts, string]>([
    ['what the install made and nobody uses', artifact('a'), 'a remove'],
    ['what is not there any more', artifact('a', { standing: { state: 'absent' } }), 'a gone'],
    ['what was there before', facts(item('artifact', 'a', { origin: 'found', as: undefined })), 'a leave found'],
    [
      'what may have been made by a killed run',
      facts(item('artifact', 'a', { origin: 'creating', as: undefined })),
      'a leave unsure',
    ],
    [
      'what was changed since',
      artifact('a', { standing: { state: 'present', as: 'b'.repeat(64) } }),
      'a leave changed',
    ],
    [
      'an artifact whose application somebody else removed',
      facts(item('application', 'a'), { standing: { state: 'present', as: 'b'.repeat(64), bare: true } }),
      'a leave changed',
    ],
    [
      'an artifact whose application an uninstall removed',
      facts(item('application', 'a', { standing: 'removing' }), {
        standing: { state: 'present', as: 'b'.repeat(64), bare: true },
      }),
      'a remove',
    ],
    ['what nobody can compare', facts(item('artifact', 'a', { as: undefined })), 'a leave changed'],
    ['a kind of another time', facts(item('volume', 'a'), { standing: { state: 'unknown' } }), 'a leave not-known'],
    ['what another install needs', artifact('a', { neededBy: ['package b 1.0.0'] }), 'a leave needed'],
    ['what a pipeline uses', artifact('a', { usedBy: [{ kind: 'application', name: 'Mine' }] }), 'a leave used'],
    [
      'what an artifact extends',
      artifact('a', { usedBy: [{ kind: 'artifact', name: 'b', version: '2' }] }),
      'a leave used',
    ],
  ] as const)('decides on %s', (_, one, expected) => {
    expect(plan(one)).toEqual([expected]);
  });

  it('removes pipelines, applications and drafts before artifacts, and of one kind the last first', () => {
    const of = (kind: string, name: string, action: number): ItemFacts =>
      facts(item(kind, name, { actions: [action] }));
    expect(
      plan(
        of('artifact', 'a', 1),
        of('artifact', 'b', 2),
        of('draft', 'd', 3),
        of('pipeline', 'p', 4),
        of('application', 's', 5),
      ),
    ).toEqual(['p remove', 's remove', 'd remove', 'b remove', 'a remove']);
  });

  it('removes an artifact together with the pipeline that uses it, and leaves both when the pipeline was changed', () => {
    const used = artifact('a', { usedBy: [{ kind: 'application', name: 'p' }] });
    expect(plan(used, pipeline('p'))).toEqual(['p remove', 'a remove']);
    expect(plan(used, pipeline('p', { standing: { state: 'present', as: 'c'.repeat(64) } }))).toEqual([
      'p leave changed',
      'a leave used',
    ]);
  });

  it('leaves a whole chain when its last link is used by somebody else', () => {
    const chain = [
      artifact('a', { usedBy: [{ kind: 'artifact', name: 'b', version: '1.0.0' }] }),
      artifact('b', { usedBy: [{ kind: 'artifact', name: 'c', version: '1.0.0' }] }),
    ];
    expect(plan(...chain, artifact('c'))).toEqual(['a remove', 'b remove', 'c remove']);
    const held = artifact('c', { usedBy: [{ kind: 'application', name: 'Mine' }] });
    expect(plan(...chain, held)).toEqual(['a leave used', 'b leave used', 'c leave used']);
  });

  it('counts the applications of a deployed JAR as going with it', () => {
    const shop = facts(item('application', 'shop'), { applications: ['Shop'] });
    expect(plan(artifact('plugin', { usedBy: [{ kind: 'application', name: 'Shop' }] }), shop)).toEqual([
      'shop remove',
      'plugin remove',
    ]);
  });

  it('goes on with the artifact of an application whose removal was cut off, and only then', () => {
    const rest = { standing: { state: 'present', as: 'b'.repeat(64), bare: true } } as const;
    const whole = { standing: { state: 'present', as: 'b'.repeat(64) } } as const;
    const shop = item('application', 'shop', { standing: 'removing' });
    expect(plan(facts(shop, rest))).toEqual(['shop remove']);
    expect(plan(facts(shop, whole))).toEqual(['shop leave changed']);
    expect(plan(facts(item('application', 'shop'), rest))).toEqual(['shop leave changed']);
  });

  it('leaves a pipeline that runs by its schedule, with what it uses, and says how to suspend that', () => {
    const used = artifact('a', { usedBy: [{ kind: 'application', name: 'p' }] });
    const scheduled = pipeline('p', { scheduled: ['p'] });
    expect(plan(used, scheduled)).toEqual(['p leave used', 'a leave used']);
    expect(planUninstall([scheduled], 'etl')).toMatchObject([
      { text: 'has an active schedule; suspend the schedules of etl/p first' },
    ]);
  });

  it('refuses what is running, and only where it would be removed', () => {
    const running = { running: ['p/workflows/DataPipelineWorkflow'] };
    const error = thrownBy(() => planUninstall([pipeline('p', running)], 'etl'));
    expect(error.code).toBe('CONFLICT');
    expect(error.details.hints).toContain('POST /v3/namespaces/etl/apps/p/workflows/DataPipelineWorkflow/stop');
    expect(plan(facts(item('pipeline', 'p', { origin: 'found', as: undefined }), running))).toEqual(['p leave found']);
  });
});
