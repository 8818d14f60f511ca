import { describe, expect, it } from 'vitest';
import { findGaps, type Inputs } from '../../../../../src/services/catalog/open-inputs.js';
import { readAgreedPlan, refuseOtherPlan, withAgreed } from '../../../../../src/services/install/plan/agreed-plan.js';
import { planInstall } from '../../../../../src/services/install/plan/plan.js';
import type { InstallResult } from '../../../../../src/services/install/plan/install-result.js';
import { plannedResult, trustOf } from '../../../../../src/services/install/plan/planned-result.js';
import { action, argument, NO_INPUTS, observed, prepared } from '../support.js';
import { hintsOf, saidBy, thrownBy } from '../../../../support/errors.js';

const actions = [action(1, 'create_pipeline', argument('name', 'CsvCopy', true), argument('config', 'a.json', false))];
const identity = {
  package: { name: 'p', version: '1', hub: 'h', label: 'P' },
  target: { url: 'u', namespace: 'default', namespaceFrom: 'the default' },
};

function planned(inputs: Readonly<Record<string, unknown>>, isSkipped = false): InstallResult {
  const steps = isSkipped ? [] : [{ ...prepared(1, String(inputs['name'])), inputs }];
  const plan = planInstall(identity, actions, steps, new Map([[1, observed('absent')]]), false);
  return plannedResult(plan, trustOf('require', [], undefined));
}

const agree = (item: InstallResult) => readAgreedPlan(JSON.stringify({ kind: 'InstallResult', item }), 'plan.json');
const agreed = agree(planned({ name: 'Planned', config: 'a.json' }));

describe('an install that is not the one of the plan', () => {
  it.each([
    ['another name', planned({ name: 'CsvCopy', config: 'a.json' }), 'name: Planned in the plan, CsvCopy now'],
    ['no file', planned({ name: 'Planned' }), 'config: a.json in the plan, nothing now'],
    ['a list', planned({ name: 'Planned', config: ['a'] }), 'config: a.json in the plan, ["a"] now'],
    ['nothing', planned({}, true), 'planned in the plan, skipped now'],
  ])('is told with both values: %s', (_, now, line) => {
    const error = thrownBy(() => {
      refuseOtherPlan(agreed, now, new Set());
    });
    expect([error.code, error.details.lines]).toEqual(['PLAN_CHANGED', [`action 1 (create_pipeline): ${line}`]]);
    expect(hintsOf(error).join()).toContain('use the same flags');
  });
});

