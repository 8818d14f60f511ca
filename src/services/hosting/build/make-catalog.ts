import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { LARGEST_ELEMENT } from '../../../core/json/array.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import { inCatalogOrder, orderedLabel, type CatalogPlace } from '../../../hub/catalog-order.js';
import type { RawObject } from '../../../hub/fields.js';
import { packageEntry } from '../../../hub/package-entry.js';
import { packagerElement } from '../../../hub/packager-json.js';
import { specificationText } from '../../../hub/tree-catalog.js';
import { LIMITS, segmentsOf, type PackageVersion } from '../../../hub/source.js';
import { isSignatureAmong, withoutSignatures } from '../../../hub/signature-names.js';
import { FaultList } from '../tree/fault-list.js';
import { readSmall } from '../tree/read-small.js';
import { nameClashes } from '../tree/name-clash.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { hasSecretKey, SECRET_KEY_PROBLEM } from '../tree/secret-key-file.js';
import { categoriesWithIcon, filesOfVersion, findVersions, type TreeFault } from '../tree/source-tree.js';
import { sizeOf, stampOf } from '../tree/file-stamp.js';
import type { BuildMemory, CatalogEntryText, EntrySource, SeenEntry } from './build-memory.js';
import { TextStore } from './text-store.js';

/** A catalog in memory: each entry as it is written, in order. */
export interface MadeCatalog {
  readonly entries: readonly CatalogEntryText[];
  readonly categories: readonly Category[];
  /** What is wrong, sorted by file. */
  readonly faults: readonly TreeFault[];
  /** How much else is wrong. */
  readonly unlisted: number;
  /** Package versions that have faults, and those that are in no category of the whitelist. */
  readonly faulty: number;
  readonly excluded: number;
}

/** From where a catalog is made. */
export interface CatalogRequest {
  /** The real path of a source tree. */
  readonly root: string;
  /** Only packages of these categories, unless it is empty. */
  readonly whitelist: readonly string[];
  readonly emit: Emit;
  readonly memory: BuildMemory;
  /** What was published of versions; asked for when there is one. */
  readonly published: () => Promise<PublishedFiles>;
}

/** An entry that is not in memory yet. */
interface NewEntry extends CatalogPlace, Pick<CatalogEntryText, 'seen'> {
  readonly text: string;
}

/** What becomes of a package version: its entry, unless there is something wrong. */
interface ReadVersion {
  readonly entry: NewEntry | CatalogEntryText | undefined;
  readonly categories: readonly string[];
  readonly faults: readonly TreeFault[];
}

const AT_ONCE = 16;
/** Bytes between two entries. */
const BETWEEN = 2;
const TOLD_EVERY = 1000;
/** From so many package versions on memory matters more than time. */
const MANY = 20_000;

/**
 * Makes the catalog of a source tree. A package version with a fault is left out, and everything that is wrong is told.
 * @throws HUB_NOT_FOUND, BAD_SOURCE, LOCAL_IO, TOO_LARGE for more than clients read
 */
export async function makeCatalog(request: CatalogRequest, signal: AbortSignal): Promise<MadeCatalog> {
  const { root, whitelist, emit, published } = request;
  const { places, faults: beside } = await findVersions(root, signal);
  const aside = [...beside];
  const icons = await categoriesWithIcon(root, aside);
  const faults = new FaultList();
  faults.add(aside);
  const found: CatalogEntryText[] = [];
  const store = new TextStore();
  const categories = new Set<string>();
  let [done, faulty, excluded] = [0, 0, 0];
  const memory = places.length > MANY ? undefined : request.memory;
  // A disk that stalls does not hold up the end of the run.
  const read = (place: PackageVersion, both: AbortSignal): Promise<ReadVersion> =>
    unlessAborted(readVersion(root, place, { memory, published }), both);
  for await (const version of mapConcurrent(places, AT_ONCE, read, signal)) {
    faults.add(version.faults);
    const isWanted = whitelist.length === 0 || version.categories.some((name) => whitelist.includes(name));
    if (version.entry === undefined) faulty += 1;
    else if (isWanted) found.push(storedIn(store, version.entry));
    else excluded += 1;
    if (store.bytes + BETWEEN * found.length > LIMITS.catalog) throw tooLargeCatalog('packages.json');
    for (const name of version.categories) categories.add(name);
    if (++done % TOLD_EVERY === 0)
      emit({ type: 'count', what: 'packages read', done, of: places.length, failed: faulty });
  }
  const unknown = whitelist.filter((name) => !categories.has(name));
  if (found.length === 0 && excluded > 0 && faulty === 0)
    throw new CliError(
      'USAGE',
      `no package is in ${unknown.length === 1 ? 'the category' : 'any of the categories'} ${unknown.join(', ')}`,
    );
  for (const name of unknown)
    emit({ type: 'warning', code: 'NO_CATEGORY', message: `no package is in the category ${name}` });
  found.sort(inCatalogOrder);
  const listed = categoryList(categories, icons, whitelist);
  const sorted = faults.sorted();
  const unlisted = faults.count - sorted.length;
  return { entries: found, categories: listed, faults: sorted, unlisted, faulty, excluded };
}

/** TOO_LARGE for a file of a catalog that would have more than clients read. */
export const tooLargeCatalog = (name: string): CliError =>
  new CliError('TOO_LARGE', `${name} would have more than ${LIMITS.catalog} bytes, which clients do not read`, {
    hints: ['split the hub'],
  });

