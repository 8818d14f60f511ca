import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from '../config/paths.js';
import { CliError } from '../core/errors.js';
import { isSameAddress } from '../core/hub-address.js';
import { formatOf } from './line/argv.js';
import type { Format } from '../output/format.js';
import { capabilitiesOf } from '../platform/capabilities.js';
import { platformClient, type Platform } from '../platform/client.js';
import { getVersion } from '../platform/system.js';
import type { NamedHub } from '../services/catalog/load.js';
import { safeFolder } from '../state/private-folder.js';
import { temporaryFolder } from '../state/temporary.js';
import type { CommandContext, PlatformPlace } from './context-types.js';
import { findHubs, hubOfName, type HubSearchOptions } from './hubs.js';
import { openHubTrust } from './hub-trust.js';
import { choose } from './terminal/choice.js';
import { commandLine } from './line/command-line.js';
import { consentOf, type Changes, type Consent } from './consent.js';
import { homeOf } from './folders.js';
import { askerFor, type Asker } from './terminal/prompts.js';
import { storedLogin, tokenPlace, withLogin, withNextStep } from './connection-hints.js';
import { withFlag } from './line/rewrite-line.js';
import { startProgress, type Talk } from './terminal/progress.js';
import type { Session } from './session.js';
import { findSettings, type FoundSettings, type GivenFlags } from './settings.js';
import { transportsFor, type Transports } from './transports.js';

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** The same platform, whose errors say how to go on. */
function explained(platform: Platform, explain: (error: unknown) => unknown): Platform {
  const fail = (error: unknown): never => {
    throw explain(error);
  };
  return {
    base: platform.base,
    call: async (endpoint, parameters, signal) => platform.call(endpoint, parameters, signal).catch(fail),
    find: async (endpoint, parameters, signal) => platform.find(endpoint, parameters, signal).catch(fail),
  };
}

async function openPlatform(
  found: FoundSettings,
  transports: Transports,
  session: Session,
  consent: Consent,
): Promise<PlatformPlace | undefined> {
  const { settings } = found;
  const { url } = settings;
  if (url === undefined) return undefined;
  const login = await storedLogin(found, session);
  const place = tokenPlace(found, session, login);
  const client = platformClient(await transports.platform(url.value), place);
  // A login may also expire later, in the middle of a wait.
  const platform = consent.guard(explained(client, (error) => withLogin(error, found, session, login)));
  const { version } = await platform.call(getVersion, {}, session.signal).catch((error: unknown) => {
    throw withNextStep(error, url);
  });
  const { namespace, context } = settings;
  return {
    platform,
    url: platform.base,
    // With --url a context may be chosen for its token or namespace: another address has not its name.
    context: context !== undefined && isSameAddress(context.value.url, url.value) ? context.value.name : undefined,
    namespace: namespace?.value ?? 'default',
    namespaceFrom: namespace === undefined ? 'the default' : `from ${namespace.from}`,
    version,
    capabilities: capabilitiesOf(version),
  };
}

const EXAMPLE_URL = 'https://cdap.example.com:10443';

function noPlatform({ sources }: FoundSettings, { argv }: Pick<Session, 'argv'>): never {
  const contexts = { ...sources.user?.config.contexts, ...sources.system?.config.contexts };
  const names = Object.keys(contexts);
  if (names.length > 0)
    throw new CliError('USAGE', `no platform specified and no current context`, {
      hints: names.slice(0, 5).map((name) => commandLine(['context', 'use', name])),
    });
  throw new CliError('USAGE', 'no platform specified', {
    hints: [
      ...(argv[0] === 'login' ? [] : [commandLine(withFlag(argv, 'url', EXAMPLE_URL))]),
      `${commandLine(['login', '-u', EXAMPLE_URL])}  # adds a context, which is used from then on`,
      'cdapctl emulator start  # an embedded platform for testing',
    ],
  });
}

