import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { backOff, isRepeatable, repeat, retryAfter } from '../../../src/http/repeat.js';
import type { HttpAnswer, HttpRequest } from '../../../src/http/transport.js';
import { NEVER } from '../../support/clock.js';
import { saidBy } from '../../support/errors.js';
import { answer } from './plain-answer.js';

const NOW = Date.UTC(2025, 5, 1, 12);

describe('the wait before another try', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [6, 16_000],
    [7, 30_000],
    [50, 30_000],
  ])('number %i is at most %i ms', (attempt, most) => {
    expect([backOff(attempt, () => 1), backOff(attempt, () => 0), backOff(attempt, () => 0.5)]).toEqual([
      most,
      0,
      most / 2,
    ]);
  });

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['999999999999', 999_999_999_999_000],
    ['1999999999999', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Sun, 01 Jun 2025 12:00:05 GMT', 5000],
    ['Sun, 01 Jun 2025 12:00:00 GMT', undefined],
    ['Sun, 01 Jun 2025 11:00:00 GMT', undefined],
    ['2025-06-01T12:00:05Z', undefined],
    ['x Sun, 01 Jun 2025 12:00:05 GMT', undefined],
    ['Sun, 01 Jun 2025 12:00:05 GMT x', undefined],
  ])('that %j asks for is %s ms', (header, expected) => {
    expect(retryAfter(header, NOW)).toBe(expected);
  });

  it.each([
    [428, false],
    [429, true],
    [500, false],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
    [505, false],
  ])('is for status %i: %s', (status, expected) => {
    expect(isRepeatable(status)).toBe(expected);
  });
});

describe('a read that is repeated', () => {
  const request = { method: 'GET', signal: NEVER } as unknown as HttpRequest;
  /** Asks with these results, one after the other. */
  async function ask(results: readonly (HttpAnswer | Error)[], maxRetryAfter = 60_000) {
    const waits: number[] = [];
    const facts: unknown[] = [];
    const attempts: number[] = [];
    const clock = {
      now: () => NOW,
      monotonic: () => 0,
      sleep: async (milliseconds: number) => void waits.push(milliseconds),
    };
    const options = { clock, random: () => 1, tries: 3, maxRetryAfter, emit: (fact: unknown) => void facts.push(fact) };
    const end = await repeat(options, request, new URL('http://host/a'), async (attempt) => {
      attempts.push(attempt);
      const result = results[attempt - 1];
      if (result instanceof Error) throw result;
      if (result === undefined) throw new Error('it was asked too often');
      return result;
    }).catch((error: unknown) => error);
    return { end, waits, facts, attempts };
  }
  const lost = new CliError('NET_RESET', 'lost', { request: { method: 'GET', url: 'u' } });

  it('ends with the first good answer', async () => {
    const [busy, good] = [answer(503, '', { 'retry-after': '2' }), answer(200)];
    const { end, waits, facts, attempts } = await ask([busy, lost, good]);
    expect([end, waits, attempts, busy.dropped()]).toEqual([good, [2000, 1000], [1, 2, 3], true]);
    const retry = { type: 'retry', what: 'GET http://host/a' };
    expect(facts).toEqual([
      { ...retry, attempt: 2, milliseconds: 2000, reason: 'status 503' },
      { ...retry, attempt: 3, milliseconds: 1000, reason: 'lost' },
    ]);
  });

  it('ends with the last answer or error', async () => {
    const last = answer(504);
    expect((await ask([answer(502), answer(503), last])).end).toBe(last);
    expect(last.dropped()).toBe(false);
    const { end } = await ask([lost, lost, lost]);
    expect(saidBy(end as CliError)).toEqual({
      code: 'NET_RESET',
      message: 'lost',
      request: { method: 'GET', url: 'u', attempts: 3 },
    });
  });

  it.each<[string, Error, boolean]>([
    ['a refused connection', new CliError('NET_REFUSED', 'x'), true],
    [
      'a name server that is busy',
      new CliError('NET_DNS', 'x', { cause: Object.assign(new Error('x'), { code: 'EAI_AGAIN' }) }),
      true,
    ],
    [
      'a name that does not exist',
      new CliError('NET_DNS', 'x', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
      false,
    ],
    ['a timeout', new CliError('NET_TIMEOUT', 'x'), false],
    ['a defect', new TypeError('x'), false],
  ])('is tried again after %s: %s', async (_, error, again) => {
    const { attempts, end } = await ask([error, answer(200)]);
    expect([attempts.length, end instanceof Error]).toEqual(again ? [2, false] : [1, true]);
  });

  it('waits no longer than it may', async () => {
    const long = answer(429, '', { 'retry-after': '61' });
    const { end, waits } = await ask([long, answer(200)]);
    expect([saidBy(end as CliError), waits, long.dropped()]).toEqual([
      {
        code: 'RATE_LIMIT',
        message: 'host:11015 asks to retry at 2025-06-01T12:01:01.000Z, but the maximum wait is 60 s',
        request: { method: 'GET', url: 'http://host:11015/v3/x?q=1', status: 429, attempts: 2 },
        target: { until: '2025-06-01T12:01:01.000Z' },
      },
      [],
      true,
    ]);
    expect((await ask([answer(429, '', { 'retry-after': '60' }), answer(200)])).waits).toEqual([60_000]);
  });
});
