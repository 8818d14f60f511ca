import { collectNow } from '../../../core/collecting.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { join } from 'node:path';
import type { Catalog } from '../../../hub/catalog.js';
import type { PackageVersion } from '../../../hub/source.js';
import { withoutIndex } from '../../../trust/memory.js';
import { decide } from '../../../trust/policy-decision.js';
import { isContentError, isOfTheWay } from '../../catalog/fetch-file.js';
import { readSignatureFile } from '../../catalog/signed-index.js';
import { madeFolder } from '../tree/create-folder.js';
import { findVersions } from '../tree/source-tree.js';
import {
  mirrorFolder,
  readMirrorState,
  writeMirrorState,
  type MirrorFolder,
  type MirrorState,
} from './folder/mirror-folder.js';
import type { ChosenMirror, FailedFile, MirrorPlan, MirrorRequest, MirrorResult } from './mirror-plan.js';
import { failedFile } from './failure-lines.js';
import { refusalOf, resultOf } from './mirror-result.js';
import { trustDigest } from './trust-digest.js';
import { emptyTrash, resumeFirst } from './folder/place.js';
import { publishMirror } from './publish-mirror.js';
import { isWhole, selectVersions, type SelectedVersion } from './select.js';
import { stageVersion, type StagedVersion } from './stage-version.js';
import { unavailableVersions } from './unavailable-versions.js';
import { unverifiedCopies } from './unverified-copies.js';
import { readUpstream, refuseOlder, type Upstream } from './upstream.js';

/** So many versions in a row that the way to the hub fails for end the run. */
const MOST_AWAY = 3;
/** Versions from which on the memory of a catalog is given back at once. */
const MANY = 5000;
/** So many entries of a catalog that are left out are named. */
const MOST_SKIPPED = 20;

/**
 * Chooses what of a hub is mirrored into a folder, and what is removed there. Changes nothing.
 * @throws ROLLBACK, what speaks against the hub, or the way to it
 */
export async function chooseMirror(request: MirrorRequest, signal: AbortSignal): Promise<ChosenMirror> {
  const { hub, selection, bundle, dry, prune } = request;
  const folder = mirrorFolder(request.root);
  const mirrored = { base: hub.source.base, whole: bundle?.whole ?? isWhole(selection) };
  const known = await readMirrorState(folder, mirrored);
  if (known?.whole === false && mirrored.whole)
    request.emit({
      type: 'note',
      message: `note: ${request.root} was a mirror of some packages, and ${dry ? 'would mirror' : 'now mirrors'} the whole hub, with its own catalog`,
    });
  const { upstream, selected, isComplete } = await selectedOf(request, known, signal);
  if (selected.length > MANY) collectNow();
  const unsigned = await unsignedVersion(request, upstream, selected, signal);
  const removed = prune && isComplete ? await goneFrom(folder, selected, signal) : { gone: [], all: 0 };
  return { request, folder, mirrored, known, upstream, selected, isComplete, unsigned, ...removed };
}

/**
 * Mirrors what was chosen of a hub. Nothing that readers of the folder see changes before every version was fetched and
 * verified, or has failed; a version that failed stays as it was.
 * @throws PARTIAL when versions failed, what speaks against the hub, the way to it, or the disk
 */
export async function runMirror(chosen: ChosenMirror, signal: AbortSignal): Promise<MirrorResult> {
  const { request, folder, mirrored, known, upstream, selected, isComplete, gone } = chosen;
  if (!request.dry) {
    madeFolder(folder.stage);
    if (known === undefined) await writeMirrorState(folder, { version: 1, ...mirrored });
    resumeFirst(folder);
    emptyTrash(folder);
  }
  const { staged, failed, reason } = await stageAll(selected, request, { folder, upstream }, signal);
  // What is missing from the hub, or cannot be read of it, says nothing about what else is there.
  const isPruned = request.prune && isComplete && failed.length === 0;
  const unverified = await unverifiedCopies({ request, folder, upstream, selected, failed }, signal);
  const outcome = { selected, gone: isPruned ? gone : [], staged, failed, unverified, reason };
  const plan: MirrorPlan = { request: { ...request, prune: isPruned }, folder, mirrored, known, upstream, ...outcome };
  if (failed.length > 0 && failed.length === selected.length) throw refusalOf(plan, resultOf(plan, 'unchanged'));
  const catalog = await publishMirror(plan, signal);
  // Also if no file was read: what was fetched before was not verified either.
  const { warnings } = decide(request.setup.policy, [], request.setup.pinned, request.hub.source);
  for (const warning of new Set([...upstream.warnings, ...warnings, ...staged.flatMap(({ warnings }) => warnings)]))
    request.emit({ type: 'warning', code: 'TRUST', message: warning });
  const result = { ...resultOf(plan, catalog), unserved: await unavailableVersions(plan, signal) };
  if (failed.length > 0) throw refusalOf(plan, result);
  return result;
}

