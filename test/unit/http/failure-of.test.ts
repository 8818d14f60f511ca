import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/http/answers.js';
import { saidBy } from '../../support/errors.js';
import { answer } from './plain-answer.js';

describe('an answer that is no success', () => {
  const message = (status: number): string => `host:11015 responded to GET /v3/x with status ${status}`;
  it.each<[number, string]>([
    [400, 'REMOTE_FAILED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [429, 'UNAVAILABLE'],
    [500, 'REMOTE_FAILED'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'UNAVAILABLE'],
  ])('of status %i is %s', async (status, code) => {
    const request = { method: 'GET', url: 'http://host:11015/v3/x?q=1', status, attempts: 2 };
    expect(saidBy(await failureOf(answer(status, ' no ')))).toEqual({
      code,
      message: message(status),
      request,
      serverSaid: 'no',
    });
    for (const words of ['', 'null'])
      expect(saidBy(await failureOf(answer(status, words)))).toEqual({ code, message: message(status), request });
  });

  it('is told in the words of the caller where nothing is there, and of a login', async () => {
    expect((await failureOf(answer(404), { notFound: 'HUB_UNKNOWN' as never })).code).toBe('HUB_UNKNOWN');
    expect((await failureOf(answer(403), { notFound: 'HUB_UNKNOWN' as never })).code).toBe('FORBIDDEN');
    const { code, message: words } = await failureOf(answer(401));
    expect([code, words]).toEqual(['AUTH', `not logged in: ${message(401)}`]);
  });
});
