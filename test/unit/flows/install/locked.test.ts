import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import { installsOf, withInstalled } from '../../../../src/flows/install/locked.js';
import { errorOf, saidBy } from '../../../support/errors.js';
import { withTempDir } from '../../../support/processes/run-cli.js';
import type { InstallResult } from '../../../../src/services/install/plan/install-result.js';

const resultWith = (...requests: readonly object[]): InstallResult =>
  ({ state: 'installed', actions: [{ state: 'done', requests }] }) as unknown as InstallResult;
const CHANGED = resultWith({ method: 'POST' });

describe('the failure of one of several packages', () => {
  it.each<[code: ErrorCode, before: InstallResult, expected: ErrorCode]>([
    ['REMOTE_FAILED', CHANGED, 'INSTALL_PARTIAL'],
    ['AUTH', CHANGED, 'INSTALL_PARTIAL'],
    ['REMOTE_FAILED', resultWith(), 'REMOTE_FAILED'],
    ['UNKNOWN_OUTCOME', CHANGED, 'UNKNOWN_OUTCOME'],
    ['DISK_FULL', CHANGED, 'DISK_FULL'],
    ['INTERRUPTED', CHANGED, 'INTERRUPTED'],
  ])('%s is partial where those before it changed something: %#', (code, before, expected) => {
    const cause = new CliError(code, 'it failed', { item: { state: 'failed' } });
    expect(withInstalled(cause, [before])).toMatchObject({
      code: expected,
      message: 'it failed',
      details: { item: { state: 'failed', installed: [before] } },
    });
  });
});

it('a values file without a package is no lock file', () =>
  withTempDir(async (home) => {
    const values = join(home, 'values');
    for (const text of ['acceptLicense: true', '{"acceptLicense": true}']) {
      writeFileSync(values, text);
      const told = await errorOf(installsOf({ named: undefined, locked: false, values }));
      expect(saidBy(told)).toEqual({
        ...{ code: 'USAGE', message: `specify a package: ${values} is not a lock file` },
        hints: [`cdapctl install NAME -f ${values}`],
        target: { file: values },
      });
    }
    writeFileSync(values, '{"lockVersion"');
    expect((await errorOf(installsOf({ named: undefined, locked: false, values }))).code).toBe('BAD_JSON');
  }));
