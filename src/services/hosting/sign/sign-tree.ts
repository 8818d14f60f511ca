import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { lengthText } from '../../../core/duration.js';
import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import type { IndexFile } from '../../../hub/index-file.js';
import type { IndexContent } from '../../../hub/index-writer.js';
import type { PackageVersion } from '../../../hub/source.js';
import { writeAtomically } from '../../../state/atomic-write.js';
import { syncFiles } from '../../../state/sync-files.js';
import { removeLeftovers } from '../../../state/temporary.js';
import type { KeyringEntry } from '../../../trust/keyring.js';
import type { SigningTime } from '../../../trust/signing/secret-key.js';
import { FaultList } from '../tree/fault-list.js';
import { stampOf } from '../tree/file-stamp.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { sha256Of } from '../tree/tree-memory.js';
import { isLeftSignature, removeLeft } from './left-signature.js';
import { planTree, type PlannedFile, type PlannedVersion, type TreePlan } from './plan-tree.js';
import { checkFile, findFile, isOpen, seenAgain, type CheckedFile, type FoundFile } from './sign-file.js';
import type { NotedFile, SignMemory } from './sign-memory.js';
import type { Signer } from './signer.js';

/** What is signed, and how. */
export interface TreeRequest {
  /** The real path of the tree. */
  readonly root: string;
  readonly entries: readonly KeyringEntry[];
  /** Undefined only tells what has no valid signature. */
  readonly signer: Signer | undefined;
  readonly time: SigningTime;
  /** Signs no file: the index speaks for all of them (docs/conventions.md D26). */
  readonly indexOnly?: boolean;
  /** What was published of versions, and must not change. */
  readonly published: PublishedFiles;
  readonly emit: Emit;
}

/** What signing came to; paths are below the root. */
export interface SignedTree {
  readonly content: IndexContent;
  /** Files that were signed, or would be. */
  readonly signed: readonly string[];
  readonly kept: number;
}

/** A file of a package for the index, and what the run saw of it. */
interface Described {
  readonly listed: IndexFile;
  readonly seen?: NotedFile | undefined;
}

/** Left unsigned by design (docs/hub-format.md 1); the index lists them. */
const UNSIGNED: ReadonlySet<string> = new Set(['icon.png', 'license.txt']);
const AT_ONCE = 4;
/** Readable by all, before the umask: a hub is public. */
const OPTIONS = { mode: 0o644, overwrite: true, passing: true, keepLeftovers: true, late: true };

interface Tally {
  readonly memory: SignMemory;
  /** How many files a slow signer has to sign at least; undefined if none, and for one that is not slow. */
  readonly open: number | undefined;
  readonly signed: string[];
  kept: number;
  /** Whether a file that needs a signature has none. */
  isPartial: boolean;
  /** Signature files that clients would refuse. */
  readonly refused: FaultList;
  /** Paths of signatures of files that were removed. */
  readonly left: string[];
}

/**
 * Signs each file of a source tree that needs it, and describes all files for the index. Those with a valid signature
 * of every key, and of no other, are kept; those that are as the memory has them are not read.
 * @throws CHANGED_MEANWHILE, SELF_CHECK, SIGNER_FAILED, SIGNER_BAD, REPUBLISH, and the errors of `planTree` before
 *   anything is written; BAD_SOURCE for bad signatures where none is written
 */
export async function signTree(request: TreeRequest, memory: SignMemory, signal: AbortSignal): Promise<SignedTree> {
  const { root, entries, signer, time } = request;
  const keys = entries.map(({ fingerprint }) => fingerprint);
  const plan = await planTree(root, keys, signal);
  const open = await tellTime(plan, request, memory, signal);
  const tally: Tally = { memory, open, signed: [], kept: 0, isPartial: false, refused: new FaultList(), left: [] };
  const sign = async (version: PlannedVersion, both: AbortSignal) => ({
    version,
    files: await signVersion(version, request, tally, both),
  });
  const packages: IndexContent['packages'][number][] = [];
  for await (const { version, files } of mapConcurrent(taken(plan.versions), signer?.atOnce ?? AT_ONCE, sign, signal)) {
    packages.push({ name: version.name, version: version.version, files: files.map(({ listed }) => listed) });
    for (const { seen } of files) memory.note(seen);
  }
  refuseSignatures(root, tally.refused);
  request.published.refuse(root);
  if (signer !== undefined) removeLeft(tally.left);
  // Each folder is synchronised once, as its files stand side by side.
  tally.signed.sort();
  // After a power failure there must be no index without the signatures that it came with.
  if (signer !== undefined) await syncFiles(signaturesOf(root, tally.signed), signal);
  const files: IndexFile[] = [];
  for (const name of plan.root) {
    const { size, sha256 } = await checkFile(join(root, name), { entries, now: time.now }, signal);
    files.push({ name, size, sha256 });
  }
  const content = { files, packages, keys, ...(tally.isPartial && { signatures: false as const }) };
  return { content, kept: tally.kept, signed: tally.signed };
}

/** The paths of the signature files of files; no list of them, as there may be 100,000. */
const signaturesOf = (root: string, files: readonly string[]): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (const file of files) yield join(root, `${file}.asc`);
  },
});

/** Takes the items out of a list: those that are done take no memory. */
function* taken<T extends object>(list: T[]): Generator<T> {
  list.reverse();
  for (let item = list.pop(); item !== undefined; item = list.pop()) yield item;
}

