import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { isSafeSegment } from '../core/names.js';
import {
  brief,
  isRawObject,
  readPackageFields,
  textOf,
  type PackageFields,
  type RawObject,
  type Severity,
} from './fields.js';

/** One package version as the catalog of a hub lists it; `raw` keeps every member as it came. */
export interface CatalogEntry extends PackageFields {
  /** Position in the catalog, from 0. */
  readonly index: number;
  readonly name: string;
  readonly version: string;
  readonly raw: RawObject;
}

/** Something odd in a catalog: an entry left out (`skipped`), one that an install would refuse (`warning`), or a note. */
export interface CatalogProblem {
  readonly severity: Severity;
  readonly index: number;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly code: string;
  readonly message: string;
}

/** A catalog as it was read: every entry with a name and a version, in its order, and what is wrong with any of them. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly CatalogProblem[];
}

/** Reads a catalog (`packages.json`, `hub.md` 5); BAD_JSON, BAD_UTF8, TOO_DEEP, or BAD_CATALOG when it is not an array. */
export function readCatalog(bytes: Uint8Array, what: string): Catalog {
  const json = parseJson(bytes, what);
  if (!Array.isArray(json)) throw new CliError('BAD_CATALOG', `${what} is not a list of packages`);
  return catalogOf(json);
}

/** The catalog of a parsed array; also used for the one that is made from a source tree. */
export function catalogOf(values: readonly unknown[]): Catalog {
  const entries: CatalogEntry[] = [];
  const problems: CatalogProblem[] = [];
  const seen = new Map<string, Set<string>>();
  values.forEach((value, index) => {
    let [name, version]: [string | undefined, string | undefined] = [undefined, undefined];
    const report = (severity: Severity, code: string, message: string): void => {
      problems.push({ severity, index, name, version, code, message });
    };
    if (!isRawObject(value)) {
      report('skipped', 'BAD_FIELD', 'is not an object');
      return;
    }
    name = identityOf(value, 'name', report);
    version = identityOf(value, 'version', report);
    if (name === undefined || version === undefined) {
      report('skipped', 'BAD_FIELD', `has no ${name === undefined ? 'name' : 'version'}`);
      return;
    }
    if (!remember(seen, name, version)) report('warning', 'AMBIGUOUS', 'is listed more than once');
    entries.push({ index, name, version, ...readPackageFields(value, report), raw: value });
  });
  return { entries, problems };
}

function identityOf(
  raw: RawObject,
  member: 'name' | 'version',
  report: Parameters<typeof textOf>[2],
): string | undefined {
  const text = textOf(raw, member, report);
  if (text === undefined || text === '') return undefined;
  if (!isSafeSegment(text)) report('warning', 'BAD_NAME', `${member} ${brief(text)} cannot be part of an address`);
  return text;
}

function remember(seen: Map<string, Set<string>>, name: string, version: string): boolean {
  const versions = seen.get(name);
  if (versions === undefined) seen.set(name, new Set([version]));
  else if (versions.has(version)) return false;
  else versions.add(version);
  return true;
}
