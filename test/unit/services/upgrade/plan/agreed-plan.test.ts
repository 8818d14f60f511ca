import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import {
  keepAgreed,
  readAgreedUpgrade,
  stillAgreed,
  type AgreedUpgrade,
} from '../../../../../src/services/upgrade/plan/agreed-plan.js';
import { plannedAs, type PlannedPipeline } from '../../../../../src/services/upgrade/plan/plan.js';
import { artifact } from '../support.js';
import { hintsOf, thrownBy } from '../../../../support/errors.js';

const NOW = { url: 'https://cdap.example', engine: 'client', missing: () => 'no longer exists' };
const CHANGE = { stage: 's', plugin: 'Copy', type: 'action', artifact: 'steps', from: '1.0.0', to: '2.0.0' };

const ref = (name: string) => ({
  namespace: 'etl',
  name,
  artifact: artifact('cdap-data-pipeline 6.10.0'),
  version: undefined,
});

const upgrade = (name: string, more: Partial<PlannedPipeline> = {}): PlannedPipeline => ({
  ...plannedAs(ref(name), 'upgrade'),
  to: artifact('cdap-data-pipeline 6.11.0'),
  changes: [CHANGE],
  digest: 'd1',
  ...more,
});

const agreed = (more: Partial<AgreedUpgrade> = {}): AgreedUpgrade => ({
  command: 'upgrade',
  state: 'planned',
  engine: 'client',
  target: { url: NOW.url },
  pipelines: [
    { namespace: 'etl', name: 'a', state: 'planned', to: '6.11.0', digest: 'd1', changes: [CHANGE] },
    { namespace: 'etl', name: 'b', state: 'blocked', to: '6.11.0', digest: 'd2', changes: [] },
  ],
  ...more,
});

describe('a plan that was agreed to', () => {
  it('is carried out as it is, and nothing else is', () => {
    const planned = [upgrade('a'), upgrade('b'), upgrade('new'), plannedAs(ref('c'), 'current')];
    const kept = keepAgreed(planned, agreed(), NOW);
    expect(kept.map(({ state, reason, error }) => error?.message ?? reason ?? state)).toEqual([
      'upgrade',
      'was blocked when the plan was made; make a new plan for it',
      'is not in the plan',
      'current',
    ]);
    expect(kept.map(({ state }) => state)).toEqual(['upgrade', 'failed', 'skipped', 'current']);
  });

  it.each(['blocked', 'failed'] as const)('keeps what is still %s as it is', (state) => {
    const one = upgrade('b', { state });
    expect(keepAgreed([upgrade('a'), one], agreed(), NOW)[1]).toBe(one);
  });

  it('keeps what an earlier run did not come to', () => {
    const one = plannedAs(ref('b'), 'untried', { reason: 'was not tried by the earlier run' });
    expect(keepAgreed([upgrade('a'), one], agreed(), NOW)[1]).toBe(one);
    const untried = plannedAs(ref('a'), 'untried');
    expect(stillAgreed(agreed(), [untried], () => true).pipelines).toEqual([]);
  });

  it.each([
    ['no longer exists', []],
    ['no longer exists', [plannedAs(ref('a'), 'failed', { error: new CliError('GONE', 'gone') })]],
    ['is current now', [plannedAs(ref('a'), 'current')]],
    ['is blocked now', [upgrade('a', { state: 'blocked' })]],
    ['was changed since the plan was made', [upgrade('a', { digest: 'other' })]],
    [
      'would be upgraded to other versions than in the plan',
      [upgrade('a', { to: artifact('cdap-data-pipeline 6.12.0') })],
    ],
    ['would be upgraded to other versions than in the plan', [upgrade('a', { changes: [{ ...CHANGE, to: '3.0.0' }] })]],
  ])('is refused when a pipeline %s', (why, planned) => {
    expect(thrownBy(() => keepAgreed(planned, agreed(), NOW))).toMatchObject({
      code: 'PLAN_CHANGED',
      details: { lines: [`etl/a ${why}`] },
    });
  });

  it.each([
    ['another platform', { ...NOW, url: 'https://other.example' }, 'the plan is for https://cdap.example'],
    ['another engine', { ...NOW, engine: 'server' }, 'the plan is for engine client'],
  ])('is refused on %s', (_, now, line) => {
    expect(thrownBy(() => keepAgreed([upgrade('a')], agreed(), now)).details.lines).toEqual([line]);
  });

  it('says of a pipeline that the command does not select that it is not selected', () => {
    const now = { ...NOW, missing: () => 'is not selected' };
    expect(thrownBy(() => keepAgreed([], agreed(), now)).details.lines).toEqual(['etl/a is not selected']);
  });

  it('says of a line that looks at another namespace what the plan was made for', () => {
    const error = thrownBy(() => keepAgreed([], agreed(), { ...NOW, namespace: 'finance' }));
    expect([error.code, error.message]).toEqual([
      'USAGE',
      'the plan has pipelines of namespace etl, which is not selected',
    ]);
    expect(hintsOf(error)).toEqual(['use -n etl as for the plan']);
    expect(keepAgreed([upgrade('a')], agreed(), { ...NOW, namespace: 'etl' })).toMatchObject([{ state: 'upgrade' }]);
  });

  it('may have pipelines of other namespaces that it leaves alone, and names all others', () => {
    const [a = { namespace: '', name: '', state: '', changes: [] }, b = a] = agreed().pipelines;
    const left = agreed({ pipelines: [a, { ...b, namespace: 'finance' }] });
    expect(keepAgreed([upgrade('a')], left, { ...NOW, namespace: 'etl' })).toMatchObject([{ state: 'upgrade' }]);
    const two = agreed({ pipelines: [a, a, { ...a, namespace: 'finance' }] });
    const error = thrownBy(() => keepAgreed([], two, { ...NOW, namespace: 'hr' }));
    expect([error.message, hintsOf(error)]).toEqual([
      'the plan has pipelines of namespace etl, finance, which is not selected',
      ['use -A'],
    ]);
  });

  it.each([['settle'], ['earlier']] as const)('goes on with one that an earlier run has sent: %s', (state) => {
    expect(keepAgreed([upgrade('a', { state })], agreed(), NOW)).toMatchObject([{ state }]);
  });

  it('does not miss what an earlier run tried and is not looked at again', () => {
    const names = (tried: readonly string[]): readonly string[] =>
      stillAgreed(agreed(), [upgrade('b')], (_, name) => tried.includes(name)).pipelines.map(({ name }) => name);
    expect([names([]), names(['a']), names(['b'])]).toEqual([['a', 'b'], ['b'], ['a', 'b']]);
  });

  it('names no more than twenty', () => {
    const pipelines = Array.from({ length: 30 }, (_, at) => ({
      ...agreed().pipelines[0],
      namespace: 'etl',
      name: `p${at}`,
      state: 'planned',
      changes: [],
    }));
    const { lines = [] } = thrownBy(() => keepAgreed([], agreed({ pipelines }), NOW)).details;
    expect([lines.length, lines.at(-1)]).toEqual([21, 'and 10 more']);
  });

  it.each([
    ['an install', { kind: 'InstallResult', item: {} }],
    ['what was done', { kind: 'UpgradeResult', item: { ...agreed(), state: 'done' } }],
    ['a rollback', { kind: 'UpgradeResult', item: { ...agreed(), command: 'rollback' } }],
  ])('is not read from the document of %s', (_, document) => {
    const read = (): unknown => readAgreedUpgrade(JSON.stringify(document), 'plan.json');
    expect(thrownBy(read)).toMatchObject({ code: 'USAGE', details: { target: { file: 'plan.json' } } });
  });
});