describe('an install that is compared with its plan', () => {
  const target = { kind: 'pipeline', name: 'copy' };
  const plan = {
    state: 'planned',
    package: { name: 'p', version: '1', hub: 'h' },
    target: { url: 'u', namespace: 'default' },
    trust: { files: [{ name: 'spec.json', sha256: 'aa' }] },
    actions: [
      {
        n: 1,
        state: 'planned',
        type: 'deploy',
        target,
        effect: 'create',
        writes: true,
        inputs: { jar: '/a/x.jar', jarSha256: 'bb', size: 1 },
      },
    ],
  };
  const [one] = plan.actions;
  const reviewed = readAgreedPlan(JSON.stringify({ kind: 'InstallResult', item: plan }), 'plan.json');
  const lines = (now: object, begun: readonly number[] = []): unknown => {
    const check = (): void => {
      refuseOtherPlan(reviewed, { ...plan, ...now } as never, new Set(begun));
    };
    try {
      check();
      return [];
    } catch {
      return thrownBy(check).details.lines;
    }
  };
  const acting = (changes: object): object => ({ actions: [{ ...one, ...changes }] });
  const name = 'action 1 (deploy)';

  it.each<[string, object, readonly number[], readonly string[]]>([
    ['equal', {}, [], []],
    ['of another package', { package: { ...plan.package, name: 'q' } }, [], ['package: p@1 in the plan, q@1 now']],
    ['of another version', { package: { ...plan.package, version: '2' } }, [], ['package: p@1 in the plan, p@2 now']],
    ['from another hub', { package: { ...plan.package, hub: 'i' } }, [], ['hub: h in the plan, i now']],
    ['of another platform', { target: { ...plan.target, url: 'v' } }, [], ['platform: u in the plan, v now']],
    [
      'of another namespace',
      { target: { ...plan.target, namespace: 'etl' } },
      [],
      ['namespace: default in the plan, etl now'],
    ],
    [
      'of another file',
      { trust: { files: [{ name: 'spec.json', sha256: 'ab' }] } },
      [],
      ['spec.json: its content differs from the plan'],
    ],
    [
      'of one more file',
      { trust: { files: [{ name: 'more', sha256: 'aa' }] } },
      [],
      ['more: its content differs from the plan'],
    ],
    ['of fewer files', { trust: { files: [] } }, [], []],
    ['of one more action', acting({ n: 2 }), [], ['action 2 (deploy): not in the plan']],
    ['of another type', acting({ type: 'create' }), [], ['action 1 (create): deploy in the plan, create now']],
    ['skipped', acting({ state: 'skipped' }), [], [`${name}: planned in the plan, skipped now`]],
    ['with the JAR elsewhere', acting({ inputs: { ...one?.inputs, jar: '/b/y.jar' } }), [], []],
    [
      'with another JAR',
      acting({ inputs: { ...one?.inputs, jarSha256: 'cc' } }),
      [],
      [`${name}: not the JAR in the plan`],
    ],
    [
      'with another input',
      acting({ inputs: { ...one?.inputs, size: 2 } }),
      [],
      [`${name}: size: 1 in the plan, 2 now`],
    ],
    [
      'with two other inputs',
      acting({ inputs: { ...one?.inputs, size: 2, more: true } }),
      [],
      [`${name}: size: 1 in the plan, 2 now; more: nothing in the plan, true now`],
    ],
    [
      'with a package file for a JAR',
      acting({ inputs: { jar: 'x.jar', size: 1 } }),
      [],
      [`${name}: not the JAR in the plan`],
    ],
    [
      'of another target',
      acting({ target: { kind: 'pipeline', name: 'other' } }),
      [],
      [`${name}: name: copy in the plan, other now`],
    ],
    ['with another effect', acting({ effect: 'overwrite' }), [], [`${name}: create in the plan, overwrite now`]],
    ['with another effect of what was begun', acting({ effect: 'overwrite' }), [1], []],
    ['with nothing left to do', acting({ effect: 'exists', writes: false }), [], []],
  ])('is %s', (_, now, begun, expected) => {
    expect(lines(now, begun)).toEqual(expected);
  });

  it('is refused as a whole', () => {
    const refuse = (): void => {
      refuseOtherPlan(reviewed, { ...plan, ...acting({ n: 2 }) } as never, new Set());
    };
    expect(saidBy(thrownBy(refuse))).toEqual({
      code: 'PLAN_CHANGED',
      message: 'the install no longer matches the plan; nothing was changed',
      lines: ['action 2 (deploy): not in the plan'],
      hints: [{ next: 'look-at-plan', of: 'install' }],
    });
  });

  it.each([
    ['another document', { kind: 'Error', item: plan }],
    ['an install that was carried out', { kind: 'InstallResult', item: { ...plan, state: 'installed' } }],
    ['no document', []],
  ])('has no plan in %s', (_, document) => {
    expect(saidBy(thrownBy(() => readAgreedPlan(JSON.stringify(document), 'plan.json')))).toEqual({
      code: 'USAGE',
      message: 'plan.json is not an install plan',
      hints: [{ next: 'write-plan' }],
      target: { file: 'plan.json' },
    });
  });
});

describe('what the line leaves open', () => {
  const openOf = (inputs: Inputs) => ({ inputs, gaps: findGaps(actions, inputs, { file: 'license.txt' }) });

  it('is what the plan has', () => {
    const filled = withAgreed(openOf(NO_INPUTS), agreed);
    expect(filled.inputs.set).toEqual(new Map([[1, new Map([['name', 'Planned']])]]));
    expect(filled.gaps).toEqual(openOf(filled.inputs).gaps);
    expect(filled.gaps.length).toBeLessThan(openOf(NO_INPUTS).gaps.length);
  });

  it('is nothing that the line gives, nor what the package fixes', () => {
    const typed = { ...NO_INPUTS, set: new Map([[1, new Map([['name', 'Typed']])]]) };
    expect(withAgreed(openOf(typed), agreed)).toEqual(openOf(typed));
  });
});
