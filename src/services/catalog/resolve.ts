import { closest, didYouMean, type Meant } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { compareVersionTexts } from '../../core/version.js';
import type { Catalog, CatalogEntry, CatalogProblem } from '../../hub/catalog.js';
import { folderSource, packageInFolder } from '../../hub/folder-source.js';
import { LIMITS, type HubSource } from '../../hub/source.js';
import { best, candidatesOf } from './choose.js';
import { compatibilityOf, type Compatibility } from './compatibility.js';
import { loadCatalog, type LoadedCatalog, type NamedHub } from './load.js';
import type { PackageRef } from './package-ref.js';

/** One version of a package that the catalog lists. */
export interface VersionChoice {
  readonly version: string;
  readonly cdapVersion: string | undefined;
  readonly compatibility: Compatibility;
}

/** A package version that was found, and the hub that has it. */
export interface PackagePlace {
  readonly hub: string;
  readonly source: HubSource;
  readonly name: string;
  readonly version: string;
  /** Undefined when the catalog does not list the version, but the hub has its specification. */
  readonly entry: CatalogEntry | undefined;
  /** What is wrong with that entry, for which an install refuses it. */
  readonly problems: readonly CatalogProblem[];
  /** Every version that the catalog lists, highest first. */
  readonly versions: readonly VersionChoice[];
  /** The user named no version, and several were there to choose from. */
  readonly chosen: boolean;
  /** Of the catalog entry; for a version that is not listed the caller judges its specification. */
  readonly compatibility: Compatibility;
}

/**
 * Finds the package a reference names. Without a version the highest compatible one, else the highest (its
 * `compatibility` says so). Where several hubs have the name, none goes before another.
 * @throws PACKAGE_NOT_FOUND, HUB_NOT_FOUND, AMBIGUOUS (the catalog lists the version twice)
 */
