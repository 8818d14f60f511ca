import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../../src/services/writing/record-writes.js';
import type { Decision, LeaveReason } from '../../../../src/services/installed/plan.js';
import type { RemovalOutcome } from '../../../../src/services/installed/execute.js';
import { failureOfUninstall, resultOfUninstall } from '../../../../src/services/installed/result.js';
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
