import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../../src/services/writing/record-writes.js';
import type { Decision, LeaveReason } from '../../../../src/services/installed/plan.js';
import type { RemovalOutcome } from '../../../../src/services/installed/execute.js';
import { failureOfUninstall, resultOfUninstall } from '../../../../src/services/installed/result.js';
import { CliError } from '../../../../src/core/errors.js';
import { saidBy } from '../../../support/errors.js';
import { errorWith, request } from '../install/support.js';

const INSTALL = { package: 'shop', version: '1.0.0', hubName: 'hub' };
const TARGET = { url: 'http://platform.example', namespace: 'default', namespaceFrom: 'flag' } as const;

/** How an uninstall ends whose only removal sent these requests and failed. */
function endOf(requests: readonly RequestRecord[]): readonly unknown[] {
  const item = { kind: 'application', name: 'shop', version: '1.0.0', actions: [1], origin: 'created' } as const;
  const decision = { item: { ...item, standing: 'live' }, action: 'remove' } as const;
  const outcomes: RemovalOutcome[] = [{ decision, state: 'failed', requests, error: errorWith('REMOTE_FAILED') }];
  const result = resultOfUninstall(INSTALL, TARGET, [decision], outcomes, 'again');
  return [result.state, failureOfUninstall(result, { outcomes }, 'again', undefined)?.code];
}

describe('the end of an uninstall', () => {
  it.each<[string, readonly RequestRecord[], string, string]>([
    ['the first of two removals of a thing was done', [request(200, '/a'), request(500, '/b')], 'partial', 'PARTIAL'],
    ['it had no answer, and the next was tried', [request(0, '/a'), request(500, '/b')], 'partial', 'PARTIAL'],
    ['all were refused', [request(500, '/a')], 'failed', 'REMOTE_FAILED'],
    ['one without an answer was sent again', [request(0, '/a'), request(500, '/a')], 'failed', 'REMOTE_FAILED'],
  ])('where %s', (_, requests, state, code) => {
    expect(endOf(requests)).toEqual([state, code]);
  });
});

const ITEM = { kind: 'artifact', actions: [1], standing: 'live' } as const;

const fate = (state: 'removed' | 'gone' | 'left', reason: LeaveReason = 'used'): RemovalOutcome => {
  const name = `${state}-${reason}`;
  const item = { ...ITEM, name, origin: reason === 'found' ? 'found' : 'created' } as const;
  const decision: Decision =
    state === 'left'
      ? { item, action: 'leave', reason, text: `because ${reason}` }
      : { item, action: state === 'gone' ? 'gone' : 'remove' };
  return { decision, state, requests: state === 'removed' ? [request(200, '/a')] : [] };
};

describe('an uninstall that ran to its end', () => {
  const cases: readonly (readonly [string, readonly RemovalOutcome[], string, string | undefined])[] = [
    ['with everything removed', [fate('removed'), fate('gone')], 'removed', undefined],
    ['with all but what was there before', [fate('removed'), fate('left', 'found')], 'removed', undefined],
    ['with nothing there any more', [fate('gone')], 'nothing', undefined],
    ['with only what was there before', [fate('left', 'found')], 'nothing', undefined],
    ['with some left', [fate('removed'), fate('left')], 'partial', 'PARTIAL'],
    ['with all left', [fate('left', 'changed'), fate('left', 'found')], 'left', 'CONFLICT'],
    ['with the rest left', [fate('gone'), fate('left', 'unsure')], 'left', 'CONFLICT'],
  ];

  it.each(cases)('%s', (_, outcomes, state, code) => {
    const decisions = outcomes.map(({ decision }) => decision);
    const result = resultOfUninstall(INSTALL, TARGET, decisions, outcomes, 'again');
    const failure = failureOfUninstall(result, { outcomes }, 'again', undefined);
    expect([result.state, failure?.code]).toEqual([state, code]);
    const lines = outcomes.flatMap(({ decision }) =>
      decision.action === 'leave' && decision.reason !== 'found'
        ? [`artifact ${decision.item.name}: ${decision.text}`]
        : [],
    );
    expect(failure?.details.lines ?? []).toEqual(lines);
  });
});

