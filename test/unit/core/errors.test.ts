import { describe, expect, it } from 'vitest';
import { asError, CliError, isPassing, type ErrorCode } from '../../../src/core/errors.js';
import { saidBy } from '../../support/errors.js';

describe('an error of the tool', () => {
  it('has no cause where there is none', () => {
    expect('cause' in new CliError('USAGE', 'no')).toBe(false);
  });

  it('has a code with an exit code, a message and details, and a cause where there is one', () => {
    const cause = new Error('below');
    const error = new CliError('USAGE', 'no', { cause, hints: ['x'] });
    expect([error.name, error.message, error.cause, error.exitCode, error.details]).toEqual([
      'CliError',
      'no',
      cause,
      2,
      { cause, hints: ['x'] },
    ]);
    expect([Object.hasOwn(error, 'cause'), Object.hasOwn(new CliError('USAGE', 'no'), 'cause')]).toEqual([true, false]);
    expect(new CliError('USAGE', 'no').details).toEqual({});
  });

  it('is made of whatever was thrown', () => {
    const ours = new CliError('USAGE', 'no');
    expect(asError(ours)).toBe(ours);
    const cause = new TypeError('x');
    expect([asError(cause), asError(cause).details.cause]).toEqual([new CliError('INTERNAL', 'x', { cause }), cause]);
    expect(saidBy(asError('odd'))).toEqual({ code: 'INTERNAL', message: 'odd' });
  });

  it.each<[ErrorCode, boolean]>([
    ...(['NET_DNS', 'NET_REFUSED', 'NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW'] as const).map(
      (code): [ErrorCode, boolean] => [code, true],
    ),
    ['RATE_LIMIT', true],
    ['UNAVAILABLE', true],
    ['NET_PROTO', false],
    ['TLS', false],
    ['FORBIDDEN', false],
  ])('of code %s passes by itself: %s', (code, passes) => {
    expect(isPassing(new CliError(code, 'x'))).toBe(passes);
    expect(isPassing(new Error(code))).toBe(false);
  });
});
