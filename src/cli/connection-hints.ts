import { commandWords } from '../config/command-words.js';
import type { Settings } from '../config/precedence.js';
import type { Setting } from '../config/setting.js';
import { CliError, type ErrorCode } from '../core/errors.js';
import { isSameAddress } from '../core/hub-address.js';
import { readLogin, type Login } from '../state/login/logins.js';
import { safeFolder } from '../state/private-folder.js';
import type { FoundSettings } from './settings.js';
import type { HubChoice } from '../config/target.js';
import type { HubSource } from '../hub/source.js';
import { commandLine } from './line/command-line.js';
import type { Session } from './session.js';

/** What says that there is nobody at an address. */
const NOBODY: ReadonlySet<ErrorCode> = new Set([
  'NET_DNS',
  'NET_REFUSED',
  'NET_RESET',
  'NET_TIMEOUT',
  'NET_PROTO',
  'TLS',
]);
/** What says that somebody else is there: no platform answers the question for its version like this. */
const SOMEBODY_ELSE: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'BAD_ANSWER', 'REMOTE_FAILED', 'REDIRECT_BAD']);

/** The same error with more hints behind its own. */
export function withHints(error: CliError, hints: readonly string[]): CliError {
  return new CliError(error.code, error.message, {
    ...error.details,
    hints: [...(error.details.hints ?? []), ...hints],
  });
}

/**
 * Adds hints to the failure of the first request to a platform. They name the address, where it comes from, and how to
 * use another.
 */
export function withNextStep(error: unknown, { value, from, context }: Setting<string>): unknown {
  if (!(error instanceof CliError)) return error;
  const other =
    context === undefined
      ? []
      : [commandLine(['context', 'show', context]), 'to use another address for one run: -u URL'];
  if (NOBODY.has(error.code))
    return withHints(error, [`is the platform running, and is ${value} (${from}) its address?`, ...other]);
  if (error.code === 'AUTH' && error.details.serverSaid?.includes('"auth_uri":["') === true)
    return withHints(error, [
      commandLine(['login', ...(context === undefined ? ['-u', value] : ['--context', context])]),
    ]);
  if (!SOMEBODY_ELSE.has(error.code)) return error;
  return withHints(error, [
    `${value} (${from}) does not respond like a CDAP platform; use the address of its router, for example http://HOST:11015`,
    ...other,
  ]);
}

/** The same hub, whose catalog says what to do next when nobody is at its address. */
export function withHubHints(source: HubSource, { name, url }: HubChoice): HubSource {
  const change =
    name === undefined ? [] : [commandLine(['hub', 'remove', name]), `${commandLine(['hub', 'add', name])} URL`];
  return {
    ...source,
    async catalog(known, signal) {
      try {
        return await source.catalog(known, signal);
      } catch (error) {
        throw error instanceof CliError && NOBODY.has(error.code)
          ? withHints(error, [`is the hub running, and is ${url} its address?`, ...change])
          : error;
      }
    },
  };
}

/** Completes "the token ..." with the place that the token of this run comes from. Undefined when there is none. */
export function tokenPlace(
  { settings }: { readonly settings: Pick<Settings, 'tokenFile' | 'tokenCommand'> },
  { env }: Pick<Session, 'env'>,
  login?: Login,
): string | undefined {
  const { tokenFile, tokenCommand } = settings;
  if (tokenFile !== undefined) return `in ${tokenFile.value === '-' ? 'stdin' : tokenFile.value} (${tokenFile.from})`;
  if (tokenCommand !== undefined) return `of ${commandWords(tokenCommand.value)[0]} (${tokenCommand.from})`;
  if ((env['CDAPCTL_TOKEN'] ?? '') !== '') return 'in CDAPCTL_TOKEN';
  return login === undefined ? undefined : `of the login to context "${login.context}"`;
}

/** The login of the context in force, for its own address and where no other token is given. */
export async function storedLogin(
  { settings, folders }: Pick<FoundSettings, 'settings' | 'folders'>,
  session: Pick<Session, 'env'>,
): Promise<Login | undefined> {
  const { context, url } = settings;
  if (context === undefined || url === undefined || tokenPlace({ settings }, session) !== undefined) return undefined;
  const { name } = context.value;
  const login = await readLogin(safeFolder(folders.state), name);
  return login !== undefined && isSameAddress(login.url, url.value) ? login : undefined;
}

/** The error for a login whose time is over, before anything is sent. */
export const loginExpired = ({ context }: Login, at: number): CliError =>
  new CliError('AUTH', `the login to context "${context}" expired at ${new Date(at).toISOString()}`, {
    hints: [commandLine(['login', '--context', context])],
    sent: 'no',
  });
