import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../core/errors.js';
import { isSameAddress } from '../core/hub-address.js';
import { InstallEntry, type InstallIdentity } from './install-journal.js';
import { openJournal } from './journal.js';
import { errnoOf, localError } from '../core/files/local-error.js';

const JOURNAL = /^[0-9a-f]{64}\.ndjson$/u;

type TargetEntry = Extract<InstallEntry, { type: 'target' }>;

/** A thing on the platform by its name; of an application name and version are those of its artifact. */
export interface Thing {
  readonly kind: string;
  readonly name: string;
  readonly version?: string | undefined;
}

/** A thing on the platform that an install made or found. */
export interface LedgerItem extends Thing {
  /** Numbers of the actions that are about it, in their order. */
  readonly actions: readonly number[];
  /** `creating`: the install was cut off while it made it, so that it may be its own. */
  readonly origin: 'creating' | 'created' | 'found';
  /** `removing`: an uninstall was cut off; `left`: an uninstall left it behind. */
  readonly standing: 'live' | 'removing' | 'left';
  /** What it was like when it was made; undefined for what was found. */
  readonly as?: string;
  /** Why the last uninstall left it behind, in words. */
  readonly why?: string;
}

/** An install as its journal tells of it. */
export interface LedgerInstall extends InstallIdentity {
  readonly file: string;
  readonly hubName: string;
  /** RFC 3339; of the newest entry about the install itself, not about its removal. */
  readonly at: string;
  /** RFC 3339; when an uninstall came to its end, unless the package was installed again since. */
  readonly uninstalledAt?: string;
  readonly state: 'installed' | 'partial' | 'removing' | 'left' | 'removed';
  readonly items: readonly LedgerItem[];
}

/** One name for one thing, to compare by. */
export const keyOf = ({ kind, name, version }: Thing): string => JSON.stringify([kind, name, version]);

const asOf = ({ as }: { readonly as?: string | undefined }) => (as === undefined ? {} : { as });

function next(known: LedgerItem | undefined, entry: TargetEntry): LedgerItem | undefined {
  const { kind, name, version, state, why, n } = entry;
  if (state === 'absent') return undefined;
  const actions = [...new Set([...(known?.actions ?? []), n])].sort((a, b) => a - b);
  const item = { kind, name, ...(version !== undefined && { version }), actions };
  if (state === 'removing' || state === 'left')
    return (
      known && { ...item, ...asOf(known), origin: known.origin, standing: state, ...(why !== undefined && { why }) }
    );
  return { ...item, ...asOf(entry), origin: state, standing: 'live' };
}

/**
 * What an install has to do with things on the platform now, in the order in which it met them. Things that are gone
 * are not there.
 */
export function itemsOf(entries: readonly InstallEntry[]): ReadonlyMap<string, LedgerItem> {
  const items = new Map<string, LedgerItem>();
  for (const entry of entries) {
    if (entry.type !== 'target') continue;
    const key = keyOf(entry);
    const item = next(items.get(key), entry);
    if (item === undefined) items.delete(key);
    else items.set(key, item);
  }
  return items;
}

function stateOf(entries: readonly InstallEntry[], items: readonly LedgerItem[]): LedgerInstall['state'] {
  if (items.length === 0) return 'removed';
  if (items.some(({ standing }) => standing === 'removing')) return 'removing';
  if (items.every(({ standing }) => standing === 'left')) return 'left';
  const last = entries.findLast(({ type }) => type === 'step' || type === 'finished' || type === 'uninstalled');
  return last?.type === 'finished' ? 'installed' : 'partial';
}

const isOfInstall = (entry: InstallEntry): boolean =>
  entry.type !== 'uninstalled' && !(entry.type === 'target' && /^(?:removing|left|absent)$/u.test(entry.state));

/** What a journal says of its install; undefined when it does not say what it is of. */
export function installOf(file: string, entries: readonly InstallEntry[]): LedgerInstall | undefined {
  const identity = entries.find((entry) => entry.type === 'install');
  if (identity === undefined) return undefined;
  const { platform, namespace, hub, hubName, package: name, version, at: first } = identity;
  const items = [...itemsOf(entries).values()];
  const last = entries.findLastIndex(isOfInstall);
  const at = entries[last]?.at ?? first;
  const uninstalledAt = entries.findLast(({ type }, n) => n > last && type === 'uninstalled')?.at;
  return {
    ...{ file, platform, namespace, hub, hubName, package: name, version, at },
    ...(uninstalledAt !== undefined && { uninstalledAt }),
    ...{ state: stateOf(entries, items), items },
  };
}

async function journalFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => JOURNAL.test(name)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localError(error, 'read', folder);
  }
}

/** Which installs to read. */
export interface LedgerFilter {
  /** Base URL of the platform; all platforms unless given. */
  readonly platform?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * Reads the ledger, a view over the journals of installs, including those of which nothing is left. Returns only those
 * that match the filter. Calls `unreadable` for a journal that cannot be read; it may throw the error.
 */
export async function readLedger(
  stateFolder: string,
  { platform, namespace }: LedgerFilter,
  unreadable: (error: CliError) => void,
): Promise<readonly LedgerInstall[]> {
  const folder = join(stateFolder, 'installs');
  const installs: LedgerInstall[] = [];
  for (const name of await journalFiles(folder)) {
    const file = join(folder, name);
    try {
      const install = installOf(file, (await openJournal(file, InstallEntry)).entries);
      if (install === undefined) continue;
      const here = platform === undefined || isSameAddress(install.platform, platform);
      if (here && (namespace === undefined || install.namespace === namespace)) installs.push(install);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      unreadable(error);
    }
  }
  return installs.sort((a, b) => (a.at < b.at ? -1 : 1));
}