it('an uninstall that came to its end, which its journal could not take, says what was removed and carries it', () => {
  const outcomes = [fate('removed'), fate('left')];
  const decisions = outcomes.map(({ decision }) => decision);
  const result = resultOfUninstall(INSTALL, TARGET, decisions, outcomes, 'again');
  const unwritten = errorWith('DISK_FULL', 'no space for the journal');
  expect(failureOfUninstall(result, { outcomes, unwritten }, 'again', undefined)).toMatchObject({
    code: 'DISK_FULL',
    message: 'no space for the journal; removed objects stay removed',
    details: {
      item: { state: 'partial' },
      lines: ['removed  artifact removed-used', 'left  artifact left-used'],
      hints: ['again'],
    },
  });
});

it('the plan says that a package goes under all the names that it was installed as', () => {
  const decision = (name: string, n: number): Decision => ({
    item: { ...ITEM, kind: 'pipeline', actions: [n], name, origin: 'created' },
    action: 'remove',
  });
  const all = [decision('First', 1), decision('Second', 1), decision('Other', 2)];
  expect(resultOfUninstall(INSTALL, TARGET, all, undefined, 'again').items.map(({ message }) => message)).toEqual([
    'one of 2 installs of this package',
    'one of 2 installs of this package',
    undefined,
  ]);
});

