import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../../src/services/writing/record-writes.js';
import type { RemovalOutcome } from '../../../../src/services/installed/execute.js';
import { failureOfUninstall, resultOfUninstall } from '../../../../src/services/installed/result.js';
import { errorOf, request } from '../install/support.js';

const INSTALL = { package: 'shop', version: '1.0.0', hubName: 'hub' };
const TARGET = { url: 'http://platform.example', namespace: 'default', namespaceFrom: 'flag' } as const;

/** How an uninstall ends whose only removal sent these requests and failed. */
function endOf(requests: readonly RequestRecord[]): readonly unknown[] {
  const item = { kind: 'application', name: 'shop', version: '1.0.0', actions: [1], origin: 'created' } as const;
  const decision = { item: { ...item, standing: 'live' }, action: 'remove' } as const;
  const outcomes: RemovalOutcome[] = [{ decision, state: 'failed', requests, error: errorOf('REMOTE_FAILED') }];
  const result = resultOfUninstall(INSTALL, TARGET, [decision], outcomes, 'again');
  return [result.state, failureOfUninstall(result, outcomes, undefined)?.code];
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
