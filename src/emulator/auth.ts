import * as z from 'zod/mini';
import { empty } from './answers.js';
import type { EmulatorAnswer } from './exchange.js';

/** The accounts of an `--auth-file`: who may log in, and with which token requests are sent. */
export const Accounts = z.array(z.strictObject({ user: z.string(), password: z.string(), token: z.string() }));
/** The accounts of an `--auth-file`. */
export type Accounts = z.infer<typeof Accounts>;

const TYPE = { 'content-type': 'application/json;charset=UTF-8', connection: 'close' };
const INVALID = 'Failed to validate access token with reason: Invalid token signature.';
const LIFETIME_SECONDS = 86_400;

/** The router's 401 when a request has no valid token (docs/platform.md 10.1), else `undefined`. */
export function refusedToken(
  accounts: Accounts,
  authorization: string | undefined,
  url: string,
): EmulatorAnswer | undefined {
  const token = /^\S+ (?<token>.+)$/u.exec(authorization ?? '')?.groups?.['token'];
  if (accounts.some((account) => account.token === token)) return undefined;
  const addresses = { auth_uri: [`${url}/token`] };
  if (token === undefined) {
    return {
      status: 401,
      headers: { ...TYPE, 'www-authenticate': 'Bearer realm="cdap"' },
      body: JSON.stringify(addresses),
    };
  }
  const challenge = `Bearer realm="cdap" error="invalid_token" error_description="${INVALID}"`;
  const body = { error: 'invalid_token', error_description: INVALID, ...addresses };
  return { status: 401, headers: { ...TYPE, 'www-authenticate': challenge }, body: JSON.stringify(body) };
}

/** What the authentication server answers (docs/platform.md 10.2). The emulator has it on the platform's port. */
export function tokenAnswer(accounts: Accounts, authorization: string | undefined): EmulatorAnswer {
  const encoded = /^basic (?<encoded>\S+)$/iu.exec(authorization ?? '')?.groups?.['encoded'] ?? '';
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const account = accounts.find(({ user, password }) => credentials === `${user}:${password}`);
  if (account === undefined) {
    const headers = { 'content-type': 'text/html;charset=iso-8859-1', 'www-authenticate': 'basic realm="null"' };
    return { ...empty(401), headers, body: '<html><body><h2>HTTP ERROR 401 Unauthorized</h2></body></html>\n' };
  }
  const body = { access_token: account.token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
  const headers = { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status: 200, headers, body: JSON.stringify(body) };
}
