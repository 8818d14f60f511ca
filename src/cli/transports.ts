import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { readToken, tokenFromText, type ReadToken } from '../config/token.js';
import type { Emit, TraceFact } from '../core/events.js';
import { LARGEST_TEXT, readBounded } from '../core/files/read-bounded.js';
import { keptToken, onlyToken, type TimedToken, type TokenSource } from '../http/kept-token.js';
import { proxyFrom } from '../http/proxy.js';
import { readCertificates } from '../http/tls.js';
import type { Transport, TransportOptions } from '../http/transport.js';
import { hubTransport, platformTransport } from '../http/undici/undici-transport.js';
import { requestLine, traceLines } from '../output/trace-lines.js';
import { timeText } from '../output/writers/columns.js';
import { loginExpired, storedLogin } from './connection-hints.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal/terminal.js';
import type { FoundSettings, GivenFlags } from './settings.js';
import { CliError } from '../core/errors.js';
import { isLoopback, parseBaseUrl } from '../http/base-url.js';

/** Makes all transports, so that none misses proxy, certificates or time limits. See docs/conventions.md 2.15. */
export interface Transports {
  platform(url: string): Promise<Transport<'platform'>>;
  hub(url: string): Promise<Transport<'hub'>>;
  /** The way to an address without a token; `isSecret` where a password goes along. */
  bare(url: string, isSecret: boolean): Promise<Transport<'platform'>>;
  /** When the token of the platform ends, in milliseconds since the epoch, once that is known. */
  tokenExpiresAt(): number | undefined;
  closeAll(): Promise<void>;
}

/** A shorter word of what a token command printed is no token. */
const SHORTEST_TOKEN = 12;

interface TransportDeps {
  readonly session: Pick<Session, 'build' | 'clock' | 'env' | 'signal' | 'terminal'>;
  readonly found: FoundSettings;
  readonly flags: GivenFlags;
  readonly emit: Emit;
  /** Writes a line to stderr, whatever is drawn there. */
  readonly say: (line: string) => void;
}

interface TracedDeps extends TransportDeps {
  readonly trace: ((fact: TraceFact) => void) | undefined;
}

async function certificates({ settings }: FoundSettings): Promise<string | undefined> {
  const file = settings.caFile?.value;
  if (file === undefined) return undefined;
  return readCertificates(await readBounded(file, LARGEST_TEXT), file);
}

function tracer({ session, flags, say }: TransportDeps): ((fact: TraceFact) => void) | undefined {
  const { 'trace-http': file, debug, verbose } = flags;
  const write = typeof file === 'string' && file !== '-' ? traceFile(file, session.terminal) : undefined;
  const isDebug = debug === true || file === '-';
  if (write === undefined && !isDebug && verbose !== true) return undefined;
  return (fact) => {
    write?.(`${session.terminal.hide(traceLines(fact))}\n`);
    const shown = isDebug ? traceLines(fact) : verbose === true ? requestLine(fact) : undefined;
    if (shown !== undefined) say(shown);
  };
}

/**
 * Opens the file of a trace before anything is sent, LOCAL_IO. Later it may fail without a word of the run being
 * changed.
 */
function traceFile(file: string, terminal: Pick<Terminal, 'hide' | 'warn'>): (text: string) => void {
  // A pipe would be waited for.
  const isOther = statSync(file, { throwIfNoEntry: false })?.isFile() === false;
  if (isOther)
    throw new CliError('LOCAL_IO', `${file} is not a regular file`, { hints: ['--trace-http - writes to stderr'] });
  const opened = openSync(file, 'a', 0o600);
  let isOpen = fstatSync(opened).isFile();
  return (text) => {
    if (!isOpen) return;
    try {
      writeSync(opened, text);
    } catch {
      isOpen = false;
      closeSync(opened);
      terminal.warn('TRACE', `the trace in ${file} ends here: the file can no longer be written`);
    }
  };
}

async function optionsFor(base: string, making: TracedDeps): Promise<TransportOptions> {
  const { session, found, emit, flags } = making;
  const { concurrency } = flags;
  const { settings } = found;
  return {
    base,
    clock: session.clock,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    retries: settings.retries.value + 1,
    connectTimeout: settings.connectTimeout.value,
    headersTimeout: settings.requestTimeout?.value,
    connections: typeof concurrency === 'number' ? concurrency : undefined,
    proxy: proxyFrom(session.env, settings.proxy?.value, settings.proxy?.from),
    ca: await certificates(found),
    insecure: settings.insecureSkipTlsVerify?.value === true,
    emit,
    ...(making.trace && { trace: making.trace }),
    hide: (text) => session.terminal.hide(text),
    userAgent: `cdapctl/${session.build.version}`,
  };
}

/** The token in a file, or on stdin. */
export const readTokenFile = (file: string, signal: AbortSignal): Promise<ReadToken> =>
  readToken({ file, stdin: process.stdin, signal, strict: false, loosePermissions: false });

