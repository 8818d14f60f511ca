import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import type { CatalogEntry, CatalogProblem } from '../../hub/catalog.js';
import { compatibilityFor, refuseOtherPlatform } from './compatibility.js';
import { latestOf, sorted, type Candidate, type SortKey } from './choose.js';
import type { InstalledMarks } from './installed-marks.js';
import { loadCatalogs, type FailedHub, type LoadedCatalog, type NamedHub } from './load.js';
import { itemOf, type PackageItem } from './package-item.js';
import { fetchSpecification } from './specification.js';

/** What to list; an absent member filters nothing. */
export interface ListQuery {
  /** Any of them, exact text. */
  readonly categories?: readonly string[] | undefined;
  readonly platformVersion?: string | undefined;
  /** Show what is not for the platform, too. */
  readonly all?: boolean | undefined;
  /** Any of them; reads the specification of every package that is left. */
  readonly actionTypes?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly beta?: boolean | undefined;
  readonly latest?: boolean | undefined;
  /** Catalog order when absent. */
  readonly sort?: SortKey | undefined;
  /** Name the action types of every package listed; reads the specifications. */
  readonly withActions?: boolean | undefined;
  readonly installed?: InstalledMarks | undefined;
}

/** A problem of a catalog and the hub that it was found in. */
export interface ListProblem extends CatalogProblem {
  readonly hub: string;
}

/** What `hub list` shows. */
export interface PackageList {
  /** Made one by one as they are asked for, each time anew: a large catalog need not lie in memory twice. */
  readonly items: Iterable<PackageItem>;
  readonly total: number;
  /** Packages that fit but are not for the platform; counted before the action types are looked at. */
  readonly hidden: number;
  readonly problems: readonly ListProblem[];
  /** Categories that were asked for and no package has, beside some that are there. Absent where all are known. */
  readonly noCategory?: { readonly asked: readonly string[]; readonly known: readonly string[] };
  readonly failed: readonly FailedHub[];
  /** Hubs whose catalog was made from a source tree. */
  readonly synthesized: readonly string[];
  /** Hubs whose stored catalog was used. */
  readonly stored: readonly string[];
}

const AT_ONCE = 8;

/** So many categories are named where one was asked for that no package has. */
const MOST_CATEGORIES = 20;

function missingCategories(
  wanted: readonly string[],
  loaded: readonly Pick<LoadedCatalog, 'catalog'>[],
): PackageList['noCategory'] {
  const missing = new Set(wanted);
  const known = new Set<string>();
  for (const { catalog } of loaded)
    for (const { categories } of catalog.entries)
      for (const category of categories) {
        missing.delete(category);
        if (known.size < MOST_CATEGORIES) known.add(category);
      }
  return missing.size === 0 ? undefined : { asked: [...missing], known: [...known].sort() };
}

/**
 * Lists the packages of hubs in the hubs' and catalogs' order. USAGE for a platform version that is none; throws the
 * reason when no hub could be read.
 */
export async function listPackages(
  hubs: readonly NamedHub[],
  query: ListQuery,
  signal: AbortSignal,
): Promise<PackageList> {
  const { platformVersion } = query;
  refuseOtherPlatform(platformVersion);
  const judge = compatibilityFor(platformVersion);
  const { loaded, failed } = await loadCatalogs(hubs, signal);
  const problems = loaded.flatMap(({ hub, catalog }) =>
    catalog.problems.map((problem) => ({ hub: hub.name, ...problem })),
  );
  const noCategory = query.categories && missingCategories(query.categories, loaded);
  const fitting = loaded.flatMap(({ hub, catalog }) =>
    catalog.entries
      .filter((entry) => matches(entry, query))
      .map((entry): Candidate => ({ hub, entry, compatibility: judge(entry.cdapVersion) })),
  );
  const visible =
    platformVersion === undefined || query.all === true
      ? fitting
      : fitting.filter((one) => one.compatibility.compatible);
  const typed = await withActionTypes(visible, query, problems, signal);
  const chosen = sorted(query.latest === true ? latestOf(typed) : typed, query.sort);
  return {
    items: itemsOf(chosen, query.installed),
    total: chosen.length,
    hidden: fitting.length - visible.length,
    problems,
    ...(noCategory !== undefined && { noCategory }),
    failed,
    synthesized: loaded.filter((one) => one.synthesized).map(({ hub }) => hub.name),
    stored: loaded.filter((one) => one.stored).map(({ hub }) => hub.name),
  };
}

function itemsOf(chosen: readonly Candidate[], marks: InstalledMarks | undefined): Iterable<PackageItem> {
  return {
    *[Symbol.iterator]() {
      for (const candidate of chosen) yield itemOf(candidate, marks);
    },
  };
}

/**
 * Whether an entry contains each word of a text, ignoring letter case. Searches name, label, description, author, org
 * and categories.
 */
export function matchesText(entry: CatalogEntry, text: string): boolean {
  const { name, label, description, author, org, categories } = entry;
  const held = [name, label, description, author, org, ...categories].map((one) => one?.toLowerCase() ?? '');
  const words = text.toLowerCase().split(/\s+/u);
  return words.every((word) => held.some((one) => one.includes(word)));
}

function matches(entry: CatalogEntry, { categories, beta, text }: ListQuery): boolean {
  if (
    categories !== undefined &&
    categories.length > 0 &&
    !categories.some((category) => entry.categories.includes(category))
  )
    return false;
  if (beta !== undefined && (entry.beta || entry.preview) !== beta) return false;
  return text === undefined || matchesText(entry, text);
}

async function withActionTypes(
  candidates: readonly Candidate[],
  query: ListQuery,
  problems: ListProblem[],
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const wanted = query.actionTypes ?? [];
  if (wanted.length === 0 && query.withActions !== true) return candidates;
  const kept: Candidate[] = [];
  for await (const { candidate, problem } of mapConcurrent(candidates, AT_ONCE, readTypes, signal)) {
    if (problem !== undefined) problems.push(problem);
    if (wanted.length === 0 || wanted.some((type) => candidate.actions?.includes(type))) kept.push(candidate);
  }
  return kept;
}

async function readTypes(
  candidate: Candidate,
  signal: AbortSignal,
): Promise<{ readonly candidate: Candidate; readonly problem?: ListProblem }> {
  const { hub, entry } = candidate;
  try {
    const { specification } = await fetchSpecification(
      { source: hub.source, name: entry.name, version: entry.version },
      signal,
    );
    return { candidate: { ...candidate, actions: specification.actions.map(({ type }) => type) } };
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    const { index, name, version } = entry;
    const { code, message } = error;
    return { candidate, problem: { hub: hub.name, severity: 'warning', index, name, version, code, message } };
  }
}
