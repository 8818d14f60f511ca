import { compareVersionTexts } from '../../core/version.js';
import type { CatalogEntry } from '../../hub/catalog.js';
import { compatibilityOf, type Compatibility } from './compatibility.js';
import type { NamedHub } from './load.js';

/** A package version of a hub and whether it is for the platform. */
export interface Candidate {
  readonly hub: NamedHub;
  readonly entry: CatalogEntry;
  readonly compatibility: Compatibility;
  /** Types of its actions, when the specification was read. */
  readonly actions?: readonly string[];
}

/** What a list can be sorted by. */
export type SortKey = 'name' | 'label' | 'created';

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether the first of two versions of a package is the better choice: compatible first, then higher. */
function isBetter(a: Candidate, b: Candidate): boolean {
  const fit = Number(a.compatibility.compatible) - Number(b.compatibility.compatible);
  return (fit || compareVersionTexts(a.entry.version, b.entry.version)) > 0;
}

/**
 * The best version among candidates of one package: the highest compatible, else the highest. The first one of equals.
 */
export function best(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (found, one) => (found === undefined || isBetter(one, found) ? one : found),
    undefined,
  );
}

/** The entries of a hub, each judged by a platform; without one every version fits. */
export function candidatesOf(
  hub: NamedHub,
  entries: readonly CatalogEntry[],
  platform: string | undefined,
): readonly Candidate[] {
  return entries.map((entry) => ({ hub, entry, compatibility: compatibilityOf(entry.cdapVersion, platform) }));
}

/** The best version of each package of each hub, in the order of the candidates. */
export function latestOf(candidates: readonly Candidate[]): readonly Candidate[] {
  const groups = new Map<NamedHub, Map<string, Candidate>>();
  for (const candidate of candidates) {
    const group = groups.get(candidate.hub) ?? new Map<string, Candidate>();
    groups.set(candidate.hub, group);
    const before = group.get(candidate.entry.name);
    if (before === undefined || isBetter(candidate, before)) group.set(candidate.entry.name, candidate);
  }
  return candidates.filter((candidate) => groups.get(candidate.hub)?.get(candidate.entry.name) === candidate);
}

const ORDERS: Readonly<Record<SortKey, (a: CatalogEntry, b: CatalogEntry) => number>> = {
  name: (a, b) => compareText(a.name, b.name) || compareVersionTexts(a.version, b.version),
  label: (a, b) => compareText((a.label ?? a.name).toLowerCase(), (b.label ?? b.name).toLowerCase()),
  created: (a, b) => (b.created ?? -1) - (a.created ?? -1),
};

/** Candidates sorted by name and version, by label, or the newest first. Stable, and as they are without a key. */
export function sorted(candidates: readonly Candidate[], key: SortKey | undefined): readonly Candidate[] {
  return key === undefined ? candidates : [...candidates].sort((a, b) => ORDERS[key](a.entry, b.entry));
}
