import type { Clock } from '../../../core/clock.js';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { join } from 'node:path';
import { LIMITS } from '../../../hub/source.js';
import { faultLines } from '../tree/fault-list.js';
import { madeFolder } from '../tree/create-folder.js';
import { publishedIn, type PublishedFiles } from '../tree/published-files.js';
import type { TreeFault } from '../tree/source-tree.js';
import type { MemoryPlace } from '../tree/tree-memory.js';
import { openBuildMemory } from './build-memory.js';
import { makeCatalog, tooLargeCatalog, type CatalogRequest } from './make-catalog.js';
import {
  compareCatalog,
  contentsOf,
  isListed,
  START_PAGE,
  writeCatalog,
  type CatalogFile,
  type MakePage,
} from './write-catalog.js';

/** What is built, where it goes, and when it is not written. */
export interface BuildRequest extends Omit<CatalogRequest, 'memory' | 'published'> {
  /** The folder of the files; that of the tree unless another is wanted. */
  readonly out: string;
  /** Only tells what would change. */
  readonly check: boolean;
  /** Writes nothing when anything is wrong. */
  readonly strict: boolean;
  /** Makes the start page, where one is wanted. */
  readonly makePage?: MakePage | undefined;
  /** Where the memory of the last build is. */
  readonly memory: Pick<MemoryPlace, 'stateFolder' | 'version'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced: readonly string[];
}

/** What a build came to. */
export interface HubBuild {
  readonly folder: string;
  /** Package versions in the catalog. */
  readonly packages: number;
  readonly categories: number;
  /** Package versions in no category of the whitelist. */
  readonly excluded: number;
  /** Package versions that are left out because something is wrong with them. */
  readonly faulty: number;
  readonly files: readonly CatalogFile[];
  readonly faults: readonly TreeFault[];
  /** How many faults are not listed. */
  readonly unlisted: number;
}

/** A build, and the error that it ends with when something is wrong in the tree. */
export interface BuildOutcome {
  readonly build: HubBuild;
  readonly refusal: CliError | undefined;
  /** Whether a start page is new, and nothing need be signed, as the index lists the catalog. */
  readonly isSigned: boolean;
}

/**
 * Builds the catalog of a source tree (docs/hub-format.md 5.4). Nothing is written with `strict` when there is a fault,
 * and when no package is left.
 * @throws REPUBLISH, TOO_LARGE when clients would not read the catalog, and the errors of `makeCatalog`
 */
export async function buildHub(request: BuildRequest, signal: AbortSignal): Promise<BuildOutcome> {
  const { root, out, check, strict, emit } = request;
  // What is written from here on may look as it did when it was read.
  const start = request.clock.now();
  const memory = await openBuildMemory({ ...request.memory, root, out });
  let known: Promise<PublishedFiles> | undefined;
  const published = (): Promise<PublishedFiles> => (known ??= publishedIn(root, request.forced));
  const made = await makeCatalog({ ...request, memory, published }, signal);
  const { entries, excluded, faulty, faults, unlisted } = made;
  const counts = { packages: entries.length, categories: made.categories.length, excluded, faulty };
  const outcome = (files: readonly CatalogFile[]): HubBuild => ({ folder: root, ...counts, files, faults, unlisted });
  const others = { lines: faultLines(faults, faults.length + unlisted), item: outcome([]) };
  (await known)?.refuse(root, 'changed', others);
  const isNoneLeft = faults.length > 0 && entries.length === 0;
  const isRefused = isNoneLeft || (strict && faults.length > 0);
  const contents = contentsOf(made, request.makePage);
  const compared = await compareCatalog(out, contents);
  const isCatalog = ({ name }: CatalogFile): boolean => name !== START_PAGE;
  for (const file of compared) if (isCatalog(file) && file.bytes > LIMITS.catalog) throw tooLargeCatalog(file.name);
  if (!check && !isRefused) madeFolder(out);
  const files = check || isRefused ? compared : await writeCatalog(compared, contents, signal);
  if (!check && !isRefused) await memory.keep(entries, start);
  if (files.some((file) => file.state === 'written' && isCatalog(file)) && isThere(join(out, 'index.json')))
    emit({ type: 'warning', code: 'MIXED', message: 'index.json does not match the new catalog; sign the hub again' });
  const build = outcome(files);
  const hasPage = files.some(({ name, state }) => name === START_PAGE && state === 'written');
  return {
    build,
    isSigned: hasPage && out === root && (await isListed(root, files)),
    refusal: faults.length === 0 ? undefined : refusalOf(build, isRefused),
  };
}

function refusalOf(build: HubBuild, isRefused: boolean): CliError {
  const { faults, unlisted, faulty } = build;
  const count = faults.length + unlisted;
  const what = `${counted(count, 'fault')} in ${build.folder}`;
  const unread = faults.filter(({ code, name }) => code === 'LOCAL_IO' && name === undefined).length;
  const left =
    faulty + unread === 0
      ? 'all packages are in the catalog'
      : `${counted(faulty + unread, 'package')} not in the catalog`;
  const outcome = isRefused ? 'nothing was written' : left;
  return new CliError(isRefused ? 'BAD_SOURCE' : 'PARTIAL', `${what}; ${outcome}`, {
    lines: faultLines(faults, count),
    item: build,
  });
}
