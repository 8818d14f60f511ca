import { join } from 'node:path';
import { CliError } from '../../../../core/errors.js';
import { hubAddress } from '../../../../core/hub-address.js';
import {
  mirrorFolder,
  readMirrorState,
  refuseLinksOf,
  versionFolder,
  type MirrorFolder,
  type MirrorState,
} from '../folder/mirror-folder.js';
import { chooseMirror, runMirror } from '../mirror.js';
import type { ChosenMirror, MirrorRequest, MirrorResult } from '../mirror-plan.js';
import { isPublished } from '../mirror-result.js';
import { digestOf } from '../existing-copy.js';
import { isKept, localFile } from '../folder/local-file.js';
import { VersionRecord } from '../folder/records.js';
import { bundleSource } from './bundle-source.js';
import { checkClaims } from './claims.js';
import { isLater, listingOf, type BundleFile, type BundleManifest, type HubState } from './manifest.js';
import { forgetPending, isPending, keepPending, missingText, pendingManifest, waiting } from './pending.js';
import type { Bundle } from './read-bundle.js';

/** What is done with a bundle; its selection is all of it. */
export type ImportRequest = Omit<MirrorRequest, 'hub' | 'selection' | 'signatures' | 'bundle'>;

/** A state of a hub, and what it is ordered by, if anything. */
interface Offered {
  readonly manifest: BundleManifest;
  readonly state: HubState | undefined;
}

/** What an import has found in its folder and its bundle. */
interface FoundStates {
  readonly request: ImportRequest;
  readonly bundle: Bundle;
  readonly folder: MirrorFolder;
  readonly known: MirrorState | undefined;
  /** The state of the bundle, and the one that is published if it can be. */
  readonly offered: Offered;
  readonly latest: Offered;
}

/** A state of the hub that can be published. */
export interface PlannedImport {
  readonly state: 'planned';
  readonly mirror: ChosenMirror;
  readonly found: FoundStates;
  /** Whether it is the latest, in whose place the bundle's own may be published. */
  readonly isLatest: boolean;
}

/** How far an import is. */
export type ImportStep = PlannedImport | { readonly state: 'done'; readonly result: MirrorResult };

/**
 * Plans to import a bundle into a mirror. That has the same state in the end in whatever order bundles come: the latest
 * is published once all of its files are there; until then a bundle that is whole by itself.
 * @throws PARTIAL when files are missing and must come from other bundles, and the errors of `chooseMirror`
 */
export async function planImport(request: ImportRequest, bundle: Bundle, signal: AbortSignal): Promise<ImportStep> {
  const folder = mirrorFolder(request.root);
  const { manifest, file } = bundle;
  const known = await readMirrorState(folder, manifest);
  const source = bundleSource(folder, bundle, manifest);
  const state = await checkClaims(manifest, { source, file }, request.setup, signal);
  const offered: Offered = { manifest, state };
  const pending = await usablePending(folder, bundle, request, signal);
  const latest = pending !== undefined && (state === undefined || isAhead(pending.state, state)) ? pending : offered;
  const wanted = latest.manifest;
  if (isPublishedLater(known, latest))
    return { state: 'done', result: nothingNew(request, wanted, known?.index?.sequence) };
  const found: FoundStates = { request, bundle, folder, known, offered, latest };
  const { missing, there } = await missingOf(folder, bundle, wanted, request, signal);
  if (missing.length > 0) {
    const outcome = request.dry ? 'foreseen' : latest.state === undefined ? 'dropped' : 'kept';
    if (outcome === 'kept') await keepPending(folder, bundle, wanted, (path) => there.has(path));
    return planOwn(found, waiting(missing, wanted, outcome), missingText(missing, wanted), signal);
  }
  try {
    return await planState(found, true, signal);
  } catch (error) {
    return planOther(found, error, signal);
  }
}

/**
 * Publishes a planned state. Where something speaks against the latest one, plans that of the bundle in its place.
 * @throws the errors of `runMirror`
 */
export async function runImport(planned: PlannedImport, signal: AbortSignal): Promise<ImportStep> {
  const { mirror, found, isLatest } = planned;
  try {
    const result = await runMirror(mirror, signal).catch(refusedState);
    if (isLatest && !found.request.dry) forgetPending(found.folder);
    return { state: 'done', result };
  } catch (error) {
    if (!isLatest) throw error;
    return planOther(found, error, signal);
  }
}

/** Plans the state of the bundle, where the latest one is not published because of what it contains. */
async function planOther(found: FoundStates, error: unknown, signal: AbortSignal): Promise<ImportStep> {
  if (!isOfContent(error) || isPublished(error)) throw error;
  return planOwn(found, error, error.message, signal);
}

async function planOwn(found: FoundStates, error: CliError, why: string, signal: AbortSignal): Promise<ImportStep> {
  const { request, bundle, folder, known, offered, latest } = found;
  if (latest === offered || isPublishedLater(known, offered)) throw error;
  if ((await missingOf(folder, bundle, offered.manifest, request, signal)).missing.length > 0) throw error;
  const planned = await planState(found, false, signal).catch((refused: unknown) => {
    // This machine has seen a newer state elsewhere, which is no fault of the one that waits.
    throw refused instanceof CliError && refused.code === 'ROLLBACK' ? error : refused;
  });
  request.emit({ type: 'warning', code: error.code, message: `a newer state of the hub is not published yet: ${why}` });
  return planned;
}

