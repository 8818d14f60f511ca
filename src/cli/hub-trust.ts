import { hostname } from 'node:os';
import { hubNamed } from '../config/target.js';
import type { HubSource } from '../hub/source.js';
import { acquireLock } from '../state/lock.js';
import { readTrust, trustLockFile, writeMemory } from '../state/trust-store.js';
import { openKeyring } from '../trust/keyring.js';
import { clockWarning, emptyMemory, HubMemory } from '../trust/memory.js';
import { defaultPolicy, type Policy } from '../trust/policy-decision.js';
import type { HubTrust } from './context.js';
import type { Session } from './session.js';
import type { FoundSettings, GivenFlags } from './settings.js';

/** What opening the trust of a hub needs. */
export interface TrustOpening {
  readonly source: HubSource;
  readonly found: FoundSettings;
  readonly flags: GivenFlags;
  readonly folder: string;
  readonly session: Session;
}

function policyOf({ source, found }: TrustOpening, pinned: number): Policy {
  const configured = source.kind === 'http' ? hubNamed(source.base, found.sources).verify : undefined;
  return found.settings.verify?.value ?? configured ?? defaultPolicy(pinned);
}

function expiredKeys(flags: GivenFlags): ReadonlySet<string> {
  const given = flags['allow-expired-key'];
  return new Set(Array.isArray(given) ? given.map((text) => String(text).replaceAll(' ', '').toUpperCase()) : []);
}

/** Reads the pinned keys and the memory of a hub; keys of a folder are those of its address, so a mirror on disk can be verified, too. */
export async function openHubTrust(opening: TrustOpening): Promise<HubTrust> {
  const { source, flags, folder, session } = opening;
  const { keys, memory = emptyMemory() } = await readTrust(folder, source.base, HubMemory);
  const expired = expiredKeys(flags);
  const pinnedKeys = keys.map(({ armored, packages, fingerprint }) => ({
    armored,
    allowExpired: expired.has(fingerprint),
    ...(packages !== undefined && { packages }),
  }));
  const now = new Date(session.clock.now());
  const warning = clockWarning(memory, now);
  if (warning !== undefined) session.terminal.note(`warning: ${warning}`);
  const policy = policyOf(opening, keys.length);
  if (policy === 'off') session.terminal.note('warning: NOTHING IS VERIFIED: --verify off');
  const setup = {
    policy,
    keyring: await openKeyring(pinnedKeys),
    pinned: keys.length,
    memory,
    now,
    allowStale: flags['allow-stale'] === true,
  };
  return {
    setup,
    async remember(seen) {
      const lock = await acquireLock(trustLockFile(folder, source.base), {
        pid: process.pid,
        host: hostname(),
        clock: session.clock,
      });
      try {
        await writeMemory(folder, source.base, seen);
      } finally {
        await lock.release();
      }
    },
  };
}
