import { describe, expect, it } from 'vitest';
import { keptToken, type TimedToken } from '../../../src/http/kept-token.js';
import { clockAt } from '../../support/clock.js';
import { rawAnswer } from '../../support/raw-server.js';
import { get, platform, serve, textOf } from './support.js';

/** Gives out t1, t2, ... and counts; `lives` is how long each lives, in milliseconds. */
function mint(
  now: () => number,
  lives?: number,
): { readonly asked: () => number; readonly ask: () => Promise<TimedToken> } {
  let n = 0;
  return {
    asked: () => n,
    ask: async () => ({ token: `t${++n}`, ...(lives !== undefined && { expiresAt: now() + lives }) }),
  };
}

/** A platform that takes only one token, and answers a 401 with words otherwise. */
const taking = (isGood: (token: string) => boolean) =>
  serve((socket, { headers }) => {
    const token = (headers['authorization'] ?? '').replace('Bearer ', '');
    socket.end(isGood(token) ? rawAnswer(200, 'ok') : rawAnswer(401, '{"auth_uri":[]}', { connection: 'close' }));
  });

describe('a token that is asked for again', () => {
  it('is kept until a quarter of its life is left, at most 30 s', async () => {
    let time = 1_000_000;
    const { ask, asked } = mint(() => time, 60_000);
    const tokens = keptToken(
      ask,
      clockAt(() => time),
    );
    expect([await tokens.current(), await tokens.current(), asked()]).toEqual(['t1', 't1', 1]);
    time += 44_999;
    expect(await tokens.current()).toBe('t1');
    time += 1;
    expect(await tokens.current()).toBe('t2');
  });

  it('is not asked for as long as the one of before lives', async () => {
    let time = 0;
    const { ask, asked } = mint(() => time);
    const clock = clockAt(() => time);
    const tokens = keptToken(ask, clock, { token: 'first', expiresAt: 40_000 });
    expect([await tokens.current(), asked()]).toEqual(['first', 0]);
    time = 30_000;
    expect([await tokens.current(), asked()]).toEqual(['t1', 1]);
  });

  it('is asked for once however many wait, and again after a failure', async () => {
    const open: (() => void)[] = [];
    let n = 0;
    const gate = async (): Promise<TimedToken> => {
      n += 1;
      await new Promise<void>((done) => open.push(done));
      if (n === 1) throw new Error('no token');
      return { token: `t${n}` };
    };
    const tokens = keptToken(gate, clockAt(0));
    const first = Promise.allSettled(Array.from({ length: 50 }, () => tokens.current()));
    open.shift()?.();
    expect(new Set((await first).map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(n).toBe(1);
    const second = Promise.all(Array.from({ length: 50 }, () => tokens.current()));
    open.shift()?.();
    expect(new Set(await second)).toEqual(new Set(['t2']));
  });

  it('that is near its end is still sent when there is no other yet', async () => {
    let time = 0;
    let fails = false;
    let asked = 0;
    const ask = async (): Promise<TimedToken> => {
      asked += 1;
      if (fails) throw new Error('away');
      return { token: 't', expiresAt: time + 40_000 };
    };
    const tokens = keptToken(
      ask,
      clockAt(() => time),
    );
    await tokens.current();
    fails = true;
    time = 35_000;
    expect([await tokens.current(), await tokens.current(), asked]).toEqual(['t', 't', 2]);
    time = 40_000;
    await expect(tokens.current()).rejects.toThrow('away');
  });

  it('that came too late is sent all the same, and not asked for before each request', async () => {
    const { ask, asked } = mint(() => 0, -1);
    const tokens = keptToken(ask, clockAt(0));
    expect([await tokens.current(), await tokens.current(), asked()]).toEqual(['t1', 't1', 1]);
  });
});

describe('a platform that rejects the token', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'] as const)('gets the same %s with another one, once', async (method) => {
    const server = await taking((token) => token === 't2');
    const { ask, asked } = mint(() => 0);
    const transport = platform(server.url, { token: keptToken(ask, clockAt(0)) });
    const body = { kind: 'text', text: '{"a":1}', contentType: 'application/json' } as const;
    expect(await textOf(transport, get({ method, ...(method !== 'GET' && { body }) }))).toBe('ok');
    expect(server.requests.map(({ method: sent, headers }) => [sent, headers['authorization']])).toEqual([
      [method, 'Bearer t1'],
      [method, 'Bearer t2'],
    ]);
    expect(asked()).toBe(2);
  });

  it('is asked no third time', async () => {
    const server = await taking(() => false);
    const { ask, asked } = mint(() => 0);
    const answer = await platform(server.url, { token: keptToken(ask, clockAt(0)) }).send(get());
    expect([answer.status, server.requests.length, asked()]).toEqual([401, 2, 2]);
    await answer.discard();
  });

  it('is not asked again with the token that it rejected', async () => {
    const server = await taking(() => false);
    const answer = await platform(server.url, { token: keptToken(async () => ({ token: 't' }), clockAt(0)) }).send(
      get(),
    );
    expect([answer.status, server.requests.length]).toEqual([401, 1]);
    await answer.discard();
  });

  it('gets all requests that were rejected together with one new token', async () => {
    const server = await taking((token) => token === 't2');
    const { ask, asked } = mint(() => 0);
    const transport = platform(server.url, { token: keptToken(ask, clockAt(0)), connections: 8 });
    const texts = await Promise.all(Array.from({ length: 40 }, () => textOf(transport)));
    expect(new Set(texts)).toEqual(new Set(['ok']));
    expect(asked()).toBe(2);
  });
});
