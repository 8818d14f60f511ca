import { CliError } from '../core/errors.js';
import { parseJsonArray } from '../core/json/array.js';
import { isSafeSegment } from '../core/names.js';
import { collectEarly, LARGE } from '../core/collecting.js';
import {
  brief,
  isRawObject,
  readPackageFields,
  rememberingJudge,
  textOf,
  type PackageFields,
  type ProblemCode,
  type RawObject,
  type Report,
  type Severity,
} from './fields.js';

/** One package version as the catalog of a hub lists it. */
export interface CatalogEntry extends PackageFields {
  /** Position in the catalog, from 0. */
  readonly index: number;
  readonly name: string;
  readonly version: string;
  /** Every member as it came; a lean catalog may do without. */
  readonly raw: RawObject | undefined;
}

/**
 * A problem in a catalog: an entry left out, one that an install would refuse, or a note. `skipped` is an entry left
 * out, `warning` one that an install would refuse.
 */
export interface CatalogProblem {
  readonly severity: Severity;
  readonly index: number;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly code: ProblemCode;
  readonly message: string;
}

/** A parsed catalog: every entry with a name and a version, in file order, and the problems found. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly CatalogProblem[];
}

/** A catalog whose entries have every member as it came. */
export interface WholeCatalog extends Catalog {
  readonly entries: readonly (CatalogEntry & { readonly raw: RawObject })[];
}

/** How a catalog is read. `lean` does not keep the members as they came, a fifth of the memory of a large one. */
export interface CatalogOptions {
  readonly lean?: boolean | undefined;
}

/** Most packages, and most that may be wrong with them (`docs/limits.md`). Notes beyond that are left out. */
const MOST_ENTRIES = 120_000;
const MOST_PROBLEMS = 20_000;
/** Most texts that are kept to be shared, and their length: V8 tells long ones apart slowly. */
const MOST_SHARED = 1000;
const LONGEST_SHARED = 200;

/** What nearly all names look like; the full check costs a tenth of a large catalog's time. */
const PLAIN = /^[\w.-]{0,100}\w$/u;

/**
 * Reads a catalog (`packages.json`, docs/hub-format.md 5.1).
 * @throws BAD_JSON, BAD_UTF8, TOO_DEEP, or BAD_CATALOG when it is not an array
 */
export function readCatalog(bytes: Uint8Array, what: string): WholeCatalog;
/** As above, for a catalog that may be lean. */
export function readCatalog(bytes: Uint8Array, what: string, options: CatalogOptions): Catalog;
/** What both do. */
export function readCatalog(bytes: Uint8Array, what: string, options: CatalogOptions = {}): Catalog {
  if (bytes.length > LARGE) collectEarly('catalog');
  const values = parseJsonArray(bytes, what);
  if (values === undefined) throw new CliError('BAD_CATALOG', `${what} is not a list of packages`);
  return catalogOf(values, what, options);
}

/** Written out, because V8 takes several times as long to spread one object into another. */
function entryOf(
  { index, name, version, raw }: Omit<CatalogEntry, keyof PackageFields>,
  fields: PackageFields,
  shared: Shared,
): CatalogEntry {
  const { label, description, author, org, cdapVersion, created, categories } = fields;
  const { beta, preview, paid, paidLink, license, licenseInfo } = fields;
  return {
    index,
    name,
    version,
    label,
    description,
    author: shared.text(author),
    org: shared.text(org),
    cdapVersion: shared.text(cdapVersion),
    created,
    categories: shared.list(categories),
    beta,
    preview,
    paid,
    paidLink,
    license: shared.text(license),
    licenseInfo,
    raw,
  };
}

/** What packages have in common, kept once: a parser makes a new text of each. */
interface Shared {
  text(text: string | undefined): string | undefined;
  list(list: readonly string[]): readonly string[];
}

function sharing(): Shared {
  const texts = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  function shared<V>(known: Map<string, V>, key: string, value: V): V {
    if (key.length > LONGEST_SHARED) return value;
    const first = known.get(key);
    if (first === undefined && known.size < MOST_SHARED) known.set(key, value);
    return first ?? value;
  }
  return {
    text: (text) => (text === undefined ? undefined : shared(texts, text, text)),
    list: (list) => (list.length === 1 ? shared(lists, list[0] ?? '', list) : list),
  };
}

/** Takes what is wrong while there is not too much of it. A warning is never left out, as an install goes by it. */
function keepProblem(problems: CatalogProblem[], problem: CatalogProblem, what: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push(problem);
  else if (problem.severity !== 'note')
    throw new CliError('BAD_CATALOG', `${what} has more than ${MOST_PROBLEMS} errors`);
}

function refuseUnsafe(segment: string, report: Report): void {
  if (!PLAIN.test(segment) && !isSafeSegment(segment))
    report('warning', 'BAD_NAME', `${brief(segment)} cannot be part of a URL`);
}

/**
 * The catalog of a parsed array; also used for the one that is made from a source tree.
 * @throws TOO_LARGE, or BAD_CATALOG where too much is wrong
 */
export function catalogOf(values: Iterable<unknown>, what: string, { lean = false }: CatalogOptions = {}): Catalog {
  const entries: CatalogEntry[] = [];
  const problems: CatalogProblem[] = [];
  const seen = new Map<string, Set<string>>();
  const judge = rememberingJudge();
  const shared = sharing();
  let index = -1;
  // What problems are told of; not one object, which would be a new one for each of 100,000 packages.
  let [ofName, ofVersion]: readonly (string | undefined)[] = [];
  const report: Report = (severity, code, message) => {
    keepProblem(problems, { severity, index, name: ofName, version: ofVersion, code, message }, what);
  };
  for (const raw of values) {
    index += 1;
    if (index === MOST_ENTRIES) throw new CliError('TOO_LARGE', `${what} lists more than ${MOST_ENTRIES} packages`);
    ofName = ofVersion = undefined;
    if (!isRawObject(raw)) {
      report('skipped', 'BAD_FIELD', 'is not an object');
      continue;
    }
    const name = textOf(raw['name'], 'name', report);
    const version = textOf(raw['version'], 'version', report);
    ofName = name;
    ofVersion = version;
    if (name === undefined || name === '' || version === undefined || version === '') {
      report('skipped', 'BAD_FIELD', `has no ${name === undefined || name === '' ? 'name' : 'version'}`);
      continue;
    }
    refuseUnsafe(name, report);
    refuseUnsafe(version, report);
    const versions = seen.get(name) ?? new Set();
    if (versions.size === 0) seen.set(name, versions);
    if (versions.size === versions.add(version).size) report('warning', 'AMBIGUOUS', 'is listed more than once');
    const fields = readPackageFields(raw, report, judge);
    entries.push(entryOf({ index, name, version, raw: lean ? undefined : raw }, fields, shared));
  }
  return { entries, problems };
}
