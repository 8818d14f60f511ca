import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import type { IndexFile } from '../../../hub/index-file.js';
import { writeIndex } from '../../../hub/index-writer.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { isSignatureAmong } from '../../../hub/signature-names.js';
import { FaultList, faultLines } from '../tree/fault-list.js';
import { sizeOf } from '../tree/file-stamp.js';
import { secretKeysBeside, secretKeysUnder } from '../tree/secret-keys.js';
import { filesAt, filesOfVersion, findVersions, type TreeFault } from '../tree/source-tree.js';
import { keyFilesAmong } from './tree-keys.js';

/** A file that the index will list; no more than is needed, as there may be 100,000. */
export interface PlannedFile {
  readonly name: string;
  /** Whether it has a signature file. */
  readonly isSigned: boolean;
}

/** A package version with the files that the index will list. */
export interface PlannedVersion extends PackageVersion {
  readonly files: readonly PlannedFile[];
  /** Whether a run that was killed has left temporary files. */
  readonly hasLeftovers: boolean;
}

/** All that is signed or listed. */
export interface TreePlan {
  readonly versions: PlannedVersion[];
  /** Names of files of the root: the catalog, and files of keys. */
  readonly root: readonly string[];
}

/** Files of the root that the index lists besides files of keys. */
const CATALOG: ReadonlySet<string> = new Set(['packages.json', 'categories.json']);
const AT_ONCE = 16;
const DIGEST = '0'.repeat(64);

/**
 * Walks a tree and says what is to be signed, before anything is. An `.asc` beside its file is a signature, any other
 * one is a file itself.
 * @throws BAD_SOURCE with all faults, TOO_LARGE when clients would not read the index
 */
export async function planTree(root: string, keys: readonly string[], signal: AbortSignal): Promise<TreePlan> {
  const faults = new FaultList();
  const tree = await findVersions(root, signal);
  const { places } = tree;
  faults.add(tree.faults);
  refuseKeys(root, await secretKeysBeside(tree, signal));
  const top = await rootFiles(root, faults);
  const index = new IndexSize(top, keys);
  const versions: PlannedVersion[] = [];
  const keysInside: TreeFault[] = [];
  const plan = (place: PackageVersion, both: AbortSignal): Promise<PlannedVersion> =>
    unlessAborted(versionOf(root, place, { faults, index, keysInside }, both), both);
  for await (const version of mapConcurrent(places, AT_ONCE, plan, signal)) versions.push(version);
  refuseKeys(
    root,
    keysInside.sort((one, other) => (one.file < other.file ? -1 : 1)),
  );
  if (faults.count > 0)
    throw new CliError('BAD_SOURCE', `${counted(faults.count, 'fault')} in ${root}; nothing was signed`, {
      lines: faults.lines(),
      target: { file: root },
    });
  return { versions, root: top.map(({ name }) => name) };
}

function refuseKeys(root: string, keys: readonly TreeFault[]): void {
  if (keys.length > 0)
    throw new CliError('BAD_SOURCE', `${counted(keys.length, 'secret key')} in ${root}; nothing was signed`, {
      lines: faultLines(keys, keys.length),
      hints: ['move it to another folder, and generate a new key if others may have read it'],
      target: { file: root },
    });
}

interface PlanDeps {
  readonly faults: FaultList;
  readonly index: IndexSize;
  /** Secret keys in folders of package versions, of which no file is signed. */
  readonly keysInside: TreeFault[];
}

async function versionOf(
  root: string,
  place: PackageVersion,
  { faults, index, keysInside }: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedVersion> {
  const { name: of, version } = place;
  const folder = `packages/${place.name}/${place.version}`;
  const { names, folders, hasLeftovers, faults: inside } = await filesOfVersion(root, place);
  faults.add(inside);
  const below = folders.map((name) => `${folder}/${name}`);
  keysInside.push(...(await secretKeysUnder(root, below, signal)));
  const all = new Set(names);
  const files: PlannedFile[] = [];
  const sized: SizedFile[] = [];
  for (const name of [...names].sort()) {
    if (isSignatureAmong(all, name)) continue;
    // One that has gone is missed when it is read.
    const size = sizeOf(join(root, folder, name)) ?? 0;
    const most = name === 'spec.json' ? LIMITS.specification : LIMITS.resource;
    if (size > most) faults.add([{ ...place, ...tooLarge(`${folder}/${name}`, size, most) }]);
    files.push({ name, isSigned: all.has(`${name}.asc`) });
    sized.push({ name, size });
  }
  index.add(place, sized);
  return { name: of, version, files, hasLeftovers };
}

async function rootFiles(root: string, faults: FaultList): Promise<readonly SizedFile[]> {
  const names = await filesAt(root);
  if (!names.includes('packages.json'))
    throw new CliError('BAD_SOURCE', `${root} has no packages.json`, {
      hints: [{ next: 'build-hub', folder: root }],
      target: { file: root },
    });
  const keys = new Set(keyFilesAmong(names));
  const files = names.filter((one) => CATALOG.has(one) || keys.has(one));
  const sized = files.map((name) => ({ name, size: sizeOf(join(root, name)) ?? 0 }));
  for (const { name, size } of sized) if (size > LIMITS.catalog) faults.add([tooLarge(name, size, LIMITS.catalog)]);
  return sized;
}

type SizedFile = Pick<IndexFile, 'name' | 'size'>;

const tooLarge = (file: string, size: number, most: number) => ({
  file,
  code: 'TOO_LARGE' as const,
  message: `it has ${size} bytes; clients read at most ${most}`,
});

/** Adds up what the index will have, so that one that is too large is known before anything is signed. */
class IndexSize {
  #bytes: number;

  constructor(root: readonly SizedFile[], keys: readonly string[]) {
    const head = {
      sequence: Number.MAX_SAFE_INTEGER,
      created: 0,
      expires: 0,
      files: root.map(listed),
      keys: [...keys],
    };
    this.#bytes = writeIndex({ ...head, packages: [] }).length;
  }

  add({ name, version }: PackageVersion, files: readonly SizedFile[]): void {
    this.#bytes += Buffer.byteLength(JSON.stringify({ name, version, files: files.map(listed) })) + 1;
    if (this.#bytes > LIMITS.index)
      throw new CliError(
        'TOO_LARGE',
        `the index would have more than ${LIMITS.index} bytes, which clients do not read`,
        {
          hints: ['split the hub'],
        },
      );
  }
}

const listed = ({ name, size }: SizedFile): IndexFile => ({ name, size, sha256: DIGEST });
