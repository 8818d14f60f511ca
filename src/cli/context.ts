import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from '../config/paths.js';
import { CliError } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import type { HubSource } from '../hub/source.js';
import { formatOf, type Format } from '../output/format.js';
import { capabilitiesOf, type Capabilities } from '../platform/capabilities.js';
import { platformClient, type Platform } from '../platform/client.js';
import { getVersion } from '../platform/system.js';
import type { NamedHub } from '../services/catalog/load.js';
import type { TrustSetup } from '../services/catalog/trust-setup.js';
import { safeFolder } from '../state/private-folder.js';
import { temporaryFolder } from '../state/temporary.js';
import type { HubMemory } from '../trust/memory.js';
import { findHubs, hubOfName, type HubSearch } from './hubs.js';
import { openHubTrust } from './hub-trust.js';
import { askerFor } from './asker.js';
import { commandLine } from './command-line.js';
import { consentOf, type Changes, type Consent } from './consent.js';
import { homeOf } from './places.js';
import type { Asker } from './prompts.js';
import { platformUnreached, tokenPlace } from './reach.js';
import { startProgress, type Talk } from './progress.js';
import type { Session } from './session.js';
import { findSettings, type FoundSettings, type GivenFlags } from './settings.js';
import { transportsFor, type Transports } from './transports.js';

/** The platform that a command speaks to, and the namespace it works in. */
export interface PlatformPlace {
  readonly platform: Platform;
  readonly url: string;
  /** Name of the context it comes from, if any. */
  readonly context: string | undefined;
  readonly namespace: string;
  readonly namespaceFrom: string;
  readonly version: string;
  readonly capabilities: Capabilities;
}

/** What is trusted of a hub, and where its memory goes. */
export interface HubTrust {
  readonly setup: TrustSetup;
  /** Adds what this run has seen to what is stored, after every check passed; the memory of `setup` itself adds nothing. LOCKED after ten seconds. */
  remember(memory: HubMemory): Promise<void>;
}

/** Where the keys of a hub are kept. */
export interface TrustPlace {
  /** Normalised base URL of the hub. */
  readonly base: string;
  readonly folder: string;
  readonly name: string;
}

/** Everything that a command gets from configuration, environment and flags; each part is made when it is asked for. */
export interface CommandContext {
  readonly found: FoundSettings;
  readonly emit: Emit;
  /** Undefined where nobody can be asked (`cli.md` 2.5). */
  readonly asker: Asker | undefined;
  /** Asked once, right before the first write. */
  readonly consent: Consent;
  /** The platform; USAGE when none is named. Asks it for its version. */
  platform(): Promise<PlatformPlace>;
  /** The platform if one is named. */
  platformIfAny(): Promise<PlatformPlace | undefined>;
  /** The hubs to read from: `--hub`, else those of the configuration, else what the platform announces; HUB_NOT_FOUND when there is none. With the name of a configured hub that one, unless `--hub` says another. */
  hubs(named?: string): Promise<readonly NamedHub[]>;
  /** What is trusted of a hub. */
  trust(source: HubSource): Promise<HubTrust>;
  /** The place of the keys of a hub: the named one, or the only one. */
  trustStore(hub: string | undefined): Promise<TrustPlace>;
  /** A private folder of this run below the state folder, removed by `close`. */
  scratch(): Promise<string>;
  readonly home: string | undefined;
  readonly stateFolder: string;
  close(): Promise<void>;
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
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
  const platform = consent.guard(platformClient(await transports.platform(url.value), tokenPlace(found, session)));
  const { version } = await platform.call(getVersion, {}, session.signal).catch((error: unknown) => {
    throw platformUnreached(error, url);
  });
  const { namespace, context } = settings;
  return {
    platform,
    url: platform.base,
    context: context?.value.name,
    namespace: namespace?.value ?? 'default',
    namespaceFrom: namespace === undefined ? 'the default' : `from ${namespace.from}`,
    version,
    capabilities: capabilitiesOf(version),
  };
}

function noPlatform({ sources }: FoundSettings): never {
  const contexts = { ...sources.user?.config.contexts, ...sources.system?.config.contexts };
  const names = Object.keys(contexts);
  if (names.length > 0)
    throw new CliError('USAGE', `no platform is named, and there is no current context`, {
      hints: names.slice(0, 5).map((name) => commandLine(['context', 'use', name])),
    });
  throw new CliError('USAGE', 'no platform is named', {
    hints: [
      '--url https://cdap.example.com:10443',
      'cdapctl context add prod --url https://cdap.example.com:10443',
      'cdapctl emulator start    (a platform in miniature, to try things out)',
    ],
  });
}

async function onlyHub(name: string | undefined, hubs: () => Promise<readonly NamedHub[]>): Promise<NamedHub> {
  const all = await hubs();
  const [first, ...others] = name === undefined ? all : all.filter((hub) => hub.name === name);
  if (first !== undefined && others.length === 0) return first;
  throw new CliError('USAGE', 'a key belongs to one hub; several are configured', {
    hints: all.map((hub) => `--hub ${hub.name}`),
  });
}

function findingHubs(search: Omit<HubSearch, 'cacheFolder'>): CommandContext['hubs'] {
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

type TrustOptions = Omit<Parameters<typeof openHubTrust>[0], 'source' | 'folder'>;

function trustIn(options: TrustOptions, hubs: CommandContext['hubs']): Pick<CommandContext, 'trust' | 'trustStore'> {
  const folder = (): string => join(stateOf(options.found.folders), 'trust');
  return {
    trust: (source) => openHubTrust({ source, ...options, folder: folder() }),
    async trustStore(hub) {
      const { name, source } = await onlyHub(hub, hubs);
      return { name, base: source.base, folder: folder() };
    },
  };
}

/** Opens the context of a command: the composition root, where settings become transports, stores and clients. */
export async function createContext(
  flags: GivenFlags,
  session: Session,
  onLine: ReadonlySet<string>,
  changes?: Changes,
): Promise<CommandContext> {
  const found = await findSettings(flags, session, onLine);
  const { folders } = found;
  const progress = startProgress(session.terminal, session.clock, talkOf(flags, formatOf(session.argv, session.env)));
  const asker = askerFor(session, flags, () => {
    progress.pause();
  });
  const consent = consentOf({ changes, flags, session, asker, found });
  const transports = transportsFor({ session, found, flags, emit: progress.emit, say: progress.say });
  const offline = flags['offline'] === true;
  const away = offline || flags['dry-run'] === 'offline';
  const platformIfAny = lazily(async () => (away ? undefined : openPlatform(found, transports, session, consent)));
  const hubs = findingHubs({ session, found, transports, platform: platformIfAny, offline });
  const scratch = scratchIn(folders);
  return {
    found,
    emit: progress.emit,
    asker,
    consent,
    platform: async () => (await platformIfAny()) ?? noPlatform(found),
    platformIfAny,
    hubs,
    ...trustIn({ found, flags, session }, hubs),
    scratch: scratch.open,
    home: homeOf(session.env),
    get stateFolder() {
      return stateOf(folders);
    },
    async close() {
      progress.end();
      await transports.closeAll();
      await scratch.remove();
    },
  };
}
