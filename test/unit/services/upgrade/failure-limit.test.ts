import { describe, expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import { FailureLimit, isLocal, mostFailures } from '../../../../src/services/upgrade/failure-limit.js';
import { NEVER } from '../../../support/clock.js';
import { warningsTo } from '../../../support/warnings.js';

const error = (code: ErrorCode, method?: string, cause?: unknown) =>
  new CliError(code, code.toLowerCase(), { ...(method && { request: { method, url: 'x' } }), cause });
function limit(maxFailures = Infinity, stop = NEVER) {
  const warnings: string[] = [];
  return { warnings, limit: new FailureLimit({ stop, maxFailures, ...warningsTo(warnings) }) };
}

describe('how many failures are put up with', () => {
  it.each([
    [undefined, 10, Infinity],
    [{ number: 3, isShare: false }, 10, 3],
    [{ number: 30, isShare: true }, 10, 3],
    [{ number: 39, isShare: true }, 10, 3],
    [{ number: 0, isShare: true }, 10, 0],
  ])('of %j where %i are tried: %s', (max, tried, most) => {
    expect(mostFailures(max, tried)).toBe(most);
  });

  it('ends with one more', () => {
    const { limit: two, warnings } = limit(2);
    const seen = [0, 1, 2, 3].map(() => {
      const before = two.isOn;
      two.see(error('BLOCKED'));
      return before;
    });
    expect([seen, two.failed, two.cause, warnings]).toEqual([[false, false, false, true], 4, undefined, []]);
  });

  it('ends with the run', () => {
    expect([limit().limit.isOn, limit(Infinity, AbortSignal.abort()).limit.isOn]).toEqual([false, true]);
  });
});

describe('an error after which no other pipeline would fare better', () => {
  const ends = ['AUTH', 'TOKEN_COMMAND', 'NET_DNS', 'NET_REFUSED', 'TLS', 'PROXY', 'PROXY_AUTH'] as const;
  const local = ['LOCAL_IO', 'DISK_FULL', 'SYMLINK', 'JOURNAL'] as const;
  const away = ['UNAVAILABLE', 'NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW'] as const;
  const isEnd = (one: CliError, isOfPlan = false): boolean => {
    const { limit: all } = limit();
    all.see(one, isOfPlan);
    expect(all.cause).toBe(all.isOn ? one : undefined);
    return all.isOn;
  };

  it.each([...ends, ...local])('%s, also as the cause of an unknown outcome, but not when it was planned', (code) => {
    expect([isEnd(error(code)), isEnd(error(code), true)]).toEqual([true, false]);
    expect(isEnd(error('UNKNOWN_OUTCOME', undefined, error(code)))).toBe(true);
    expect(isLocal(error(code))).toBe((local as readonly string[]).includes(code));
  });

  it.each(away)('%s of a read, not of a write', (code) => {
    expect([isEnd(error(code, 'GET')), isEnd(error(code, 'PUT')), isEnd(error(code))]).toEqual([true, false, false]);
  });

  it.each(['CONFLICT', 'REMOTE_FAILED', 'UNKNOWN_OUTCOME', 'FORBIDDEN', 'RATE_LIMIT'] as const)('is not %s', (code) => {
    expect(isEnd(error(code, 'GET'))).toBe(false);
  });

  it('is told once, with what to do about it', () => {
    const { limit: all, warnings } = limit();
    all.see(new CliError('AUTH', 'no token', { hints: [{ next: 'give-token-file' }, 'log in'] }));
    all.see(error('TLS'));
    expect([warnings, all.cause?.code, all.failed]).toEqual([
      ['stopping: no token (use a token file: -a FILE, or CDAPCTL_TOKEN_FILE)'],
      'AUTH',
      2,
    ]);
    const plain = limit();
    plain.limit.see(error('TLS'));
    expect(plain.warnings).toEqual(['stopping: tls']);
  });

  it('is the eighth unknown outcome in a row', () => {
    const { limit: all } = limit();
    const unknown = error('UNKNOWN_OUTCOME');
    for (let at = 0; at < 7; at++) all.see(unknown);
    all.see(undefined);
    for (let at = 0; at < 7; at++) all.see(unknown, true);
    expect([all.isOn, all.failed]).toEqual([false, 14]);
    all.see(error('CONFLICT'));
    all.see(unknown);
    expect([all.isOn, all.cause, all.failed]).toEqual([true, unknown, 16]);
  });
});