/** The token of a program, none of whose output may be shown. */
async function commandToken(
  command: string,
  { clock, env, signal, terminal }: TransportDeps['session'],
  secret: (given: TimedToken) => TimedToken,
): Promise<TokenSource> {
  const hide = (text: string): void => {
    for (const word of text.split(/[\s"',:{}]+/u)) if (word.length >= SHORTEST_TOKEN) terminal.secrets.add(word);
  };
  const options = { env, signal, now: () => clock.now(), hide };
  const { tokenOfCommand } = await import('./child-program.js');
  return keptToken(async () => secret(await tokenOfCommand(command, options)), clock);
}

/** Where the token of this run comes from; undefined where there is none. No program is run yet. Notes each token. */
async function tokenSource(
  { session, found, flags, say }: TransportDeps,
  note: (given: TimedToken) => void,
): Promise<TokenSource | undefined> {
  const { tokenFile, tokenCommand } = found.settings;
  const { clock, env, signal, terminal } = session;
  const secret = <T extends TimedToken>(given: T): T => {
    terminal.secrets.add(given.token);
    note(given);
    return given;
  };
  if (tokenCommand !== undefined) return commandToken(tokenCommand.value, session, secret);
  if (tokenFile !== undefined) {
    const read = async () => secret(await readTokenFile(tokenFile.value, signal));
    const first = await read();
    for (const warning of first.warnings) terminal.warn(warning.code, warning.message);
    if ((first.expiresAt ?? Infinity) <= clock.now()) {
      const end = timeText(new Date(first.expiresAt ?? 0), terminal.stderr);
      terminal.warn('TOKEN_EXPIRED', `the token in ${tokenFile.value} expired at ${end}`);
    }
    // Whoever keeps the file fresh has written another one by the time that this one is rejected.
    return tokenFile.value === '-' ? onlyToken(first.token) : keptToken(() => read().catch(() => first), clock, first);
  }
  const text = env['CDAPCTL_TOKEN'];
  const login = await storedLogin(found, session);
  if (login !== undefined) {
    const { expiresAt } = login;
    if (expiresAt !== undefined && expiresAt <= clock.now())
      throw loginExpired(login, timeText(new Date(expiresAt), terminal.stderr));
    if (flags['verbose'] === true) say(`using the login to context "${login.context}" for ${login.url}`);
    const again = async () => secret((await storedLogin(found, session).catch(() => undefined)) ?? login);
    return keptToken(again, clock, secret(login));
  }
  return text === undefined || text === ''
    ? undefined
    : onlyToken(secret({ token: tokenFromText(text, 'in CDAPCTL_TOKEN') }).token);
}

/** A token goes in plain to this machine only, and through no proxy (docs/conventions.md 2.11). */
function refusePlainToken(url: string, { session, found }: TransportDeps): void {
  const { loopback, origin } = parseBaseUrl(url);
  const proxy = proxyFrom(session.env, found.settings.proxy?.value)(new URL(url));
  const direct = loopback && proxy === undefined;
  if (direct || !origin.startsWith('http:') || found.settings.allowHttpToken?.value === true) return;
  const where = proxy === undefined ? origin : `${origin} through the proxy ${proxy.shown}`;
  throw new CliError('PLAIN_HTTP_TOKEN', `the token would be sent unencrypted to ${where}`, {
    hints: ['use an https URL, or add --allow-http-token'],
  });
}

function refuseInsecure(url: string, { session, found }: TransportDeps, withToken: boolean): void {
  if (found.settings.insecureSkipTlsVerify?.value !== true) return;
  const { loopback, origin } = parseBaseUrl(url);
  if (withToken && !loopback) {
    throw new CliError('USAGE', `cannot send a token to ${origin} without checking its certificate`, {
      hints: ['to trust the certificate authority of the server: --ca-file FILE'],
    });
  }
  session.terminal.note(`warning: the certificate of ${origin} is not checked (--insecure-skip-tls-verify)`);
}

/** Makes transports from settings; only that of the platform gets a token. */
export function transportsFor(deps: TransportDeps): Transports {
  const open: Transport[] = [];
  let tracing: TracedDeps | undefined;
  let newest: TimedToken | undefined;
  // The file of a trace is opened once, and not by commands that send nothing.
  const traced = (): TracedDeps => (tracing ??= { ...deps, trace: tracer(deps) });
  return {
    async platform(url) {
      const token = await tokenSource(deps, (given) => (newest = given));
      if (token !== undefined) refusePlainToken(url, deps);
      refuseInsecure(url, deps, token !== undefined);
      const transport = platformTransport({ ...(await optionsFor(url, traced())), token });
      open.push(transport);
      return transport;
    },
    async bare(url, isSecret) {
      if (isSecret) refusePlainToken(url, deps);
      refuseInsecure(url, deps, isSecret);
      const transport = platformTransport(await optionsFor(url, traced()));
      open.push(transport);
      return transport;
    },
    async hub(url) {
      refuseInsecure(url, deps, false);
      const transport = hubTransport(await optionsFor(url, traced()));
      open.push(transport);
      return transport;
    },
    tokenExpiresAt: () => newest?.expiresAt,
    async closeAll() {
      for (const transport of open) await transport.close();
    },
  };
}

/**
 * The address of a platform as it was given, once it is known to be one.
 * @throws USAGE with a hint for one without a scheme, which on this machine is likely http
 */
export function platformAddress(text: string): string {
  const host = /^([^\s/?#@:]+)(?::\d+)?(?:\/|$)/u.exec(text)?.[1];
  if (host !== undefined && isLoopback(host)) {
    throw new CliError('USAGE', `${JSON.stringify(text)} is not an http(s) URL`, {
      hints: [`add the scheme, for example http://${text}`],
    });
  }
  parseBaseUrl(text);
  return text;
}