/** Whether an error is of what is imported, not of this machine or of who imports it. */
const isOfContent = (error: unknown): error is CliError =>
  error instanceof CliError && error.exitCode >= 3 && error.exitCode < 13;

/** The state that waits, where it is of this hub and not refused by now. */
async function usablePending(
  folder: MirrorFolder,
  bundle: Bundle,
  { setup }: ImportRequest,
  signal: AbortSignal,
): Promise<(Offered & { readonly state: HubState }) | undefined> {
  try {
    const found = await pendingManifest(folder);
    const { base, whole } = bundle.manifest;
    if (found === undefined || hubAddress(found.base) !== hubAddress(base) || found.whole !== whole) return undefined;
    const claimed = { source: bundleSource(folder, bundle, found), file: bundle.file };
    const state = await checkClaims(found, claimed, setup, signal);
    return state && { manifest: found, state };
  } catch (error) {
    if (isOfContent(error)) return undefined;
    throw error;
  }
}

/** Whether what waits is later than a bundle; an index is not held up by a state that has none. */
function isAhead(pending: HubState, own: HubState): boolean {
  try {
    return isLater(pending, own);
  } catch (error) {
    if (error instanceof CliError && own.index !== undefined) return false;
    throw error;
  }
}

async function missingOf(
  folder: MirrorFolder,
  bundle: Bundle,
  { files }: BundleManifest,
  options: Pick<ImportRequest, 'recheck'>,
  signal: AbortSignal,
): Promise<{ readonly missing: readonly BundleFile[]; readonly there: ReadonlySet<string> }> {
  const there = await inTree(folder, files, options, signal);
  const isHere = ({ path, sha256, size }: BundleFile): boolean =>
    there.has(path) || isPending(folder, sha256, size) || bundle.content(sha256, path) !== undefined;
  return { missing: files.filter((file) => !isHere(file)), there };
}

const ALL = { packages: [], categories: [], platformVersion: undefined, versions: undefined, locked: undefined };

async function planState(found: FoundStates, isLatest: boolean, signal: AbortSignal): Promise<PlannedImport> {
  const { request, bundle, folder } = found;
  const state = (isLatest ? found.latest : found.offered).manifest;
  const { base, whole, created } = state;
  const hub = { name: base, source: bundleSource(folder, bundle, state) };
  const origin = { whole, created, listing: listingOf(state) };
  const all = { ...request, hub, selection: ALL, signatures: true, bundle: origin };
  return { state: 'planned', mirror: await chooseMirror(all, signal).catch(refusedState), found, isLatest };
}

/** Throws the error of a state; a new mirror on a machine that has seen a later one needs another hint. */
function refusedState(error: unknown): never {
  if (!(error instanceof CliError) || error.code !== 'ROLLBACK') throw error;
  const hints = ['import the latest bundle first: it is published after the earlier ones are imported'];
  throw new CliError(error.code, error.message, { ...error.details, hints });
}

/** Whether the folder has a later state already; one that nobody dated is of a hub whose index decides. */
function isPublishedLater(known: MirrorState | undefined, { manifest, state }: Offered): boolean {
  const { index, created } = known ?? {};
  if (index === undefined && created === undefined) return false;
  // What a key vouches for is not held up by what none did.
  if (index === undefined && state?.index !== undefined) return false;
  const before = { created: created ?? new Date(0).toISOString() };
  if (state !== undefined && state.index === undefined && manifest.index !== undefined) return isLater(before, state);
  return isLater({ ...before, ...(index && { index }) }, manifest);
}

function nothingNew(
  { root, dry, emit }: ImportRequest,
  { base, whole }: BundleManifest,
  sequence: number | undefined,
): MirrorResult {
  emit({ type: 'note', message: 'note: the mirror has a newer state of the hub; the bundle changes nothing' });
  const counts = { added: 0, updated: 0, unchanged: 0, removed: 0, failed: 0, files: 0, bytes: 0, signatures: 0 };
  const none = { versions: { added: [], updated: [], removed: [] }, failures: [], unserved: [], unverified: [] };
  return { folder: root, hub: base, whole, sequence, ...counts, ...none, dryRun: dry, catalog: 'unchanged' };
}

/** The files of a state that are in the hub already, as they should be. */
async function inTree(
  folder: MirrorFolder,
  files: readonly BundleFile[],
  { recheck }: Pick<ImportRequest, 'recheck'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  let last: { readonly folder: string; readonly record: VersionRecord } | undefined;
  for (const { path, size, sha256 } of files) {
    signal.throwIfAborted();
    const place = join(folder.root, path);
    const local = localFile(place);
    if (local?.size !== size) continue;
    const [, name, version, file] = path.split('/');
    if (name !== undefined && version !== undefined && file !== undefined) {
      const record = folder.record({ name, version });
      if (last?.folder !== record) {
        refuseLinksOf(versionFolder(folder.root, { name, version }));
        last = { folder: record, record: await VersionRecord.read(record, { recheck }) };
      }
      const known = last.record.kept(file);
      if (known !== undefined && isKept(known, local)) {
        if (known.sha256 === sha256) there.add(path);
        continue;
      }
    }
    if ((await digestOf(place, signal)) === sha256) there.add(path);
  }
  return there;
}
