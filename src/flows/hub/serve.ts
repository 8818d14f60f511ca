import { join } from 'node:path';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { asError, CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { errnoOf, localError } from '../../core/files/local-error.js';
import { dateText } from '../../output/clock-text.js';
import { visible } from '../../output/escape.js';
import { mirrorFolder } from '../../services/hosting/mirror/folder/mirror-folder.js';
import { AccessLog, logFile } from '../../services/hosting/serve/access-log.js';
import { requestPath } from '../../services/hosting/serve/answer.js';
import { indexFacts, type IndexFacts } from '../../services/hosting/serve/index-facts.js';
import { serveHub, type ServedHub, type ServeOptions } from '../../services/hosting/serve/listener.js';
import { listedPackages } from '../../services/hosting/serve/listed-packages.js';
import { expiryOf, readTlsPair, type TlsFiles, type TlsPair } from '../../services/hosting/serve/tls-pair.js';
import { listVersions, treeRoot } from '../../services/hosting/tree/source-tree.js';

/** What is served and how, as it was named on the line. */
export interface HubServeOptions {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly name: string | undefined;
  readonly tls: TlsFiles | undefined;
  /** A file, or `-` for stdout. */
  readonly accessLog: string | undefined;
}

/** A hub that is served until it is closed. */
export interface HubService {
  readonly port: number;
  /** Package versions of the catalog, or without one in the folder. */
  readonly packages: number;
  /** What to trust for it, as far as its index names that. */
  readonly key: IndexFacts['key'];
  close(): Promise<void>;
}

type Env = Pick<Session, 'clock' | 'signal' | 'terminal' | 'reload'>;

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/u;
/** Milliseconds for the last lines of a log, on a disk that may never take them. */
const LAST_LINES = 2000;

/** Serves a hub; SIGHUP has the certificate read and the log opened anew, where there is one. */
export async function serveFor(options: HubServeOptions, env: Env): Promise<HubService> {
  const root = await treeRoot(options.folder);
  const { places } = await listVersions(root, env.signal);
  const packages = (await listedPackages(root, env.signal)) ?? places.length;
  const tls = options.tls === undefined ? undefined : await readPair(options.tls, env);
  const index = await indexFacts(root, env.signal);
  warnOfIndex(index, { root, folder: options.folder }, env);
  if (!isThere(join(root, 'packages.json')))
    env.terminal.warn(
      'NO_CATALOG',
      `clients find no packages until you run ${commandLine(['hub', 'build', options.folder])}`,
    );
  const log = await logOf(options.accessLog, env);
  const hub = await listen({ ...options, root, tls, failed: failureWarner(options.folder, env) }, log, env);
  if (!LOOPBACK.test(options.host))
    env.terminal.warn(
      'NETWORK',
      `everyone who can reach ${options.host} can read this hub${tls === undefined ? ', over an unencrypted connection' : ''}`,
    );
  const again = (): void => void readAgain(options, { hub, log }, env);
  if (tls !== undefined || log !== undefined) env.reload.add(again);
  return {
    port: hub.port,
    packages,
    key: index.key,
    async close() {
      env.reload.delete(again);
      await hub.close();
      const over = new AbortController();
      const written = log?.close().finally(() => {
        over.abort();
      });
      await Promise.race([written, env.clock.sleep(LAST_LINES, over.signal).catch(() => undefined)]);
    },
  };
}

/** What somebody types to use a hub that is served at an address. */
export function usageOf({ key }: Pick<HubService, 'key'>, folder: string, url: string): string {
  const add = [`cdapctl hub add NAME ${url}`];
  if (key !== undefined) {
    const file = key.file === undefined ? 'FILE' : `${folder.replace(/[/\\]+$/u, '')}/${key.file}`;
    add.push(commandLine(['hub', 'key', 'add', file, '--hub', 'NAME', '--fingerprint', key.fingerprint]));
  }
  const lines = add.map((line) => `  ${visible(line)}`);
  return ['To use it, in another shell:', ...lines, ...siteOf(url), 'to stop it: Ctrl-C'].join('\n');
}

/** The property by which the UI of a platform shows a hub (docs/hub-format.md 2.2). */
const siteOf = (url: string): readonly string[] => [
  'in the UI of a platform, in its cdap-site.xml:',
  `  <property><name>market.base.url</name><value>${visible(url)}</value></property>`,
];

/** Tells of an index without a signature, or one that clients refuse because its time is over. */
function warnOfIndex(
  { isSigned, expires = Infinity }: IndexFacts,
  { root, folder }: { readonly root: string; readonly folder: string },
  { clock, terminal }: Env,
): void {
  // A copy that was signed here would be newer than what it is made from, which then could not be published.
  const sign = (...more: readonly string[]): string =>
    isThere(mirrorFolder(root).own)
      ? 'sign the hub that this folder mirrors, and mirror it again'
      : `sign the tree that this folder was published from, or if it is that tree: ${commandLine(['hub', 'sign', folder, ...more, '--key', 'FILE'])}`;
  if (!isSigned) terminal.tell(visible(`note: the hub has no signed index, so clients cannot verify it: ${sign()}`));
  if (expires > clock.now()) return;
  terminal.warn('STALE', `the index of the hub has expired, so clients reject it: ${sign('--refresh')}`);
}

type Listened = Omit<ServeOptions, 'log' | 'clock'>;

/** Warns once per reason of requests that cannot be answered: there may be thousands. */
function failureWarner(folder: string, { terminal }: Env): ServeOptions['failed'] {
  const told = new Set<string>();
  return (error, target) => {
    const names = requestPath(target);
    const path = join(folder, ...(typeof names === 'number' ? [] : names));
    const { code, message } = asError(localError(error, 'read', path));
    const reason = errnoOf(error) ?? code;
    if (told.has(reason)) return;
    told.add(reason);
    terminal.warn(code, `${message}; clients get status 500 (further errors of this kind are not shown)`);
  };
}

async function listen(options: Listened, log: AccessLog | undefined, { clock }: Env): Promise<ServedHub> {
  try {
    const add = log === undefined ? undefined : log.add.bind(log);
    return await serveHub({ ...options, log: add, clock });
  } catch (cause) {
    await log?.close();
    throw startFailure(cause, options.host, options.port);
  }
}

async function logOf(file: string | undefined, { terminal }: Env): Promise<AccessLog | undefined> {
  if (file === undefined) return undefined;
  const stdout = { write: terminal.write.bind(terminal), close: () => Promise.resolve() };
  return AccessLog.open(
    () => (file === '-' ? Promise.resolve(stdout) : logFile(file)),
    (message) => {
      terminal.warn('ACCESS_LOG', message);
    },
  );
}

async function readPair(files: TlsFiles, { clock, terminal }: Env): Promise<TlsPair> {
  const pair = await readTlsPair(files);
  const expiry = expiryOf(pair);
  if (expiry <= clock.now())
    terminal.warn('TLS', `the certificate ${files.cert} expired on ${dateText(expiry / 1000, { utc: true })} (UTC)`);
  return pair;
}

async function readAgain(
  { tls, accessLog }: HubServeOptions,
  { hub, log }: { readonly hub: ServedHub; readonly log: AccessLog | undefined },
  env: Env,
): Promise<void> {
  const attempt = async (work: () => Promise<void>, done: string, kept: string): Promise<void> => {
    try {
      await work();
      env.terminal.tell(done);
    } catch (error) {
      const { code, message } = error instanceof CliError ? error : { code: 'LOCAL_IO', message: String(error) };
      env.terminal.warn(code, `${message}; ${kept}`);
    }
  };
  if (tls !== undefined) {
    const replace = async (): Promise<void> => {
      hub.replaceTls(await readPair(tls, env));
    };
    await attempt(replace, `new connections use ${tls.cert}`, 'the previous certificate remains in use');
  }
  if (log !== undefined && accessLog !== '-')
    await attempt(log.reopen.bind(log), `opened ${accessLog} again`, 'the previous access log remains in use');
}

function startFailure(cause: unknown, host: string, port: number): CliError {
  const code = errnoOf(cause) ?? '';
  if (code === 'EADDRINUSE')
    return new CliError('IN_USE', `port ${port} is taken`, { hints: ['use another --port, or 0 for any free one'] });
  if (code === 'EACCES') return new CliError('LOCAL_IO', `port ${port} requires administrator rights`);
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(code))
    return new CliError('USAGE', `${host} is not an address of this machine`, {
      hints: ['use --host 127.0.0.1, or 0.0.0.0 for all networks'],
    });
  return new CliError('USAGE', `cannot listen on ${host}: ${code}`, { hints: ['cdapctl hub serve --help'] });
}
