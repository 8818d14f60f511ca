import { resolve } from 'node:path';
import { tokenPlace, wayForLogin } from '../../cli/connection-hints.js';
import type { CommandContext } from '../../cli/context-types.js';
import { homeOf } from '../../cli/folders.js';
import { commandLine } from '../../cli/line/command-line.js';
import { platformAddress, readTokenFile } from '../../cli/transports.js';
import type { Session } from '../../cli/session.js';
import { resolveSettings } from '../../config/precedence.js';
import { inContext } from '../../config/setting.js';
import { timedToken, type GivenToken } from '../../config/token.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import type { Identity } from '../../output/views/identity.js';
import { lookAt, secretsOf, signIn } from '../../services/login/sign-in.js';
import { loginFile, writeLogin } from '../../state/login/logins.js';
import { addContext, changeUserConfig } from '../settings/change-config.js';
import { contextMembers } from '../settings/context-members.js';
import { loginContext, type LoginContext } from './context-name.js';
import { withCredentials, type CredentialFlags } from './credentials.js';

/** What the line of a login says. */
export interface LoginFlags extends CredentialFlags {
  readonly context?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly 'auth-url'?: string | undefined;
  readonly extended?: boolean | undefined;
  readonly import?: boolean | undefined;
  readonly store?: boolean | undefined;
  readonly namespace?: string | undefined;
  readonly 'ca-file'?: string | undefined;
  readonly proxy?: string | undefined;
}

type Tokens = Pick<Deps['found']['settings'], 'tokenFile' | 'tokenCommand'>;
type Deps = Pick<CommandContext, 'asker' | 'bare' | 'found' | 'platformAddress' | 'stateFolder'>;
type Here = Pick<Session, 'argv' | 'clock' | 'env' | 'signal' | 'terminal'>;

/** A platform whose servers are not told, or that has none: a token comes from elsewhere. */
function noServer(url: string, name: string): CliError {
  return new CliError('AUTH', `${url} names no authentication server`, {
    hints: [
      'to log in with a token that you have, use --token-file FILE',
      `${commandLine(['context', 'set', name, '--token-command'])} COMMAND  # a program that prints a token`,
      'with another server: --auth-url URL',
    ],
  });
}

async function newToken(
  servers: readonly string[],
  flags: LoginFlags,
  context: Deps,
  session: Here,
): Promise<GivenToken> {
  const { signal, terminal, clock } = session;
  return withCredentials(flags, context, session, async (who) => {
    const credentials = { ...who, isExtended: flags.extended === true };
    for (const secret of secretsOf(credentials)) terminal.secrets.add(secret);
    const since = clock.now();
    const text = await signIn(servers, credentials, context.bare, signal);
    return { ...timedToken(text, 'of the authentication server', since), user: who.user };
  });
}

/**
 * The file in which the platform's own CLI keeps the token for a host (docs/platform.md 10.2).
 * @throws LOCAL_IO where it is absent
 */
function fileOfOtherCli(url: string, { argv, env }: Here): string {
  const { hostname } = new URL(url);
  const named = env['ACCESS_TOKEN'] ?? '';
  const file = named === '' ? resolve(homeOf(env) ?? '/', `.cdap.accesstoken.${hostname}`) : named;
  if (isThere(file)) return file;
  // A variable of this name may be the token itself by mistake, so its value is not shown.
  const why =
    named === '' ? `has stored no token for ${hostname} (${file})` : 'finds no file at the path in ACCESS_TOKEN';
  throw new CliError('LOCAL_IO', `the CLI of the platform ${why}`, {
    hints: [commandLine(argv.filter((word) => word !== '--import'))],
  });
}

/** The token of a file that the line names; that of the environment is no login. */
async function fileToken(file: string, { signal, terminal }: Here): Promise<GivenToken> {
  const given = await readTokenFile(file, signal);
  for (const { code, message } of given.warnings) terminal.warn(code, message);
  return given;
}

