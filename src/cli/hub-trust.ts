import { hostname } from 'node:os';
import { configuredHubs, hubNamed } from '../config/target.js';
import type { HubSource } from '../hub/source.js';
import { awaitLock } from '../state/lock.js';
import { readTrust, trustLockFile, writeMemory } from '../state/trust-store.js';
import { openKeyring } from '../trust/keyring.js';
import { clockWarning, emptyMemory, HubMemory, mergeMemories } from '../trust/memory.js';
import { defaultPolicy, type Policy } from '../trust/policy-decision.js';
import type { Lender } from '../services/catalog/trust-setup.js';
import { patienceOf } from '../hub/while-published.js';
import type { HubTrust } from './context-types.js';
import { isPath } from './line/local-path.js';
import type { Session } from './session.js';
import type { FoundSettings, GivenFlags } from './settings.js';

/** A hub, the folder of its keys and history, and the flags that change its policy. */
export interface OpenTrustOptions {
  readonly source: HubSource;
  readonly found: FoundSettings;
  readonly flags: GivenFlags;
  readonly folder: string;
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

function withoutIndex(memory: HubMemory): HubMemory {
  const rest = { ...memory };
  delete rest.index;
  return rest;
}

function expiredKeys(flags: GivenFlags): ReadonlySet<string> {
  const given = flags['allow-expired-key'];
  return new Set(Array.isArray(given) ? given.map(String) : []);
}

/** The hubs by name that have keys, which a folder without any may have come from. */
async function lendersOf({ folder, found }: OpenTrustOptions): Promise<readonly Lender[]> {
  const lenders: Lender[] = [];
  for (const { name, url } of configuredHubs(found.sources)) {
    if (name === undefined) continue;
    const { keys } = await readTrust(folder, url, HubMemory);
    if (keys.length > 0) lenders.push({ hub: name, option: `--hub ${name}`, keyring: await openKeyring(keys) });
  }
  return lenders;
}

/**
 * Reads the pinned keys and the memory of a hub. Keys of a folder are those of its address, so a mirror on disk can be
 * verified, too.
 */
export async function openHubTrust(opening: OpenTrustOptions): Promise<HubTrust> {
  const { flags, folder, session } = opening;
  const lent = lender(opening);
  const base = lent ?? trustBase(opening);
  const { keys, memory: stored = emptyMemory() } = await readTrust(folder, base, HubMemory);
  // A folder of one package has no index beside it, even if its hub has one.
  const memory = lent === undefined ? stored : withoutIndex(stored);
  const expired = expiredKeys(flags);
  const pinnedKeys = keys.map(({ armored, packages, fingerprint }) => {
    return { armored, allowExpired: expired.has(fingerprint), ...(packages !== undefined && { packages }) };
  });
  const now = new Date(session.clock.now());
  const warning = clockWarning(memory, now);
  if (warning !== undefined) session.terminal.warn('CLOCK', warning);
  const policy = policyOf(opening.found, hubNamed(base, opening.found.sources).verify, keys.length);
  const unowned = opening.source.kind === 'folder' && lent === undefined && keys.length === 0;
  const setup = {
    policy,
    keyring: await openKeyring(pinnedKeys),
    pinned: keys.length,
    memory,
    now,
    allowStale: flags['allow-stale'] === true,
    patience: patienceOf(session.clock),
    ...(unowned && { lenders: await lendersOf(opening) }),
  };
  return {
    setup,
    async remember(seen) {
      // The same memory means that nothing was verified.
      if (lent !== undefined || seen === memory) return;
      const taker = { pid: process.pid, host: hostname(), clock: session.clock };
      const lock = await awaitLock(trustLockFile(folder, base), taker, session.signal);
      try {
        const { memory: latest = emptyMemory() } = await readTrust(folder, base, HubMemory);
        await writeMemory(folder, base, mergeMemories(latest, seen));
      } finally {
        await lock.release();
      }
    },
  };
}