/** What is mirrored. The catalog, which is the most that a run has in memory, is let go of here. */
async function selectedOf(
  request: MirrorRequest,
  known: MirrorState | undefined,
  signal: AbortSignal,
): Promise<Pick<MirrorPlan, 'upstream' | 'selected'> & { readonly isComplete: boolean }> {
  const { hub, setup, selection, bundle } = request;
  const isPart = bundle?.whole === false;
  if (isPart && setup.memory.index !== undefined)
    request.emit({
      type: 'note',
      message: 'note: a part of a hub has no index: its files are verified, but not whether they are the latest',
    });
  // That is no downgrade: what it has is signed file by file.
  const judging = isPart ? { ...setup, memory: withoutIndex(setup.memory) } : setup;
  const { upstream, catalog } = await readUpstream(hub, judging, signal, bundle?.listing);
  refuseOlder(upstream, known?.index);
  const selected = selectVersions(catalog, selection);
  return { upstream, selected, isComplete: tellSkipped(upstream.hub, catalog, request) };
}

/**
 * The first version of a part of a hub for which only the index of the hub speaks. Such a mirror does not have that
 * index. Undefined where the files have signatures of their own, or get some from a key of one's own.
 */
async function unsignedVersion(
  { selection, signatures, bundle, concurrency }: MirrorRequest,
  { source, index }: Upstream,
  selected: readonly PackageVersion[],
  signal: AbortSignal,
): Promise<PackageVersion | undefined> {
  if (index?.signatures !== false || !signatures || bundle !== undefined || isWhole(selection)) return undefined;
  const unsigned = async (
    { name, version }: PackageVersion,
    both: AbortSignal,
  ): Promise<PackageVersion | undefined> => {
    try {
      const signature = await readSignatureFile(source, { name, version, file: 'spec.json.asc' }, both);
      return signature === undefined ? { name, version } : undefined;
    } catch (error) {
      // What is wrong with a version is told when it is fetched.
      if (!isContentError(error)) throw error;
      return undefined;
    }
  };
  for await (const found of mapConcurrent(selected, concurrency, unsigned, signal))
    if (found !== undefined) return found;
  return undefined;
}

/** Warns of the entries of the catalog that are left out; false if there are some. */
function tellSkipped(hub: string, { problems }: Catalog, { prune, emit }: MirrorRequest): boolean {
  const skipped = problems.filter(({ severity }) => severity === 'skipped');
  for (const { index, code, message } of skipped.slice(0, MOST_SKIPPED))
    emit({ type: 'warning', code, message: `entry ${index} of the catalog of ${hub} is skipped: ${message}` });
  if (skipped.length > 0 && prune)
    emit({
      type: 'warning',
      code: 'BAD_CATALOG',
      message: `nothing is removed, because ${counted(skipped.length, 'entry was', 'entries were')} skipped`,
    });
  return skipped.length === 0;
}

/** The versions of the folder that are not selected, and how many it has in all. */
async function goneFrom(
  { root }: MirrorFolder,
  selected: readonly SelectedVersion[],
  signal: AbortSignal,
): Promise<{ readonly gone: readonly PackageVersion[]; readonly all: number }> {
  if (!isThere(join(root, 'packages'))) return { gone: [], all: 0 };
  const { places } = await findVersions(root, signal);
  const key = ({ name, version }: PackageVersion): string => JSON.stringify([name, version]);
  const wanted = new Set(selected.map(key));
  return { gone: places.filter((place) => !wanted.has(key(place))), all: places.length };
}

async function stageAll(
  selected: readonly SelectedVersion[],
  request: MirrorRequest,
  { folder, upstream }: { readonly folder: MirrorFolder; readonly upstream: Upstream },
  signal: AbortSignal,
): Promise<Pick<MirrorPlan, 'staged' | 'failed' | 'reason'>> {
  const { setup, signatures, published, dry, recheck, emit, concurrency } = request;
  const staging = { upstream, folder, setup, by: trustDigest(setup), recheck, signatures, published, dry, emit };
  const staged: StagedVersion[] = [];
  const failed: FailedFile[] = [];
  let reason: CliError | undefined;
  const stage = (wanted: SelectedVersion, both: AbortSignal) => stageVersion(wanted, staging, both);
  let away = 0;
  for await (const one of mapConcurrent(selected, concurrency, stage, signal)) {
    if ('error' in one) {
      failed.push(failedFile(one));
      reason ??= one.error;
    } else staged.push(one);
    away = 'error' in one && isOfTheWay(one.error) ? away + 1 : 0;
    if ('error' in one && away === MOST_AWAY) throw dry ? one.error : broken(one.error);
    const done = staged.length + failed.length;
    emit({ type: 'count', what: 'packages', done, of: selected.length, failed: failed.length });
  }
  return { staged, failed, reason };
}

/** The error of a way that broke, with what to do about it. */
function broken({ code, message, details }: CliError): CliError {
  const again = 'to continue, run the same command again';
  return new CliError(code, message, { ...details, hints: [...(details.hints ?? []), again] });
}
