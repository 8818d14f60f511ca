import { afterEach, describe, expect, it, vi } from 'vitest';
import { namingVariables } from '../../../src/cli/name-variables.js';
import { CliError } from '../../../src/core/errors.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { withTempDir } from '../../support/processes/run-cli.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const signal = new AbortController().signal;
const FLAGS = { retries: {}, quiet: { char: 'q' } } as unknown as Parameters<typeof namingVariables>[1];

describe('an error about a value', () => {
  it.each([
    ['of a variable names it', [], { CDAPCTL_RETRIES: 'x' }, 'CDAPCTL_RETRIES: wrong'],
    ['of the line names the flag', ['--retries', 'x'], { CDAPCTL_RETRIES: '3' }, '--retries: wrong'],
    ['of the line names the flag', ['--retries=x'], { CDAPCTL_RETRIES: '3' }, '--retries: wrong'],
    [
      'that is an argument is not that of the flag',
      ['--', '--retries'],
      { CDAPCTL_RETRIES: 'x' },
      'CDAPCTL_RETRIES: wrong',
    ],
    ['without a variable names the flag', [], {}, '--retries: wrong'],
  ])('%s: %j', (_, argv, env, message) => {
    const error = new CliError('USAGE', '--retries: wrong');
    expect(namingVariables(error, FLAGS, argv, { env, signal }).message).toBe(message);
  });

  it('is told so by every command', () =>
    withTempDir(async (home) => {
      // The parser of flags reads the environment of the process.
      vi.stubEnv('CDAPCTL_CONCURRENCY', 'x');
      const { error } = await runInProcess('upgrade', [], home, { env: { CDAPCTL_CONCURRENCY: 'x' } });
      expect(error).toMatchObject({ code: 'USAGE' });
      expect(error?.message).toMatch(/^CDAPCTL_CONCURRENCY: must be an integer/u);
      expect(error?.details.hints).toEqual(['unset CDAPCTL_CONCURRENCY, or give --concurrency N']);
    }));
});

it('the settings in force hold one namespace, also when it is the default', () =>
  withTempDir(async (home) => {
    const list = async (env: Record<string, string>): Promise<string> =>
      (await runInProcess('config:list', [], home, { env })).terminal.out.join('');
    expect((await list({ CDAPCTL_NAMESPACE: 'etl' })).match(/^namespaces? .*$/gmu)).toEqual([
      expect.stringMatching(/^namespace +etl$/u),
    ]);
    expect(await list({})).toMatch(/^namespace +default$/mu);
  }));