function storedIn(store: TextStore, entry: NewEntry | CatalogEntryText): CatalogEntryText {
  if ('block' in entry) {
    store.bytes += entry.end - entry.start;
    return entry;
  }
  const { label, name, version, text, seen } = entry;
  const { block, start, end } = store.add(text);
  return { label, name, version, block, start, end, seen };
}

/** What earlier runs know of a specification. */
interface Before extends Pick<CatalogRequest, 'published'> {
  readonly memory: BuildMemory | undefined;
}

type Wrong = (fault: Pick<TreeFault, 'code' | 'message'>) => TreeFault;

async function readVersion(root: string, place: PackageVersion, { memory, published }: Before): Promise<ReadVersion> {
  const file = `packages/${place.name}/${place.version}/spec.json`;
  const wrong: Wrong = (fault) => ({ file, ...place, ...fault });
  const faults: TreeFault[] = [];
  let raw: RawObject = {};
  let seen: Omit<SeenEntry, 'categories'> | undefined;
  try {
    const segments = segmentsOf({ ...place, file: 'spec.json' });
    const { names, faults: inside } = await filesOfVersion(root, place);
    for (const fault of inside) faults.push(fault);
    for (const fault of await secretKeys(root, place, names)) faults.push(fault);
    // A version with a fault is in no catalog; a hint to force a file must not be the first word on a secret key.
    if (faults.length === 0) guardFiles(root, place, names, await published());
    if (names.includes('spec.json')) {
      const path = join(root, ...segments);
      const source = memory && sourceOf(path, names);
      const known = source && faults.length === 0 ? memory.find(place, source) : undefined;
      if (known !== undefined) {
        (await published()).allow(place, { name: 'spec.json', sha256: known.seen.sha256 });
        return { entry: known, categories: known.seen.categories, faults };
      }
      const bytes = await readSmall(path);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      (await published()).allow(place, { name: 'spec.json', sha256 });
      seen = source && { ...source, sha256 };
      const specification = specificationText(bytes, 'it');
      const made = packageEntry(place, specification);
      raw = made.raw;
      for (const fault of made.faults) faults.push(wrong(fault));
      for (const message of nameClashes(specification.json, names)) faults.push(wrong({ code: 'BAD_NAME', message }));
    } else if (!faults.some((fault) => fault.file === file)) {
      faults.push(wrong({ code: 'RESOURCE_MISSING', message: 'it does not exist' }));
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    faults.push(wrong({ code: error.code, message: error.message }));
  }
  return faults.length > 0 ? { entry: undefined, categories: [], faults } : entryOf(place, raw, seen, wrong);
}

function entryOf(
  place: PackageVersion,
  raw: RawObject,
  seen: Omit<SeenEntry, 'categories'> | undefined,
  wrong: Wrong,
): ReadVersion {
  const label = orderedLabel(raw['label']);
  const text = packagerElement(raw);
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_ELEMENT) {
    const message = `its entry would have ${bytes} bytes; clients read at most ${LARGEST_ELEMENT}`;
    return { entry: undefined, categories: [], faults: [wrong({ code: 'TOO_LARGE', message })] };
  }
  const categories = textsOf(raw['categories']);
  return { entry: { label, ...place, text, seen: seen && { ...seen, categories } }, categories, faults: [] };
}

/** What the memory goes by; a signature beside its file says nothing of the catalog. */
function sourceOf(path: string, names: readonly string[]): EntrySource | undefined {
  const stamp = stampOf(path);
  const files = [...withoutSignatures(names)].sort();
  return stamp && { stamp, names: createHash('sha256').update(files.join('/')).digest('base64') };
}

/** Notes files of a published version that were added or removed, or have another size. */
function guardFiles(root: string, place: PackageVersion, names: readonly string[], published: PublishedFiles): void {
  if (!published.guards(place)) return;
  const folder = join(root, 'packages', place.name, place.version);
  const sized = withoutSignatures(names).map((name) => ({ name, size: sizeOf(join(folder, name)) ?? 0 }));
  published.allowSizes(place, sized);
}

/** A fault for each file that holds a secret key; there are few whose names do not tell what they are. */
async function secretKeys(root: string, place: PackageVersion, names: readonly string[]): Promise<TreeFault[]> {
  const faults: TreeFault[] = [];
  const all = new Set(names);
  for (const name of names.filter((one) => mayBeKey(one, all))) {
    const file = `packages/${place.name}/${place.version}/${name}`;
    if (await hasSecretKey(join(root, file)))
      faults.push({ file, ...place, code: 'BAD_SOURCE', message: SECRET_KEY_PROBLEM });
  }
  return faults;
}

/** Whether a build looks into a file for a secret key; a lint looks into all. */
const mayBeKey = (name: string, all: ReadonlySet<string>): boolean =>
  !/\.(?:jar|json|png)$/u.test(name) && !isSignatureAmong(all, name);

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** An element of `categories.json`. */
interface Category {
  readonly name: string;
  readonly hasIcon: boolean;
}

/**
 * The categories of a hub as the packager lists them (docs/hub-format.md 5.4). The order is that of UTF-16 units, or of
 * a whitelist. `icons` are the categories with an icon.
 */
export function categoryList(
  found: ReadonlySet<string>,
  icons: ReadonlySet<string>,
  whitelist: readonly string[],
): readonly Category[] {
  const names = whitelist.length === 0 ? [...found].sort() : [...new Set(whitelist)].filter((name) => found.has(name));
  return names.map((name) => ({ name, hasIcon: icons.has(name) }));
}
