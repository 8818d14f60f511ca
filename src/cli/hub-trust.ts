import { fileURLToPath } from 'node:url';
import { configuredHubs, hubNamed } from '../config/target.js';
import { CliError } from '../core/errors.js';
import type { HubSource } from '../hub/source.js';
import { defaultPolicy, type Policy } from '../trust/policy-decision.js';
import type { HubOfFolder, HubTrust } from '../services/catalog/trust-setup.js';
import { openTrust } from '../services/keys/open-trust.js';
import type { CommandContext } from './context-types.js';
import { commandLine } from './line/command-line.js';
import { isPath, typedPath } from './line/local-path.js';
import { lockOwner, type Session } from './session.js';
import type { FoundSettings, GivenFlags } from './settings.js';

/** A hub, the folder of its keys and history, and the flags that change its policy. */
export interface OpenTrustOptions {
  readonly source: HubSource;
  readonly found: FoundSettings;
  readonly flags: GivenFlags;
  readonly folder: string;
  /** The hubs of the line. */
  readonly hubs: CommandContext['hubs'];
  readonly session: Pick<Session, 'clock' | 'signal' | 'terminal'>;
}

/** The hub that `--hub` names for a folder: the keys of the hub that it was downloaded from. */
function lender(opening: OpenTrustOptions): string | undefined {
  const { source, found } = opening;
  const { hubs } = found.settings;
  const [name, ...others] = hubs?.value ?? [];
  if (source.kind === 'http' || hubs?.origin !== 'flag' || name === undefined || others.length > 0) return undefined;
  const url = isPath(name) ? undefined : hubNamed(name, found.sources).url;
  // A hub that is itself the folder lends nothing: its own history counts.
  return url === trustBase(opening) ? undefined : url;
}

/** The hub that a folder was downloaded from; it is opened only if it is needed. */
function originOf({ hubs, found }: OpenTrustOptions, url: string): Omit<HubOfFolder, 'memory'> {
  const source = async (): Promise<HubSource> => {
    const [named] = await hubs();
    if (named === undefined) throw new CliError('INTERNAL', 'a hub that was named is not there');
    return named.source;
  };
  return { hub: hubNamed(url, found.sources).name ?? url, source };
}

/** How a folder is verified with the keys of a hub. A folder that `--hub` names needs another command for it. */
function lending({ source, found }: OpenTrustOptions, hub: string): string {
  const { hubs } = found.settings;
  const isNamed = source.kind === 'folder' && hubs?.origin === 'flag' && hubs.value.some((text) => isPath(text));
  if (!isNamed) return `--hub ${hub}`;
  const near = typedPath(fileURLToPath(source.base));
  return commandLine(['hub', 'verify', isPath(near) ? near : `./${near}`, '--hub', hub]);
}

/**
 * The address that keys and memory are kept under. A folder inside a configured folder hub shares the keys of that hub.
 */
function trustBase({ source, found }: OpenTrustOptions): string {
  if (source.kind === 'http') return source.base;
  const parents = configuredHubs(found.sources).filter(({ url }) =>
    `${source.base}/`.startsWith(`${url.replace(/\/+$/u, '')}/`),
  );
  return parents.sort((a, b) => b.url.length - a.url.length)[0]?.url ?? source.base;
}

/** The policy in force for a hub; `configured` is that of its entry, `pinned` counts its keys. */
export const policyOf = (
  { settings }: Pick<FoundSettings, 'settings'>,
  configured: Policy | undefined,
  pinned: number,
): Policy => settings.verify?.value ?? configured ?? defaultPolicy(pinned);

function expiredKeys(flags: GivenFlags): ReadonlySet<string> {
  const given = flags['allow-expired-key'];
  return new Set(Array.isArray(given) ? given.map(String) : []);
}

/**
 * Reads the pinned keys and the memory of a hub. Keys of a folder are those of its address, so a mirror on disk can be
 * verified, too.
 */
export async function openHubTrust(opening: OpenTrustOptions): Promise<HubTrust> {
  const { flags, folder, session, source, found } = opening;
  const lent = lender(opening);
  const base = lent ?? trustBase(opening);
  const { trust, warning } = await openTrust({
    folder,
    base,
    origin: lent === undefined ? undefined : originOf(opening, lent),
    isFolder: source.kind === 'folder',
    policy: found.settings.verify?.value ?? hubNamed(base, found.sources).verify,
    allowExpired: expiredKeys(flags),
    allowStale: flags['allow-stale'] === true,
    others: configuredHubs(found.sources).flatMap(({ name, url }) =>
      name === undefined ? [] : [{ hub: name, option: lending(opening, name), url }],
    ),
    taker: lockOwner(session),
    signal: session.signal,
  });
  if (warning !== undefined) session.terminal.warn('CLOCK', warning);
  return trust;
}
