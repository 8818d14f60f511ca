import { commandWords } from '../config/command-words.js';
import type { Settings } from '../config/precedence.js';
import type { Setting } from '../config/setting.js';
import { CliError, type ErrorCode } from '../core/errors.js';
import { isSameAddress, isSameBase } from '../core/hub-address.js';
import { readLogin, type Login } from '../state/login/logins.js';
import { safeFolder } from '../state/private-folder.js';
import type { FoundSettings } from './settings.js';
import type { HubChoice } from '../config/target.js';
import type { HubSource } from '../hub/source.js';
import { commandLine } from './line/command-line.js';
import { withFlag, withoutFlags } from './line/rewrite-line.js';
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
  if (!SOMEBODY_ELSE.has(error.code)) return error;
  return withHints(error, [
    `${value} (${from}) does not respond like a CDAP platform; use the address of its router, for example http://HOST:11015`,
    ...other,
  ]);
}

/** What names other hubs, where one cannot be used. */
export function otherHubs(choices: readonly HubChoice[]): readonly string[] {
  const flags = choices.flatMap(({ name }) => (name === undefined ? [] : [`--hub ${name}`]));
  return flags.length === 0 ? [] : [`to use another hub: ${flags.slice(0, 3).join(', or ')}`];
}

/** The same hub, which says what to do next when nobody is at its address, as to use one of the others. */
export function withHubHints(source: HubSource, { name, url }: HubChoice, others: readonly HubChoice[]): HubSource {
  const change =
    name === undefined
      ? []
      : [
          'if the address has changed:',
          commandLine(['hub', 'remove', name]),
          `${commandLine(['hub', 'add', name])} URL`,
        ];
  const helping = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof CliError && NOBODY.has(error.code)
        ? withHints(error, [`is the hub running, and is ${url} its address?`, ...otherHubs(others), ...change])
        : error;
    }
  };
  return {
    ...source,
    catalog: (known, signal) => helping(source.catalog(known, signal)),
    open: (place, options, signal) =>
      place.name === undefined ? helping(source.open(place, options, signal)) : source.open(place, options, signal),
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

/**
 * What makes way for a login where another token is used. That is a command where the token stands in a context, else
 * what to leave out. Undefined when there is none.
 */
export function wayForLogin(
  { settings }: Parameters<typeof tokenPlace>[0],
  { env }: Pick<Session, 'env'>,
): { readonly command: string } | { readonly without: string } | undefined {
  const { tokenFile, tokenCommand } = settings;
  const given = tokenFile ?? tokenCommand;
  const flag = tokenFile === undefined ? '--token-command' : '--token-file';
  if (given?.context !== undefined) return { command: commandLine(['context', 'set', given.context, flag, '']) };
  if (given !== undefined) return { without: given.from };
  return (env['CDAPCTL_TOKEN'] ?? '') === '' ? undefined : { without: 'CDAPCTL_TOKEN' };
}

/** The names of all contexts with an address. */
const contextsAt = ({ sources: { user, system } }: Pick<FoundSettings, 'sources'>, url: string): readonly string[] =>
  Object.entries({ ...system?.config.contexts, ...user?.config.contexts }).flatMap(([name, context]) =>
    isSameAddress(context.url, url) ? [name] : [],
  );

/**
 * The login for the address of this run, where no other token is given: that of the context in force. For an address
 * without a context it is that of the current context, or the only one. A login of another address is never taken.
 */
export async function storedLogin(found: FoundSettings, session: Pick<Session, 'env'>): Promise<Login | undefined> {
  const { context, url } = found.settings;
  if (url === undefined || tokenPlace(found, session) !== undefined) return undefined;
  const names = context === undefined ? contextsAt(found, url.value) : [context.value.name];
  const kept = await Promise.all(names.map(async (name) => readLogin(safeFolder(found.folders.state), name)));
  const logins = kept.filter((login) => login !== undefined && isSameBase(login.url, url.value));
  const { project, user, system } = found.sources;
  const current = project?.settings.context ?? user?.config.current ?? system?.config.current;
  return logins.length === 1 ? logins[0] : logins.find((login) => login?.context === current);
}

/**
 * Adds the command that logs in to the error of a platform that wants a token. It comes first, unless a token of
 * another kind was rejected: that has to go before a login is used. Where several contexts have the address, it adds
 * the line in each of them.
 */
export function withLogin(
  error: unknown,
  found: FoundSettings,
  session: Pick<Session, 'argv' | 'env'>,
  login: Login | undefined,
): unknown {
  const { context, url } = found.settings;
  if (!(error instanceof CliError) || error.code !== 'AUTH' || url === undefined) return error;
  const { hints = [], serverSaid = '' } = error.details;
  const way = login === undefined ? wayForLogin(found, session) : undefined;
  const isRejected = way !== undefined;
  const names = context === undefined && !isRejected ? contextsAt(found, url.value) : [];
  const where = context === undefined ? ['-u', url.value] : ['--context', context.value.name];
  const logIn =
    names.length > 1
      ? [`several contexts have this URL: ${names.join(', ')}`, ...linesIn(names, session.argv)]
      : serverSaid.includes('"auth_uri":["')
        ? logInBy(commandLine(['login', ...where]), way)
        : [];
  return new CliError('AUTH', error.message, {
    ...error.details,
    hints: isRejected ? [...hints, ...logIn] : [...logIn, ...hints],
  });
}

/** A login, and what makes it the token of the next run. */
function logInBy(command: string, way: ReturnType<typeof wayForLogin>): readonly string[] {
  if (way === undefined) return [command];
  return 'command' in way
    ? [`${way.command}  # to use a login in its place`, command]
    : [`${command}  # and then remove ${way.without}`];
}

/** The same line in each context, in place of its URL. */
const linesIn = (contexts: readonly string[], argv: readonly string[]): readonly string[] =>
  contexts
    .slice(0, 5)
    .map((name) => commandLine(withFlag(withoutFlags(argv, { url: { type: 'option', char: 'u' } }), 'context', name)));

/** The error for a login whose time is over, before anything is sent. */
export const loginExpired = ({ context }: Login, at: string): CliError =>
  new CliError('AUTH', `the login to context "${context}" expired at ${at}`, {
    hints: [commandLine(['login', '--context', context])],
    sent: 'no',
  });
