import { describe, expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import type { HttpRequest, Transport } from '../../../../src/http/transport.js';
import { lookAt, secretsOf, signIn, type Opener } from '../../../../src/services/login/sign-in.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { failure } from '../pipelines/support.js';

const JOE = { user: 'joe', password: 'pw', isExtended: false };

/** Servers by their addresses: what they answer, or the code of the error in its place. */
function openerOf(servers: Readonly<Record<string, string | 401>>) {
  const asked: string[] = [];
  const open: Opener = async (url, isSecret) => {
    asked.push(`${isSecret ? 'secret ' : ''}${url}`);
    const send = async ({ method, path, headers = {} }: HttpRequest) => {
      asked.push(`${method} ${path} ${headers['authorization'] ?? ''}`.trim());
      const said = servers[url] ?? 'NET_DNS';
      if (typeof said === 'string' && /^[A-Z_]+$/u.test(said)) throw new CliError(said as ErrorCode, `no ${url}`);
      const body = (async function* () {
        yield Buffer.from(said === 401 ? '{"auth_uri":["https://auth/token"]}' : said);
      })();
      const facts = { headers: {}, url: `${url}${path}`, method, attempts: 1, discard: async () => undefined };
      return { ...facts, status: said === 401 ? 401 : 200, body };
    };
    return { peer: 'platform', base: url, send, close: async () => undefined } satisfies Transport<'platform'>;
  };
  return { open, asked };
}
const AT = Buffer.from('joe:pw').toString('base64');

describe('signing in', () => {
  it.each([
    ['https://auth:1/token', 'https://auth:1'],
    ['https://auth:1/x/extendedtoken', 'https://auth:1/x'],
    ['https://auth:1/token/', 'https://auth:1'],
    ['https://auth:1/token/x', 'https://auth:1/token/x'],
    ['https://auth:1', 'https://auth:1'],
  ])('asks %s at %s', async (uri, base) => {
    const { open, asked } = openerOf({ [base]: 'the token' });
    expect(await signIn([uri], JOE, open, NEVER)).toBe('the token');
    expect(asked).toEqual([`secret ${base}`, `GET /token Basic ${AT}`]);
  });

  it.each<ErrorCode>(['NET_DNS', 'NET_REFUSED', 'NET_RESET', 'NET_TIMEOUT', 'UNAVAILABLE'])(
    'asks the next server where nobody answers: %s',
    async (code) => {
      const { open } = openerOf({ 'https://a': code, 'https://b': 'the token' });
      expect(await signIn(['https://a/token', 'https://b/token'], JOE, open, NEVER)).toBe('the token');
      expect(
        await failure(signIn(['https://b/x', 'https://a/token'], JOE, openerOf({ 'https://a': code }).open, NEVER)),
      ).toEqual({
        ...{ code, message: 'no https://a' },
      });
    },
  );

  it('asks no other server where one refuses', async () => {
    const { open, asked } = openerOf({ 'https://a': 401, 'https://b': 'the token' });
    expect(await codeOf(signIn(['https://a/token', 'https://b/token'], JOE, open, NEVER))).toBe('AUTH');
    expect(asked).toHaveLength(2);
    expect(await codeOf(signIn(['https://a'], JOE, openerOf({ 'https://a': 'TLS' }).open, NEVER))).toBe('TLS');
  });

  it('is an error without any server', async () => {
    expect(await failure(signIn([], JOE, openerOf({}).open, NEVER))).toEqual({
      ...{ code: 'AUTH', message: 'the platform names no authentication server' },
    });
  });

  it('has secrets', () => {
    expect(secretsOf(JOE)).toEqual(['pw', AT]);
  });
});

describe('a look at a platform', () => {
  it('tells its version, or where a token is to be had', async () => {
    const open = openerOf({ 'https://cdap': '{"version":"6.11.0"}' });
    expect(await lookAt('https://cdap', open.open, NEVER)).toEqual({ kind: 'open', version: '6.11.0' });
    expect(open.asked).toEqual(['https://cdap', 'GET /v3/version']);
    const closed = openerOf({ 'https://cdap': 401 });
    expect(await lookAt('https://cdap', closed.open, NEVER, 'T')).toEqual({
      ...{ kind: 'closed', servers: ['https://auth/token'] },
    });
    expect(closed.asked).toEqual(['secret https://cdap', 'GET /v3/version Bearer T']);
  });
});
