import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsAgain, goesOn, isSettled } from '../../../../../src/services/install/journal/again.js';
import { historyOf, stepKey } from '../../../../../src/services/install/journal/step-history.js';
import type { InstallEntry } from '../../../../../src/state/install-journal.js';
import { prepared } from '../support.js';

const at = '2025-06-01T12:00:00Z';
const [KEY, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];
type State = 'started' | 'done' | 'failed' | 'unknown';
const step = (state: State, n = 1, key = KEY): InstallEntry => ({ v: 1, type: 'step', n, key, state, at });
const fact = (name: string, value: string, n = 1): InstallEntry => ({ v: 1, type: 'fact', n, name, value, at });
const again = (state: 'begun' | 'ended', ...actions: number[]): InstallEntry => ({
  v: 1,
  type: 'again',
  state,
  actions,
  at,
});
const finished: InstallEntry = { v: 1, type: 'finished', at };

const view = (...entries: readonly InstallEntry[]): unknown => {
  const { begun, done, facts } = historyOf(entries, 1, KEY);
  return [begun, done, Object.fromEntries(facts)];
};

describe('the history of a step', () => {
  it.each([
    ['nothing', [], [false, false, {}]],
    ['begun', [step('started')], [true, false, {}]],
    ['done', [step('started'), fact('a', '1'), step('done'), finished], [true, true, {}]],
    ['killed, facts stay', [step('started'), fact('a', '1')], [true, false, { a: '1' }]],
    ['killed twice, facts stay', [step('started'), fact('a', '1'), step('started')], [true, false, { a: '1' }]],
    ['failed, facts stay', [step('started'), fact('a', '1'), step('failed')], [true, false, { a: '1' }]],
    ['unknown', [step('started'), step('unknown')], [true, false, {}]],
    [
      'begun again after it was done',
      [step('started'), fact('a', '1'), step('done'), step('started')],
      [true, false, {}],
    ],
    ['of other arguments', [step('started', 1, OTHER), fact('a', '1'), step('done', 1, OTHER)], [false, false, {}]],
    ['changed meanwhile', [step('started'), step('done'), step('started', 1, OTHER)], [false, false, {}]],
    ['of another step', [step('started', 2), fact('a', '1', 2), step('done', 2)], [false, false, {}]],
    [
      'killed with other arguments, begun with these',
      [step('started', 1, OTHER), fact('a', '1'), step('started'), fact('b', '2')],
      [true, false, { b: '2' }],
    ],
    ['done, to be done again', [step('started'), step('done'), again('begun')], [false, false, {}]],
    [
      'done again, another action failed',
      [step('started'), again('begun'), step('started'), step('done'), step('failed', 2)],
      [true, true, {}],
    ],
    ['a later fact wins', [step('started'), fact('a', '1'), fact('a', '2')], [true, false, { a: '2' }]],
  ] as const)('%s', (_, entries, expected) => {
    expect(view(...entries)).toEqual(expected);
  });

  it('is done only when the last word on it was "done"', () => {
    const state = fc.constantFrom<State>('started', 'done', 'failed', 'unknown');
    fc.assert(
      fc.property(fc.array(state), (states) => {
        const { done } = historyOf(
          states.map((word) => step(word)),
          1,
          KEY,
        );
        expect(done).toBe(states.at(-1) === 'done');
      }),
    );
  });
});

describe('a run with --again', () => {
  const begun = again('begun', 1, 2);

  it.each([
    ['nothing', [], [1, 2], [false, false]],
    ['stopped', [begun, step('done')], [1, 2], [true, true]],
    ['stopped, other actions now', [begun, step('done')], [2, 3], [false, true]],
    ['stopped, fewer actions now', [begun], [2], [false, false]],
    ['stopped, what was missing was done before it', [step('done'), begun], [2], [false, false]],
    ['ended', [begun, step('done'), again('ended', 1, 2)], [1, 2], [false, false]],
  ] as const)('%s', (_, entries, actions, expected) => {
    expect([goesOn(entries, actions), endsAgain(entries, actions)]).toEqual(expected);
  });
});

describe('an action', () => {
  const target = (state: 'creating' | 'created' | 'found' | 'removing' | 'left' | 'absent', n = 1): InstallEntry => ({
    v: 1,
    type: 'target',
    n,
    kind: 'artifact',
    name: 'a',
    state,
    at,
  });

  it.each([
    ['nothing is known of', [step('done', 2)], false],
    ['that ended well', [step('started'), step('done'), finished], true],
    ['that ended well, with a fact behind that', [step('done'), fact('a', '1')], true],
    ['that failed', [step('started'), step('failed'), step('done', 2)], false],
    ['whose target was found', [target('found')], true],
    ['that was cut off', [target('creating'), step('started'), fact('a', '1')], false],
    ['whose target was removed', [step('started'), target('created'), step('done'), target('absent')], false],
  ] as const)('%s is settled or not', (_, entries, expected) => {
    expect(isSettled(entries, 1)).toBe(expected);
  });
});

describe('the key of a step', () => {
  const jar = (sha256: string) => ({ file: '/x', bytes: 1, sha256 });

  it('does not depend on the order of members, nor on where the JAR lies', () => {
    const one = { ...prepared(1, 'p'), step: { ...prepared(1, 'p').step, material: { a: [1, { b: 2, c: 3 }], d: 4 } } };
    const two = { ...prepared(2, 'q'), step: { ...prepared(1, 'p').step, material: { d: 4, a: [1, { c: 3, b: 2 }] } } };
    expect(stepKey(one as never, jar('1'))).toBe(stepKey(two as never, { ...jar('1'), file: '/y' }));
  });

  it('depends on the arguments, their order in lists, and the content of the JAR', () => {
    const keys = [
      stepKey(prepared(1, 'p'), undefined),
      stepKey(prepared(1, 'q'), undefined),
      stepKey(prepared(1, 'p'), jar('1')),
      stepKey(prepared(1, 'p'), jar('2')),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