/** The hub that keys are kept for: the named one, or the only one; a person chooses among several. */
async function onlyHub(
  hubs: CommandContext['hubs'],
  { argv }: Pick<Session, 'argv'>,
  asker: Asker | undefined,
): Promise<NamedHub> {
  const all = await hubs();
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0) return first;
  const choices = all.map((value) => {
    const { name, source } = value;
    return { value, columns: name === source.base ? [name] : [name, source.base], argv: withFlag(argv, 'hub', name) };
  });
  return (await choose('several hubs are configured; choose the hub of the key', choices, asker)).value;
}

function findingHubs(search: Omit<HubSearchOptions, 'cacheFolder'>): CommandContext['hubs'] {
  const whole = { ...search, cacheFolder: () => join(search.found.folders.cache, 'hub') };
  const all = lazily(() => findHubs(whole));
  return async (named) => (named === undefined ? undefined : await hubOfName(named, whole)) ?? all();
}

const stateOf = (folders: Folders): string => safeFolder(folders.state);

interface Scratch {
  readonly open: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

function scratchIn(folders: Folders): Scratch {
  let made: string | undefined;
  const open = lazily(async () => (made = await temporaryFolder(join(stateOf(folders), 'staging'))));
  return {
    open,
    remove: async () => {
      if (made !== undefined) await rm(made, { recursive: true, force: true });
    },
  };
}

function talkOf(flags: GivenFlags, format: Format): Talk {
  const silent = flags['quiet'] === true || flags['no-progress'] === true;
  return { format, silent, verbose: flags['verbose'] === true };
}

type TrustOptions = Omit<Parameters<typeof openHubTrust>[0], 'session' | 'source' | 'folder' | 'hubs'> & {
  readonly session: Session;
};

function trustIn(
  options: TrustOptions,
  hubs: CommandContext['hubs'],
  asker: Asker | undefined,
): Pick<CommandContext, 'trust' | 'trustStore'> {
  const folder = (): string => join(stateOf(options.found.folders), 'trust');
  return {
    trust: (source) => openHubTrust({ source, ...options, folder: folder(), hubs }),
    async trustStore() {
      const { name, source } = await onlyHub(hubs, options.session, asker);
      return { name, base: source.base, folder: folder() };
    },
  };
}

const platformIn = (
  found: FoundSettings,
  platformIfAny: CommandContext['platformIfAny'],
  session: Session,
): Pick<CommandContext, 'platform' | 'platformAddress' | 'platformIfAny'> => ({
  platform: async () => (await platformIfAny()) ?? noPlatform(found, session),
  platformAddress: () => found.settings.url?.value ?? noPlatform(found, session),
  platformIfAny,
});

const tokensIn = (transports: Transports): Pick<CommandContext, 'bare' | 'tokenExpiresAt'> => ({
  bare: (url, isSecret) => transports.bare(url, isSecret),
  tokenExpiresAt: () => transports.tokenExpiresAt(),
});

/**
 * Opens the context of a command. This is the composition root, where settings become transports, stores and clients.
 */
export async function createContext(
  flags: GivenFlags,
  session: Session,
  onLine: ReadonlySet<string>,
  changes?: Changes,
): Promise<CommandContext> {
  const found = await findSettings(flags, session, onLine);
  const progress = startProgress(session.terminal, session.clock, talkOf(flags, formatOf(session.argv, session.env)));
  const home = homeOf(session.env);
  const asker = askerFor(session, home, flags, () => {
    progress.pause();
  });
  const consent = consentOf({ changes, flags, session, asker, found });
  const transports = transportsFor({ session, found, flags, emit: progress.emit, say: progress.say });
  const offline = flags['offline'] === true;
  const away = offline || flags['dry-run'] === 'offline';
  const platformIfAny = lazily(async () => (away ? undefined : openPlatform(found, transports, session, consent)));
  const hubs = findingHubs({ session, found, transports, platform: platformIfAny, offline });
  const scratch = scratchIn(found.folders);
  return {
    found,
    emit: progress.emit,
    asker,
    consent,
    ...platformIn(found, platformIfAny, session),
    ...tokensIn(transports),
    hubs,
    ...trustIn({ found, flags, session }, hubs, asker),
    scratch: scratch.open,
    home,
    get stateFolder() {
      return stateOf(found.folders);
    },
    async close() {
      progress.end();
      await transports.closeAll();
      await scratch.remove();
    },
  };
}
