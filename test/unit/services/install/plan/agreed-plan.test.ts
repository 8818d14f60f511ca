import { describe, expect, it } from 'vitest';
import { findGaps } from '../../../../../src/services/catalog/open-inputs.js';
import { readAgreedPlan, refuseOtherPlan, withAgreed } from '../../../../../src/services/install/plan/agreed-plan.js';
import { planInstall } from '../../../../../src/services/install/plan/plan.js';
import type { InstallResult } from '../../../../../src/services/install/plan/install-result.js';
import { resultOf, trustOf } from '../../../../../src/services/install/run/result.js';
import { action, argument, NO_INPUTS, observed, prepared } from '../support.js';
import { hintsOf, thrownBy } from '../../../../support/errors.js';

const actions = [action(1, 'create_pipeline', argument('name', 'CsvCopy', true), argument('config', 'a.json', false))];
const identity = {
  package: { name: 'p', version: '1', hub: 'h', label: 'P' },
  target: { url: 'u', namespace: 'default', namespaceFrom: 'the default' },
};

function planned(inputs: Readonly<Record<string, unknown>>, isSkipped = false): InstallResult {
  const steps = isSkipped ? [] : [{ ...prepared(1, String(inputs['name'])), inputs }];
  const plan = planInstall(identity, actions, steps, new Map([[1, observed('absent')]]), false);
  return resultOf(plan, trustOf('require', [], undefined), undefined, 'again');
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

describe('what the line leaves open', () => {
  it('is what the plan has', () => {
    const filled = withAgreed(NO_INPUTS, agreed, findGaps(actions, NO_INPUTS, undefined));
    expect(filled.set).toEqual(new Map([[1, new Map([['name', 'Planned']])]]));
  });

  it('is nothing that the line gives, nor what the package fixes', () => {
    const typed = { ...NO_INPUTS, set: new Map([[1, new Map([['name', 'Typed']])]]) };
    expect(withAgreed(typed, agreed, findGaps(actions, typed, undefined))).toEqual(typed);
  });
});
