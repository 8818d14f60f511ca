import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { plannedAs } from '../../../../src/services/upgrade/plan.js';
import { upgradedPipeline } from '../../../../src/services/upgrade/result.js';

const REF = {
  namespace: 'etl',
  name: 'orders',
  artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' },
  version: undefined,
} as const;

describe('what is told of a pipeline that failed', () => {
  it.each([
    [
      'the words of the platform, up to their first line',
      'no such plugin\nat X.java',
      'it answered 400: no such plugin',
    ],
    ['the error alone where the platform said nothing', undefined, 'it answered 400'],
  ])('ends with %s', (_, serverSaid, detail) => {
    const error = new CliError('REMOTE_FAILED', 'it answered 400', { serverSaid });
    const failed = { state: 'failed', error, durationMs: 1 } as const;
    expect(upgradedPipeline(plannedAs(REF, 'upgrade'), 'upgrade', failed)).toMatchObject({
      state: 'failed',
      detail,
      error: { code: 'REMOTE_FAILED', message: 'it answered 400' },
    });
  });
});