describe('the result of an uninstall', () => {
  const item = (name: string, changes: object = {}) =>
    ({ kind: 'artifact', name, version: '1', actions: [1], origin: 'created', standing: 'live', ...changes }) as const;
  const removes = (name: string, changes: object = {}): Decision => ({ item: item(name, changes), action: 'remove' });
  const plan = (...decisions: readonly Decision[]) => resultOfUninstall(INSTALL, TARGET, decisions, undefined, 'again');
  const shown = { kind: 'artifact', version: '1', requests: [] };

  it('that was only planned has the fate of each item', () => {
    const left: Decision = {
      item: item('b', { version: undefined }),
      action: 'leave',
      reason: 'used',
      text: 'used by c',
    };
    expect(plan(removes('a'), left, { item: item('c'), action: 'gone' })).toEqual({
      package: { name: 'shop', version: '1.0.0', hub: 'hub' },
      target: TARGET,
      state: 'planned',
      items: [
        { ...shown, name: 'a', state: 'planned' },
        { kind: 'artifact', requests: [], name: 'b', state: 'left', reason: 'used', message: 'used by c' },
        { ...shown, name: 'c', state: 'gone' },
      ],
    });
  });

  it.each<[string, Decision, string | undefined]>([
    ['of the same action', removes('b'), 'one of 2 installs of this package'],
    ['of another action', removes('b', { actions: [2] }), undefined],
    ['of another kind', removes('b', { kind: 'pipeline' }), undefined],
    ['of the same name', removes('a', { version: '2' }), undefined],
    ['that is gone', { item: item('b'), action: 'gone' }, undefined],
  ])('says that an item goes with one %s', (_, other, message) => {
    const [first] = plan(removes('a'), other).items;
    expect(first?.message).toBe(message);
  });

  const failed = (error: CliError, ...before: readonly RemovalOutcome[]) => {
    const decision = removes('a');
    const outcomes: RemovalOutcome[] = [...before, { decision, state: 'failed', requests: [], error }];
    const decisions = outcomes.map((outcome) => outcome.decision);
    const result = resultOfUninstall(INSTALL, TARGET, decisions, outcomes, 'again');
    const failure = failureOfUninstall(result, { outcomes }, 'again', undefined);
    return { result, said: failure && saidBy(failure), cause: failure?.details.cause };
  };
  const cause = (code: 'CONFLICT' | 'UNKNOWN_OUTCOME' | 'DISK_FULL' | 'LOCAL_IO') =>
    new CliError(code, 'it went wrong', { hints: ['look'], lines: ['a line'], target: { file: 'f' } });

  it('that failed before anything was removed is its cause', () => {
    const error = cause('CONFLICT');
    const { result, said, cause: below } = failed(error);
    expect(said).toEqual({
      code: 'CONFLICT',
      message: 'it went wrong',
      hints: ['look', 'again'],
      lines: ['a line'],
      target: { file: 'f' },
      item: result,
    });
    expect([below, result.state, result.retry, result.items[0]?.message]).toEqual([
      error,
      'failed',
      'again',
      'it went wrong',
    ]);
  });

  it('that failed later is partial', () => {
    const { result, said } = failed(cause('CONFLICT'), fate('removed'));
    expect(said).toEqual({
      code: 'PARTIAL',
      message: 'stopped at artifact a; removed objects stay removed',
      hints: ['look', 'again'],
      lines: ['it went wrong', 'a line'],
      target: { file: 'f' },
      item: result,
    });
  });

  it.each(['UNKNOWN_OUTCOME', 'DISK_FULL', 'LOCAL_IO'] as const)('that failed later keeps the code %s', (code) => {
    const { result, said } = failed(cause(code), fate('removed'));
    expect([said?.code, said?.message, result.state]).toEqual([code, 'it went wrong', 'partial']);
  });

  it.each([
    [
      [fate('removed'), fate('left'), fate('left', 'found')],
      { code: 'PARTIAL', message: '1 of shop 1.0.0 removed, 1 left' },
    ],
    [[fate('left'), fate('left', 'found')], { code: 'CONFLICT', message: 'nothing of shop 1.0.0 was removed, 1 left' }],
  ])('that left something says what: %#', (outcomes, expected) => {
    const decisions = outcomes.map(({ decision }) => decision);
    const result = resultOfUninstall(INSTALL, TARGET, decisions, outcomes, 'again');
    const failure = failureOfUninstall(result, { outcomes }, 'again', undefined);
    expect(failure && saidBy(failure)).toEqual({
      ...expected,
      lines: ['artifact left-used: because used'],
      hints: ['again  # when the cause is resolved'],
      target: { package: 'shop', namespace: 'default' },
      item: result,
    });
  });

  it('that was stopped is the stop, before and after something was removed', () => {
    const stop = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
    const rest: RemovalOutcome = { decision: removes('a'), state: 'not-run', requests: [] };
    for (const [outcomes, state] of [
      [[rest], 'cancelled'],
      [[fate('removed'), rest], 'partial'],
    ] as const) {
      const result = resultOfUninstall(
        INSTALL,
        TARGET,
        outcomes.map(({ decision }) => decision),
        outcomes,
        'again',
      );
      const failure = failureOfUninstall(result, { outcomes }, 'again', stop);
      expect(result.state).toBe(state);
      expect(failure && saidBy(failure)).toEqual({
        code: 'INTERRUPTED',
        message: 'stopped by Ctrl-C',
        hints: ['again'],
        item: result,
      });
      expect(failureOfUninstall(result, { outcomes }, 'again', new Error('odd'))).toBeUndefined();
    }
  });

  it('whose journal could not be written says what was done', () => {
    const outcomes = [fate('removed')];
    const result = resultOfUninstall(
      INSTALL,
      TARGET,
      outcomes.map(({ decision }) => decision),
      outcomes,
      'again',
    );
    const failure = failureOfUninstall(result, { outcomes, unwritten: cause('DISK_FULL') }, 'once more', undefined);
    expect(failure && saidBy(failure)).toEqual({
      code: 'DISK_FULL',
      message: 'it went wrong; removed objects stay removed',
      lines: ['removed  artifact removed-used'],
      hints: ['look', 'once more'],
      target: { file: 'f' },
      item: result,
    });
  });
});