/** Tells how long the files take that are to be signed, where the signer is slow; gives their number. */
async function tellTime(
  { versions }: TreePlan,
  { root, entries, signer, indexOnly, emit }: TreeRequest,
  memory: SignMemory,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (signer?.seconds === undefined || indexOnly === true) return undefined;
  let count = 0;
  for (const version of versions)
    for (const file of version.files) {
      signal.throwIfAborted();
      const path = join(root, 'packages', version.name, version.version, file.name);
      const known = memory.find(version, file.name);
      if (!UNSIGNED.has(file.name) && (await isOpen(path, file, known, entries, signal))) count += 1;
    }
  // A card is not asked for a signature when there is nothing to sign.
  if (count === 0) return undefined;
  const seconds = await signer.seconds(signal);
  const all = Math.ceil((count + 1) * seconds);
  const times = `${seconds.toFixed(seconds < 1 ? 2 : 1)} s each, ${lengthText(all)} in all`;
  emit({ type: 'note', message: `note: signing ${counted(count, 'file')} and the index takes about ${times}` });
  return count;
}

function refuseSignatures(root: string, refused: FaultList): void {
  if (refused.count === 0) return;
  throw new CliError('BAD_SOURCE', `${counted(refused.count, 'fault')} in ${root}; nothing was signed`, {
    lines: refused.lines(),
    hints: ['remove these signatures, or sign the files as well'],
    target: { file: root },
  });
}

async function signVersion(
  version: PlannedVersion,
  request: TreeRequest,
  tally: Tally,
  signal: AbortSignal,
): Promise<readonly Described[]> {
  const folder = `packages/${version.name}/${version.version}`;
  if (version.hasLeftovers && request.signer !== undefined) removeLeftovers(join(request.root, folder));
  const files: Described[] = [];
  request.published.allowOnly(version, version.files);
  for (const file of version.files)
    if (await isLeftSignature(version, file.name, request)) tally.left.push(join(request.root, folder, file.name));
    else files.push(await signOne(version, file, request, tally, signal));
  return files;
}

/** Describes a file, and signs it where that is needed. */
async function signOne(
  place: PackageVersion,
  planned: PlannedFile,
  request: TreeRequest,
  tally: Tally,
  signal: AbortSignal,
): Promise<Described> {
  const file = `packages/${place.name}/${place.version}/${planned.name}`;
  const path = join(request.root, file);
  const { signer, time, published } = request;
  const wantsNone = request.indexOnly === true || UNSIGNED.has(planned.name);
  const found = findFile(path, planned);
  const known = tally.memory.find(place, planned.name);
  const isEnough = known !== undefined && (known.signature !== undefined || wantsNone);
  const again = isEnough ? await seenAgain(path, found, known, signal) : undefined;
  if (known !== undefined && again !== undefined) {
    if (known.signature !== undefined) tally.kept += 1;
    else noteUnsigned(file, found, request, tally);
    published.allow(place, known.listed);
    return { listed: known.listed, seen: again };
  }
  if (found.signature !== undefined || wantsNone || signer === undefined) {
    const checked = await checkFile(path, { entries: request.entries, now: time.now }, signal);
    const described = asDescribed(found, checked);
    const mayBe = published.allow(place, described.listed);
    const isKept = checked.isSigned && (wantsNone || !checked.hasOthers);
    if (isKept) tally.kept += 1;
    else if (mayBe) noteUnsigned(file, found, request, tally);
    if (isKept || !mayBe || wantsNone || signer === undefined) return described;
  }
  const { signature, ...read } = await signer.signFile(path, signal);
  const listed = { name: planned.name, ...read };
  if (!published.allow(place, listed)) return { listed };
  const seen = await writeSignature(path, found, signature);
  noteSigned(file, request, tally);
  return { listed, seen };
}

/** Notes a file that was signed, and tells of it where each takes long. */
function noteSigned(file: string, { emit }: TreeRequest, { open, signed }: Tally): void {
  const done = signed.push(file);
  if (open !== undefined) emit({ type: 'count', what: 'files signed', done, of: Math.max(done, open), failed: 0 });
}

async function writeSignature(path: string, { stamp }: FoundFile, bytes: Uint8Array): Promise<NotedFile | undefined> {
  await writeAtomically(`${path}.asc`, bytes, OPTIONS);
  const written = stampOf(`${path}.asc`);
  return written && { stamp, signature: { stamp: written, digest: sha256Of(bytes) } };
}

/** Notes a file without a valid signature of every key, if that is a fault or is to be mended. */
function noteUnsigned(
  file: string,
  { name, signature }: FoundFile,
  { signer, indexOnly = false }: TreeRequest,
  tally: Tally,
): void {
  if (indexOnly) {
    if (!UNSIGNED.has(name)) tally.isPartial = true;
    if (signature !== undefined)
      tally.refused.add([
        { file: `${file}.asc`, code: 'BAD_SOURCE', message: 'it is not a valid signature of every key' },
      ]);
  } else if (signer === undefined && !UNSIGNED.has(name)) tally.signed.push(file);
}

function asDescribed({ name, stamp, signature: signed }: FoundFile, checked: CheckedFile): Described {
  const { size, sha256, signature: digest } = checked;
  const listed = { name, size, sha256 };
  // One with a bad signature, or a signature that expires, is looked at again each time.
  if (signed !== undefined && digest === undefined) return { listed };
  return { listed, seen: { stamp, signature: signed && digest && { stamp: signed, digest } } };
}