async function keepContext(
  { name, isNew }: LoginContext,
  url: string,
  flags: LoginFlags,
  context: Deps,
  session: Here,
) {
  if (!isNew) return;
  const line = { namespace: flags.namespace, 'ca-file': flags['ca-file'], proxy: flags.proxy };
  const members = await contextMembers(line, context.found, session);
  const { config } = await changeUserConfig(addContext(name, { ...members, url }), session);
  const isCurrent = config.current === name;
  session.terminal.tell(`added context ${name} (${url})${isCurrent ? ', now the current one' : ''}`);
  if (!isCurrent) session.terminal.tell(`to use it: ${commandLine(['context', 'use', name])}`);
}

/** The tokens that are used in a context in place of its login. A line with `-u` does not see them. */
function laterTokens(name: string, { sources }: Deps['found'], { env }: Here): Tokens {
  // Later runs do not have the file of this line.
  const flags = { ...sources.flags, 'token-file': undefined };
  const { tokenFile, tokenCommand } = resolveSettings({ ...sources, flags });
  const own = { ...sources.system?.config.contexts, ...sources.user?.config.contexts }[name];
  if (tokenFile !== undefined || tokenCommand !== undefined || (env['CDAPCTL_TOKEN'] ?? '') !== '')
    return { tokenFile, tokenCommand };
  const stored = (value: string | undefined): Tokens['tokenFile'] =>
    value === undefined ? undefined : { value, origin: 'user', ...inContext(name) };
  return { tokenFile: stored(own?.tokenFile), tokenCommand: stored(own?.tokenCommand) };
}

/** A login comes after every other token: says which one that is, and what to do for this one. */
function warnOfOther(name: string, found: Deps['found'], session: Here): void {
  const later = { settings: laterTokens(name, found, session) };
  const [place, way] = [tokenPlace(later, session), wayForLogin(later, session)];
  if (place === undefined || way === undefined) return;
  const next = 'command' in way ? way.command : `remove ${way.without}`;
  session.terminal.warn('TOKEN', `the token ${place} is used instead of this login; to use this login: ${next}`);
}

/**
 * Logs in to a platform. Finds out whether it wants a token, gets one, tries it and keeps it for a context.
 * @throws AUTH when user, password or token are not accepted
 */
export async function login(flags: LoginFlags, context: Deps, session: Here): Promise<Identity> {
  const { found, bare, stateFolder } = context;
  const { signal, terminal } = session;
  if (flags.import === true && flags['token-file'] !== undefined)
    throw new CliError('USAGE', '--import and --token-file cannot be used together');
  const url = platformAddress(context.platformAddress());
  const chosen = loginContext(url, flags.context, found);
  const door = await lookAt(url, bare, signal);
  const identity = { context: chosen.name, url };
  const isKept = flags.store !== false;
  if (door.kind === 'open') {
    terminal.tell(`${url} requires no login`);
    if (isKept) await keepContext(chosen, url, flags, context, session);
    return { ...identity, authentication: false, version: door.version };
  }
  const servers = flags['auth-url'] === undefined ? door.servers : [flags['auth-url']];
  const file = flags.import === true ? fileOfOtherCli(url, session) : flags['token-file'];
  if (file === undefined && servers.length === 0) throw noServer(url, chosen.name);
  if (file === undefined) terminal.tell(`${url} requires login (auth server ${servers.join(', ')})`);
  const place = loginFile(stateFolder, chosen.name);
  if (isKept) terminal.tell(`the token will be stored in ${place} (only you can read it); --no-store avoids this`);
  const given = file === undefined ? await newToken(servers, flags, context, session) : await fileToken(file, session);
  terminal.secrets.add(given.token);
  const after = await lookAt(url, bare, signal, given.token);
  if (after.kind === 'closed') throw new CliError('AUTH', `${url} does not accept the token`);
  const { token, user, expiresAt } = given;
  if (isKept) {
    await keepContext(chosen, url, flags, context, session);
    const known = { ...(user !== undefined && { user }), ...(expiresAt !== undefined && { expiresAt }) };
    await writeLogin(stateFolder, { context: chosen.name, url, token, ...known });
    warnOfOther(chosen.name, found, session);
  }
  return {
    ...identity,
    authentication: true,
    version: after.version,
    ...(user !== undefined && { user }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