export async function resolvePackage(
  hubs: readonly NamedHub[],
  ref: PackageRef,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<Meant<PackagePlace>> {
  const found: PackagePlace[] = [];
  const listed: CatalogEntry[] = [];
  for (const hub of asked(hubs, ref)) {
    // a hub that fails ends the search: another hub must not step in for it
    const loaded = await loadCatalog(hub, signal);
    for (const entry of loaded.catalog.entries) listed.push(entry);
    const place = await findIn(loaded, ref, platformVersion, signal);
    if (place !== undefined && !found.some(({ source }) => source.base === place.source.base)) found.push(place);
  }
  const [place, ...others] = found;
  if (place === undefined) throw notFound(ref, listed);
  return { all: [place, ...others], problem: `several hubs have the package ${ref.name}` };
}

function asked(hubs: readonly NamedHub[], ref: PackageRef): readonly NamedHub[] {
  if (ref.hub === undefined) return hubs;
  const named = hubs.filter(({ name }) => name === ref.hub);
  if (named.length > 0) return named;
  const near = closest(
    ref.hub,
    hubs.map(({ name }) => name),
  );
  throw new CliError('HUB_NOT_FOUND', `hub ${ref.hub} not found`, {
    hints: [
      ...didYouMean(near === undefined ? undefined : `${near}/${written(ref)}`),
      { next: 'list-hubs' },
      `for a folder: ./${ref.hub}/${written(ref)}`,
    ],
  });
}

async function findIn(
  { hub, catalog }: LoadedCatalog,
  ref: PackageRef,
  platform: string | undefined,
  signal: AbortSignal,
): Promise<PackagePlace | undefined> {
  const { source, name: label } = hub;
  if (ref.version === undefined) refuseUnversioned(label, catalog, ref.name);
  const named = catalog.entries.filter(({ name }) => name === ref.name);
  const candidates = candidatesOf(hub, named, platform).toSorted((a, b) =>
    compareVersionTexts(b.entry.version, a.entry.version),
  );
  const chosen =
    ref.version === undefined ? best(candidates) : candidates.find(({ entry }) => entry.version === ref.version);
  const version = chosen?.entry.version ?? ref.version;
  if (version === undefined) return undefined;
  if (candidates.filter(({ entry }) => entry.version === version).length > 1) {
    throw new CliError('AMBIGUOUS', `the catalog of ${label} lists ${ref.name} ${version} more than once`, {
      target: { hub: label, package: `${ref.name}@${version}` },
    });
  }
  if (chosen === undefined && !(await hasSpecification(source, ref.name, version, signal))) return undefined;
  return {
    hub: label,
    source,
    name: ref.name,
    version,
    entry: chosen?.entry,
    problems: catalog.problems.filter(({ severity, index }) => severity === 'warning' && index === chosen?.entry.index),
    versions: candidates.map(({ entry, compatibility }) => ({
      version: entry.version,
      cdapVersion: entry.cdapVersion,
      compatibility,
    })),
    chosen: ref.version === undefined && candidates.length > 1,
    compatibility: chosen?.compatibility ?? compatibilityOf(undefined, platform),
  };
}

/** Without a version nothing says whether the entry is the one that is wanted (docs/faults.md H05). */
function refuseUnversioned(hub: string, { entries, problems }: Catalog, name: string): void {
  const isBare = problems.some((problem) => problem.name === name && (problem.version ?? '') === '');
  if (!isBare) return;
  const version = entries.find((entry) => entry.name === name)?.version ?? 'VERSION';
  throw new CliError('BAD_FIELD', `the catalog of ${hub} has an entry of ${name} without a version`, {
    hints: [`specify the version: ${name}@${version}`],
    target: { hub, package: name },
  });
}

async function hasSpecification(
  source: HubSource,
  name: string,
  version: string,
  signal: AbortSignal,
): Promise<boolean> {
  const file = await source.open({ name, version, file: 'spec.json' }, { maxBytes: LIMITS.specification }, signal);
  await file?.discard();
  return file !== undefined;
}

const written = ({ name, version }: PackageRef): string => (version === undefined ? name : `${name}@${version}`);

/** PACKAGE_NOT_FOUND for a package or a version that a hub does not list, with what was perhaps meant. */
export function notFound(ref: PackageRef, listed: readonly CatalogEntry[]): CliError {
  const target = { package: written(ref) };
  const versions = listed.filter(({ name }) => name === ref.name).map(({ version }) => version);
  if (versions.length > 0) {
    versions.sort((a, b) => compareVersionTexts(b, a));
    return new CliError('PACKAGE_NOT_FOUND', `version ${String(ref.version)} of ${ref.name} not found`, {
      target,
      lines: [`versions: ${versions.slice(0, 20).join(', ')}`],
      hints: [{ next: 'list-versions', package: ref.hub === undefined ? ref.name : `${ref.hub}/${ref.name}` }],
    });
  }
  const names = new Set(listed.map(({ name }) => name));
  const wanted = ref.name.toLowerCase();
  const near =
    listed.find(({ label }) => label?.toLowerCase() === wanted)?.name ??
    closest(ref.name, names) ??
    [...names].find((name) => name.includes(ref.name));
  return new CliError('PACKAGE_NOT_FOUND', `package ${ref.name} not found`, {
    target,
    hints: [...didYouMean(near), { next: 'search-package', package: ref.name }],
  });
}

/**
 * The package that a folder is, or the only one of a hub in a folder.
 * @throws USAGE where it holds several
 */
export async function resolveInFolder(
  folder: string,
  platformVersion: string | undefined,
  signal: AbortSignal,
): Promise<Meant<PackagePlace>> {
  const source = await folderSource(folder, folder, signal);
  const place = await packageInFolder(folder, signal);
  const hubs = [{ name: folder, source }];
  if (place !== undefined) return resolvePackage(hubs, { hub: undefined, ...place }, platformVersion, signal);
  const { catalog } = await source.catalog({}, signal);
  const names = [...new Set(catalog.entries.map(({ name }) => name))];
  const [only] = names;
  if (only === undefined || names.length > 1) {
    throw new CliError('USAGE', `${folder} holds ${names.length} packages`, {
      hints: [`use the folder of a package: ${folder}/packages/NAME/VERSION`, { next: 'name-hub-folder', folder }],
    });
  }
  return resolvePackage(hubs, { hub: undefined, name: only, version: undefined }, platformVersion, signal);
}
