import * as z from 'zod/mini';
import { empty } from './answers.js';
import type { EmulatorAnswer } from './exchange.js';

/**
 * The accounts of an `--auth-file`: who may log in, and with which token requests are sent. With `seconds` each login
 * gets a token of its own, which lives so long.
 */
export const Accounts = z.array(
  z.strictObject({ user: z.string(), password: z.string(), token: z.string(), seconds: z.optional(z.number()) }),
);
/** The accounts of an `--auth-file`. */
export type Accounts = z.infer<typeof Accounts>;

const TYPE = { 'content-type': 'application/json;charset=UTF-8', connection: 'close' };
const REASON = 'Failed to validate access token with reason:';
const DAY_SECONDS = 86_400;
/** How much longer an extended token lives (docs/platform.md 10.2). */
const EXTENDED = 7;

/** The authentication server, on the platform's port here, and the check of its tokens. */
export interface Authority {
  /** The router's 401 when a request has no valid token (docs/platform.md 10.1), else `undefined`. */
  refusal(authorization: string | undefined, url: string): EmulatorAnswer | undefined;
  /** What the authentication server answers (docs/platform.md 10.2). */
  login(authorization: string | undefined, isExtended: boolean): EmulatorAnswer;
}

/** Makes the authority over some accounts; `now` is in milliseconds since the epoch. */
export function authorityOf(accounts: Accounts, now: () => number): Authority {
  const ends = new Map<string, number>();
  for (const { token, seconds } of accounts) if (seconds === undefined) ends.set(token, Infinity);
  let issued = 0;
  return {
    refusal(authorization, url) {
      const token = /^\S+ (?<token>.+)$/u.exec(authorization ?? '')?.groups?.['token'];
      const end = ends.get(token ?? '');
      if (end !== undefined && now() < end) return undefined;
      return refused(token, end === undefined ? 'Invalid token signature.' : 'Expired token.', url);
    },
    login(authorization, isExtended) {
      const encoded = /^basic (?<encoded>\S+)$/iu.exec(authorization ?? '')?.groups?.['encoded'] ?? '';
      const credentials = Buffer.from(encoded, 'base64').toString('utf8');
      const account = accounts.find(({ user, password }) => credentials === `${user}:${password}`);
      if (account === undefined) return wrongPassword();
      const seconds = (account.seconds ?? DAY_SECONDS) * (isExtended ? EXTENDED : 1);
      const token = account.seconds === undefined ? account.token : `${account.token}.${(issued += 1)}`;
      if (account.seconds !== undefined) ends.set(token, now() + seconds * 1000);
      return tokenAnswer(token, seconds);
    },
  };
}

function refused(token: string | undefined, why: string, url: string): EmulatorAnswer {
  const addresses = { auth_uri: [`${url}/token`] };
  if (token === undefined) {
    return {
      status: 401,
      headers: { ...TYPE, 'www-authenticate': 'Bearer realm="cdap"' },
      body: JSON.stringify(addresses),
    };
  }
  const description = `${REASON} ${why}`;
  const challenge = `Bearer realm="cdap" error="invalid_token" error_description="${description}"`;
  const body = { error: 'invalid_token', error_description: description, ...addresses };
  return { status: 401, headers: { ...TYPE, 'www-authenticate': challenge }, body: JSON.stringify(body) };
}

function wrongPassword(): EmulatorAnswer {
  const headers = { 'content-type': 'text/html;charset=iso-8859-1', 'www-authenticate': 'basic realm="null"' };
  return { ...empty(401), headers, body: '<html><body><h2>HTTP ERROR 401 Unauthorized</h2></body></html>\n' };
}

function tokenAnswer(token: string, seconds: number): EmulatorAnswer {
  const body = { access_token: token, token_type: 'Bearer', expires_in: seconds };
  const headers = { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status: 200, headers, body: JSON.stringify(body) };
}
