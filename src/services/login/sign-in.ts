import { CliError, type ErrorCode } from '../../core/errors.js';
import type { Transport } from '../../http/transport.js';
import { basicOf, knock, requestToken, type Credentials, type Door } from '../../platform/access/sign-in.js';

/** What says that nobody answers at one address, so that the next one is tried. */
const NOBODY: ReadonlySet<ErrorCode> = new Set(['NET_DNS', 'NET_REFUSED', 'NET_RESET', 'NET_TIMEOUT', 'UNAVAILABLE']);

/** Opens the way to an address: without a token, refused where a password would go unencrypted. */
export type Opener = (url: string, isSecret: boolean) => Promise<Transport<'platform'>>;

/** Whether a platform wants a token, and of whom; with a token whether it takes that one. */
export const lookAt = async (url: string, open: Opener, signal: AbortSignal, token?: string): Promise<Door> =>
  knock(await open(url, token !== undefined), signal, token);

/** The address of a server that the platform names with the path of a token. */
const baseOf = (uri: string): string => uri.replace(/\/(?:extended)?token\/?$/u, '');

/**
 * Asks the authentication servers for a token, one after the other until one answers. Returns its answer as text.
 * @throws AUTH when user and password are not accepted, else the error of the last server
 */
export async function signIn(
  servers: readonly string[],
  credentials: Credentials,
  open: Opener,
  signal: AbortSignal,
): Promise<string> {
  let last: unknown = new CliError('AUTH', 'the platform names no authentication server');
  for (const uri of servers) {
    try {
      return await requestToken(await open(baseOf(uri), true), credentials, signal);
    } catch (error) {
      if (!(error instanceof CliError) || !NOBODY.has(error.code)) throw error;
      last = error;
    }
  }
  throw last;
}

/** What must not be shown of a login. */
export const secretsOf = (credentials: Credentials): readonly string[] => [credentials.password, basicOf(credentials)];
