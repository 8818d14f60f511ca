import { join } from 'node:path';
import { CliError } from '../core/errors.js';
import { mapConcurrent } from '../core/concurrency.js';
import { parseJson } from '../core/json/json.js';
import { catalogOf, type Catalog, type CatalogEntry, type CatalogProblem } from './catalog.js';
import { inCatalogOrder, orderedLabel, type CatalogPlace } from './catalog-order.js';
import { isRawObject, type RawObject } from './fields.js';
import { foldersIn } from './folder-files.js';
import { packageEntry, type SpecificationText } from './package-entry.js';
import type { PackageVersion } from './source.js';

const AT_ONCE = 16;

/** The catalog of a source tree, and the same as the array that `packages.json` would hold. */
export interface TreeCatalog {
  readonly catalog: Catalog;
  readonly raw: readonly RawObject[];
}

interface Found {
  readonly raw: RawObject;
  readonly problem: CliError | undefined;
}

/** Gives the specification of a package version, undefined when there is no such file. */
export type SpecificationReader = (
  place: PackageVersion,
  signal: AbortSignal,
) => Promise<SpecificationText | undefined>;

/**
 * Reads a specification without judging its members.
 * @throws BAD_JSON, BAD_UTF8, TOO_DEEP, TOO_LARGE or DUP_KEY
 */
export function specificationText(bytes: Uint8Array, what: string): SpecificationText {
  const json = parseJson(bytes, what, { duplicates: 'refuse' });
  if (!isRawObject(json)) throw new CliError('BAD_JSON', `${what} is not a JSON object`);
  return { json, text: () => Buffer.from(bytes).toString() };
}

/**
 * Builds the catalog of a source tree from its specifications, as the packager would. See docs/hub-format.md 5.1. A
 * package version whose specification cannot be read is listed by its name and version.
 */
export async function readTree(
  places: readonly PackageVersion[],
  read: SpecificationReader,
  signal: AbortSignal,
): Promise<TreeCatalog> {
  const found: Found[] = [];
  const absent: CatalogProblem[] = [];
  const look = (place: PackageVersion, both: AbortSignal): Promise<Found | CatalogProblem> => lookAt(place, read, both);
  for await (const result of mapConcurrent(places, AT_ONCE, look, signal)) {
    if ('raw' in result) found.push(result);
    else absent.push(result);
  }
  found.sort((a, b) => inCatalogOrder(placeOf(a.raw), placeOf(b.raw)));
  const raw = found.map((one) => one.raw);
  const { entries, problems } = catalogOf(raw, 'the source tree');
  const broken = entries.flatMap((entry) => problemOf(entry, found[entry.index]?.problem));
  return { catalog: { entries, problems: [...problems, ...broken, ...absent] }, raw };
}

/** The package versions of a source tree: the folders two levels below `packages`. */
export async function placesIn(root: string, problems: CatalogProblem[]): Promise<readonly PackageVersion[]> {
  const refuse = ({ code, message }: CliError): void => {
    problems.push({ severity: 'skipped', index: -1, code, message });
  };
  const places: PackageVersion[] = [];
  for (const name of await foldersIn(root, join(root, 'packages'), refuse)) {
    for (const version of await foldersIn(root, join(root, 'packages', name), refuse)) places.push({ name, version });
  }
  return places;
}

async function lookAt(
  place: PackageVersion,
  read: SpecificationReader,
  signal: AbortSignal,
): Promise<Found | CatalogProblem> {
  try {
    const specification = await read(place, signal);
    if (specification !== undefined) return { raw: packageEntry(place, specification).raw, problem: undefined };
    const message = `packages/${place.name}/${place.version} has no spec.json`;
    return { severity: 'skipped', index: -1, ...place, code: 'RESOURCE_MISSING', message };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { raw: { ...place }, problem: error };
  }
}

function problemOf({ index, name, version }: CatalogEntry, error: CliError | undefined): readonly CatalogProblem[] {
  return error === undefined
    ? []
    : [{ severity: 'warning', index, name, version, code: error.code, message: error.message }];
}

function placeOf({ label, name, version }: RawObject): CatalogPlace {
  return { label: orderedLabel(label), name: String(name), version: String(version) };
}
