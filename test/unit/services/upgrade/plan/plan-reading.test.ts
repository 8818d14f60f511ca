import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { changingNothing } from '../../../../../src/services/upgrade/plan/plan-reading.js';

describe('the reading before an upgrade', () => {
  it('says that nothing was changed where a signal or a platform that is away ends it, and leaves other errors as they are', async () => {
    const stop = new AbortController();
    const refused = new CliError('NET_REFUSED', 'no answer', { cause: new Error('ECONNREFUSED') });
    await expect(changingNothing(stop.signal, Promise.reject(refused))).rejects.toMatchObject({
      code: 'NET_REFUSED',
      message: 'no answer; nothing was changed',
      details: { hints: ['run the same command again later'] },
      cause: refused.cause,
    });
    const denied = new CliError('FORBIDDEN', 'not allowed');
    await expect(changingNothing(stop.signal, Promise.reject(denied))).rejects.toBe(denied);
    stop.abort(new CliError('INTERRUPTED', 'stopped by Ctrl-C'));
    await expect(changingNothing(stop.signal, Promise.reject(new Error('aborted')))).rejects.toMatchObject({
      code: 'INTERRUPTED',
      exitCode: 130,
      message: 'stopped by Ctrl-C; nothing was changed',
    });
    expect(await changingNothing(stop.signal, Promise.resolve(1))).toBe(1);
    const other = AbortSignal.abort(new Error('no error of ours'));
    await expect(changingNothing(other, Promise.reject(refused))).rejects.toBe(refused);
  });
});
