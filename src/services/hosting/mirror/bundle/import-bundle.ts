import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../../../../core/errors.js';
import { hubAddress } from '../../../../core/hub-address.js';
import { openInside } from '../../../../hub/folder-files.js';
import { LIMITS, segmentsOf, type HubFile, type HubSource } from '../../../../hub/source.js';
import { mirrorFolder, readMirrorState, type MirrorFolder, type MirrorState } from '../mirror-folder.js';
import { mirrorHub } from '../mirror.js';
import type { MirrorRequest, MirrorResult } from '../mirror-plan.js';
import { isPublished } from '../mirror-result.js';
import { digestOf } from '../existing-copy.js';
import { isKept, localFile } from '../local-file.js';
import { VersionRecord } from '../records.js';
import { checkClaims } from './claims.js';
import { isLater, listingOf, type BundleFile, type BundleManifest, type HubState } from './manifest.js';
import {
  forgetPending,
  isPending,
  keepPending,
  openPending,
  missingText,
  pendingManifest,
  waiting,
} from './pending.js';
import type { Bundle } from './read-bundle.js';

/** A hub as a bundle is of it, for what is decided by its address alone. */
export function sourceOf({ manifest }: Pick<Bundle, 'manifest'>): HubSource {
  const fail = (): Promise<never> => Promise.reject(new CliError('INTERNAL', 'a bundle is read before it is imported'));
  const { base } = manifest;
  return { base, kind: base.startsWith('file:') ? 'folder' : 'http', label: base, catalog: fail, open: fail };
}

/** What is done with a bundle; its selection is all of it. */
export type ImportRequest = Omit<MirrorRequest, 'hub' | 'selection' | 'signatures' | 'bundle'>;

/** A state of a hub, and what it is ordered by, if anything. */
interface Offered {
  readonly manifest: BundleManifest;
  readonly state: HubState | undefined;
}

/**
 * Imports a bundle into a mirror, which has the same state in the end in whatever order bundles come. The latest state
 * is published once all of its files are there; until then a bundle that is whole by itself.
 * @throws PARTIAL when files are missing and must come from other bundles, and the errors of `mirrorHub`
 */
export async function importBundle(request: ImportRequest, bundle: Bundle, signal: AbortSignal): Promise<MirrorResult> {
  const folder = mirrorFolder(request.root);
  const { manifest, file } = bundle;
  const known = await readMirrorState(folder, manifest);
  const source = bundleSource(folder, bundle, manifest);
  const state = await checkClaims(manifest, { source, file }, request.setup, signal);
  const offered: Offered = { manifest, state };
  const pending = await usablePending(folder, bundle, request, signal);
  const latest = pending !== undefined && (state === undefined || isAhead(pending.state, state)) ? pending : offered;
  const wanted = latest.manifest;
  if (isPublishedLater(known, latest)) return nothingNew(request, wanted, known?.index?.sequence);
  const own = async (error: CliError, why = error.message): Promise<MirrorResult> => {
    if (latest === offered || isPublishedLater(known, offered)) throw error;
    if ((await missingOf(folder, bundle, manifest, request, signal)).missing.length > 0) throw error;
    request.emit({
      type: 'warning',
      code: error.code,
      message: `a newer state of the hub is not published yet: ${why}`,
    });
    return publishState(request, bundle, manifest, signal);
  };
  const { missing, there } = await missingOf(folder, bundle, wanted, request, signal);
  if (missing.length > 0) {
    const outcome = request.dry ? 'foreseen' : latest.state === undefined ? 'dropped' : 'kept';
    if (outcome === 'kept') await keepPending(folder, bundle, wanted, (path) => there.has(path));
    return own(waiting(missing, wanted, outcome), missingText(missing, wanted));
  }
  try {
    const result = await publishState(request, bundle, wanted, signal);
    if (!request.dry) forgetPending(folder);
    return result;
  } catch (error) {
    if (!isOfContent(error) || isPublished(error)) throw error;
    return own(error);
  }
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

function publishState(
  request: ImportRequest,
  bundle: Bundle,
  state: BundleManifest,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const { base, whole, created } = state;
  const hub = { name: base, source: bundleSource(mirrorFolder(request.root), bundle, state) };
  const origin = { whole, created, listing: listingOf(state) };
  const all = { ...request, hub, selection: ALL, signatures: true, bundle: origin };
  return mirrorHub(all, signal).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.code !== 'ROLLBACK') throw error;
    // A new mirror, on a machine that has seen a later state of the hub.
    const hints = ['import the latest bundle first: it is published after the earlier ones are imported'];
    throw new CliError(error.code, error.message, { ...error.details, hints });
  });
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
  const none = {
    added: 0,
    updated: 0,
    unchanged: 0,
    removed: 0,
    failed: 0,
    files: 0,
    bytes: 0,
    failures: [],
    unserved: [],
    dryRun: dry,
    versions: { added: [], updated: [], removed: [] },
  };
  return { folder: root, hub: base, whole, sequence, ...none, catalog: 'unchanged' };
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
      if (last?.folder !== record) last = { folder: record, record: await VersionRecord.read(record, { recheck }) };
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

/** The hub that a bundle is of: what the bundle has, what came with others, and what the mirror has. */
function bundleSource(folder: MirrorFolder, bundle: Bundle, { base, files }: BundleManifest): HubSource {
  const listed = new Map(files.map((file) => [file.path, file]));
  const open: HubSource['open'] = async (place, { maxBytes }, signal) => {
    const segments = segmentsOf(place);
    const path = segments.join('/');
    const file = listed.get(path);
    if (file === undefined) return undefined;
    if (file.size > maxBytes)
      throw new CliError('TOO_LARGE', `${path} is larger than the limit of ${maxBytes} bytes`, {
        target: { file: path },
      });
    const { sha256 } = file;
    const content = bundle.content(sha256, path);
    if (content !== undefined) return content;
    const kept = await openPending(folder, sha256, signal);
    return checked(kept ?? (await openInside(folder.root, segments, LIMITS.resource, signal)), path, sha256);
  };
  return { ...sourceOf(bundle), base, open, catalog: () => Promise.reject(noCatalog(bundle)) };
}

const noCatalog = ({ file }: Bundle): CliError =>
  new CliError('BAD_BUNDLE', `${file} is not a valid bundle: it has no packages.json`, { target: { file } });

function checked(file: HubFile | undefined, path: string, sha256: string): HubFile | undefined {
  if (file === undefined) return undefined;
  const body = async function* (): AsyncGenerator<Uint8Array, void, void> {
    const hash = createHash('sha256');
    for await (const chunk of file.body) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError('CHANGED_MEANWHILE', `${path} was changed while the bundle was imported`);
  };
  return { ...file, body: body() };
}
