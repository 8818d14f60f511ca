import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { errorText, failureOf, readBytes, readJson, readText } from '../../http/answers.js';
import { path } from '../../http/path.js';
import type { HttpAnswer, Transport } from '../../http/transport.js';
import { SMALL_ANSWER } from '../endpoint.js';

const Version = z.looseObject({ version: z.string().check(z.maxLength(1000)) });
const Servers = z.looseObject({ auth_uri: z.array(z.string()) });

/** What a platform says to a request: it answers, or wants a token of one of these servers. */
export type Door = (
  { readonly kind: 'open'; readonly version: string } | { readonly kind: 'closed'; readonly servers: readonly string[] }
) & {
  /** The time of the platform, where it tells one. */
  readonly date: string | undefined;
};

/** Asks a platform for its version, with a token or without (docs/platform.md 10.1). */
export async function knock(transport: Transport<'platform'>, signal: AbortSignal, token?: string): Promise<Door> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await transport.send({
    method: 'GET',
    path: path`/v3/version`,
    headers,
    maxBytes: SMALL_ANSWER,
    signal,
  });
  const { date } = answer.headers;
  if (answer.status === 401) return { kind: 'closed', date, servers: await serversIn(answer) };
  if (answer.status > 299) throw await failureOf(answer);
  return { kind: 'open', date, version: (await readJson(answer, Version, 'the version')).version };
}

/** A managed platform may name no server, in JSON or not. */
async function serversIn(answer: HttpAnswer): Promise<readonly string[]> {
  const bytes = await readBytes(answer);
  try {
    const { data } = Servers.safeParse(parseJson(bytes, 'the refusal'));
    return (data?.auth_uri ?? []).filter((uri) => URL.canParse(uri) && /^https?:/u.test(uri));
  } catch {
    return [];
  }
}

/** Who wants a token. An extended one lives a week instead of a day (docs/platform.md 10.2). */
export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly isExtended: boolean;
}

/** What the header of a login holds, which is as secret as the password in it. */
export const basicOf = ({ user, password }: Credentials): string =>
  Buffer.from(`${user}:${password}`, 'utf8').toString('base64');

/**
 * Asks an authentication server for a token and returns its answer as text.
 * @throws AUTH when it does not accept user and password
 */
export async function requestToken(
  server: Transport<'platform'>,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<string> {
  const answer = await server.send({
    method: 'GET',
    path: credentials.isExtended ? path`/extendedtoken` : path`/token`,
    headers: { authorization: `Basic ${basicOf(credentials)}` },
    maxBytes: SMALL_ANSWER,
    signal,
  });
  if (answer.status < 300) return readText(answer);
  if (answer.status !== 401) throw await failureOf(answer);
  await errorText(answer);
  const { host } = new URL(answer.url);
  throw new CliError('AUTH', `${host} does not accept this user and password`, {
    request: { method: 'GET', url: answer.url, status: 401 },
  });
}
