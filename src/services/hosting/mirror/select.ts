import { CliError } from '../../../core/errors.js';
import { compareVersionTexts } from '../../../core/version.js';
import type { Catalog, CatalogEntry } from '../../../hub/catalog.js';
import { compatibilityFor } from '../../catalog/compatibility.js';
import type { LockedPackage } from '../../catalog/lock-file.js';
import type { PackageRef } from '../../catalog/package-ref.js';
import { notFound } from '../../catalog/resolve.js';

/** Which packages of a hub are mirrored; all without any member. */
export interface Selection {
  readonly packages: readonly PackageRef[];
  /** Any of them. */
  readonly categories: readonly string[];
  readonly platformVersion: string | undefined;
  /** The highest versions of each package, so many. */
  readonly versions: number | undefined;
  /** Only these, with these digests. */
  readonly locked: readonly LockedPackage[] | undefined;
}

/** A package version that is mirrored, and what a lock file pins of it: SHA-256 by file. */
export interface SelectedVersion {
  readonly name: string;
  readonly version: string;
  /** Position in the catalog. */
  readonly index: number;
  /** The file of the license, where the catalog names one. */
  readonly license: string | undefined;
  readonly locked: ReadonlyMap<string, string> | undefined;
}

const MOST_CATEGORIES = 20;

/** Whether all packages are selected, so that the files of the hub itself can be kept as they are. */
export const isWhole = ({ packages, categories, platformVersion, versions, locked }: Selection): boolean =>
  packages.length === 0 &&
  categories.length === 0 &&
  platformVersion === undefined &&
  versions === undefined &&
  locked === undefined;

/**
 * The selected versions in the order of the catalog, each once.
 * @throws PACKAGE_NOT_FOUND for a name, a version, a category or a locked package that the catalog does not list, and
 * where a selection has no version at all; BAD_CATALOG for names that differ in upper and lower case only
 */
export function selectVersions({ entries }: Catalog, selection: Selection): readonly SelectedVersion[] {
  const { packages, categories, locked } = selection;
  const known = new Map<string, Map<string, CatalogEntry>>();
  for (const entry of entries) {
    const versions = known.get(entry.name) ?? new Map<string, CatalogEntry>();
    if (!versions.has(entry.version)) versions.set(entry.version, entry);
    known.set(entry.name, versions);
  }
  for (const ref of [...packages, ...(locked ?? [])]) {
    const versions = known.get(ref.name);
    if (versions === undefined || (ref.version !== undefined && !versions.has(ref.version)))
      throw notFound(ref, entries);
  }
  refuseEmpty(entries, categories);
  const { platformVersion } = selection;
  const judge = compatibilityFor(platformVersion);
  const pins = new Map(locked?.map(({ name, version, files }) => [JSON.stringify([name, version]), digestsOf(files)]));
  const found: SelectedVersion[] = [];
  for (const [name, versions] of known) {
    const wanted = [...versions.values()].filter(
      (entry) =>
        (packages.length === 0 || packages.some((ref) => isMeant(ref, entry))) &&
        (categories.length === 0 || entry.categories.some((category) => categories.includes(category))) &&
        // An empty range hides a package from every platform; that is no reason not to have it.
        (platformVersion === undefined || judge(entry.cdapVersion).compatible),
    );
    const isLocked = ({ version }: CatalogEntry): boolean =>
      locked === undefined || pins.has(JSON.stringify([name, version]));
    for (const entry of highest(wanted.filter(isLocked), selection.versions)) {
      const { version, index, license } = entry;
      found.push({ name, version, index, license, locked: pins.get(JSON.stringify([name, version])) });
    }
  }
  if (found.length === 0 && !isWhole(selection)) throw nothingSelected(categories.length === 0 ? [] : entries);
  refuseTwins(found);
  return found.sort((one, other) => one.index - other.index);
}

/** Many file systems take two names for one that differ in upper and lower case only. */
function refuseTwins(found: readonly SelectedVersion[]): void {
  const seen = new Map<string, SelectedVersion>();
  for (const one of found) {
    const key = `${one.name}/${one.version}`.toLowerCase();
    const twin = seen.get(key);
    if (twin !== undefined)
      throw new CliError(
        'BAD_CATALOG',
        `${twin.name} ${twin.version} and ${one.name} ${one.version} differ in upper and lower case only`,
        { hints: ['mirror only some packages, with only one of these'] },
      );
    seen.set(key, one);
  }
}

function nothingSelected(entries: Catalog['entries'], message = 'no package version of the hub is selected'): CliError {
  const categories = [...new Set(entries.flatMap((entry) => entry.categories))].sort().slice(0, MOST_CATEGORIES);
  return new CliError('PACKAGE_NOT_FOUND', message, {
    lines: categories.length === 0 ? [] : [`categories of the hub: ${categories.join(', ')}`],
  });
}

/** Refuses a category that no package has, as a name that no package has, whatever else is selected. */
function refuseEmpty(entries: Catalog['entries'], wanted: readonly string[]): void {
  const missing = wanted.filter((category) => !entries.some(({ categories }) => categories.includes(category)));
  if (missing.length > 0) throw nothingSelected(entries, `no package has the category ${missing.join(', ')}`);
}

const isMeant = ({ name, version }: PackageRef, entry: CatalogEntry): boolean =>
  entry.name === name && (version === undefined || entry.version === version);

function highest(entries: readonly CatalogEntry[], count: number | undefined): readonly CatalogEntry[] {
  if (count === undefined || entries.length <= count) return entries;
  return [...entries].sort((one, other) => compareVersionTexts(other.version, one.version)).slice(0, count);
}

const digestsOf = (files: LockedPackage['files']): ReadonlyMap<string, string> =>
  new Map(files.map(({ name, sha256 }) => [name, sha256]));
