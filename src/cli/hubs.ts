import { fileURLToPath } from 'node:url';
import { configuredHubs, type HubChoice, hubNamed } from '../config/target.js';
import { CliError } from '../core/errors.js';
import { refuseAddress } from '../core/hub-address.js';
import { httpSource } from '../hub/http-source.js';
import type { FilePlace, HubSource } from '../hub/source.js';
import { getConfiguration } from '../platform/system.js';
import type { NamedHub } from '../services/catalog/load.js';
import { readCachedHead } from '../state/cache.js';
import { commandLine } from './line/command-line.js';
import type { PlatformPlace } from './context-types.js';
import { otherHubs, withHints, withHubHints } from './connection-hints.js';
import type { FoundSettings } from './settings.js';
import type { Transports } from './transports.js';
import type { SettingSources } from '../config/setting.js';
import { folderSource } from '../hub/folder-source.js';
import { expandHome, isFolder, isPath } from './line/local-path.js';
import { homeOf } from './folders.js';
import type { Session } from './session.js';

/** The settings that name hubs, the platform that may announce one, and how hubs are read. */
export interface HubSearchOptions {
  readonly session: Pick<Session, 'clock' | 'env' | 'signal'>;
  readonly found: FoundSettings;
  readonly transports: Transports;
  readonly cacheFolder: () => string;
  readonly platform: () => Promise<PlatformPlace | undefined>;
  /** Only stored catalogs are read. */
  readonly offline: boolean;
}

async function sourceOf(choice: HubChoice, search: HubSearchOptions): Promise<HubSource> {
  const { name, url } = choice;
  const { session, transports, offline } = search;
  const label = name ?? url;
  if (url.startsWith('file:')) return folderSource(folderOf(url), label, session.signal);
  refuseAddress(url);
  const source = withHubHints(httpSource(await transports.hub(url), label), choice, othersOf(choice, search));
  return offline ? { ...source, open: refuseOffline } : source;
}

const othersOf = ({ url }: HubChoice, { found }: HubSearchOptions): readonly HubChoice[] =>
  configuredHubs(found.sources).filter((hub) => hub.url !== url);

function folderOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new CliError('USAGE', `${url} is not a folder on this machine`, {
      cause,
      hints: ['use file:///path/to/hub or a plain path'],
    });
  }
}

async function refuseOffline(place: FilePlace): Promise<never> {
  throw new CliError('UNAVAILABLE', `${place.file} must be read from the hub, but --offline sends no requests`);
}

async function withCache(
  name: string,
  source: HubSource,
  { session, cacheFolder }: HubSearchOptions,
): Promise<NamedHub> {
  if (source.kind === 'folder') return { name, source };
  const folder = cacheFolder();
  const head = await readCachedHead(folder, source.base);
  return { name, source, cache: { folder, head, clock: session.clock } };
}

async function asked(text: string, search: HubSearchOptions): Promise<NamedHub> {
  const { env, signal } = search.session;
  if (isPath(text)) return { name: text, source: await folderSource(expandHome(text, homeOf(env)), text, signal) };
  const choice = knownHub(text, search.found.sources);
  return withCache(choice.name ?? text, await sourceOf(choice, search), search);
}

/** The hub of a name or URL; where there is none, a folder of that name was perhaps meant. */
function knownHub(text: string, sources: SettingSources): HubChoice {
  try {
    return hubNamed(text, sources);
  } catch (error) {
    const isMeant = error instanceof CliError && error.code === 'HUB_NOT_FOUND' && isFolder(text);
    throw isMeant ? withHints(error, [`for the folder: ./${text}`]) : error;
  }
}

/** The hubs that a platform announces (docs/platform.md 9); the single address goes before the list. */
async function announced({ platform, session }: HubSearchOptions): Promise<readonly HubChoice[]> {
  const place = await platform();
  if (place === undefined) return [];
  const properties = await place.platform.call(getConfiguration, {}, session.signal);
  const valueOf = (wanted: string): string => properties.find(({ name }) => name === wanted)?.value ?? '';
  const urls = [valueOf('market.base.url'), ...valueOf('market.base.urls').split('+')];
  return [...new Set(urls.map((url) => url.trim()).filter((url) => /^https?:/iu.test(url)))].map((url) => ({
    name: undefined,
    url,
  }));
}

/**
 * The hubs of a command: the named ones, else all configured ones, else those the platform announces.
 * @throws HUB_NOT_FOUND when there is none
 */
export async function findHubs(search: HubSearchOptions): Promise<readonly NamedHub[]> {
  const { found } = search;
  const named = found.settings.hubs?.value;
  if (named !== undefined) return Promise.all(named.map((text) => asked(text, search)));
  const configured = configuredHubs(found.sources);
  const choices = configured.length > 0 ? configured : await announced(search);
  if (choices.length === 0) {
    throw new CliError('HUB_NOT_FOUND', 'no hub is configured', {
      hints: ['cdapctl hub add NAME https://hub.example.com/v2', '--hub https://hub.example.com/v2'],
    });
  }
  return Promise.all(choices.map((choice) => opened(choice, search)));
}

/**
 * The configured hub whose name precedes that of a package. Undefined without such a hub, or where `--hub` is on the
 * line; hubs from project files, variables and contexts do not matter.
 */
export async function hubOfName(name: string, search: HubSearchOptions): Promise<readonly NamedHub[] | undefined> {
  const { settings, sources } = search.found;
  const choice = configuredHubs(sources).find((hub) => hub.name === name);
  if (choice === undefined || settings.hubs?.origin === 'flag') return undefined;
  return [await withCache(name, await sourceOf(choice, search), search)];
}

/** A hub that cannot be opened fails when it is read, by its name, so that the others go on. */
async function opened(choice: HubChoice, search: HubSearchOptions): Promise<NamedHub> {
  const { name, url } = choice;
  const label = name ?? url;
  try {
    return await withCache(label, await sourceOf(choice, search), search);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hints = name === undefined ? [] : [commandLine(['hub', 'remove', name])];
    const named = new CliError(error.code, `hub "${label}": ${error.message}`, {
      ...error.details,
      hints: [...(error.details.hints ?? []), ...otherHubs(othersOf(choice, search)), ...hints],
    });
    const fail = async (): Promise<never> => {
      throw named;
    };
    return { name: label, source: { base: url, kind: 'folder', label, catalog: fail, open: fail } };
  }
}

/**
 * The address of a folder that holds a hub, which holds wherever it is used later.
 * @throws HUB_NOT_FOUND for any other folder
 */
export async function folderAddress(folder: string, { env, signal }: Pick<Session, 'env' | 'signal'>): Promise<string> {
  return (await folderSource(expandHome(folder, homeOf(env)), folder, signal)).base;
}

/**
 * The text for a hub that a context stores. A folder becomes its address; a configured name or an address stays as it
 * is.
 * @throws HUB_NOT_FOUND when no hub has that name
 */
export async function hubAddress(
  text: string,
  sources: SettingSources,
  session: Pick<Session, 'env' | 'signal'>,
): Promise<string> {
  if (isPath(text)) return folderAddress(text, session);
  knownHub(text, sources);
  return text;
}
