import { hubAddress } from '../../core/hub-address.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { NamedHub } from './load.js';

/** How far a package is installed somewhere: what is gone again is not told. */
export type InstalledState = Exclude<LedgerInstall['state'], 'removed'>;

/** The packages of each hub that are installed, by `NAME@VERSION`; hubs without any are not there. */
export type InstalledMarks = ReadonlyMap<NamedHub, ReadonlyMap<string, InstalledState>>;

/** Which packages of some hubs installs are of, in whatever namespace. One that is whole somewhere counts as that. */
export function installedMarks(hubs: readonly NamedHub[], installs: readonly LedgerInstall[]): InstalledMarks {
  const marks = new Map<NamedHub, Map<string, InstalledState>>();
  if (installs.length === 0) return marks;
  for (const hub of hubs) {
    const address = hubAddress(hub.source.base);
    const states = new Map<string, InstalledState>();
    for (const { hub: from, package: name, version, state } of installs) {
      const key = `${name}@${version}`;
      if (state === 'removed' || hubAddress(from) !== address || states.get(key) === 'installed') continue;
      states.set(key, state);
    }
    if (states.size > 0) marks.set(hub, states);
  }
  return marks;
}
