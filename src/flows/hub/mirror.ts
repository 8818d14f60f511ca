import { readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { isInside } from '../../core/files/inside.js';
import { hubAddress } from '../../core/hub-address.js';
import { shellWord } from '../../core/shell-word.js';
import type { NamedHub } from '../../services/catalog/load.js';
import { parsePackageRef } from '../../services/catalog/package-ref.js';
import { refuseOtherPlatform } from '../../services/catalog/compatibility.js';
import { sourceOf } from '../../services/hosting/mirror/bundle/bundle-source.js';
import { planImport, runImport, type ImportRequest } from '../../services/hosting/mirror/bundle/import-bundle.js';
import { manifestOf, openBundle } from '../../services/hosting/mirror/bundle/read-bundle.js';
import { writeBundle } from '../../services/hosting/mirror/bundle/write-bundle.js';
import { mirrorFolder } from '../../services/hosting/mirror/folder/mirror-folder.js';
import type { MirrorRequest, MirrorResult } from '../../services/hosting/mirror/mirror-plan.js';
import { isPublished } from '../../services/hosting/mirror/mirror-result.js';
import { isWhole, type Selection } from '../../services/hosting/mirror/select.js';
import { slowed } from '../../services/hosting/mirror/rate-limit.js';
import { futurePath } from '../../services/hosting/tree/future-path.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import { lockDeps } from '../writing.js';
import { agreeToRemove, mirrorAgreed } from './mirror-agreed.js';
import { pinsOf, type MirrorLock } from './mirror-lock.js';
import { mirrorSigned, previewSigned, type MirrorKeys } from './mirror-signed.js';
import { inMade, realMade, realOr } from './real-folder.js';
import { openKeys } from './sign.js';

/** What is mirrored and where, as it was named on the line. */
export interface HubMirrorOptions extends Pick<MirrorRequest, 'prune' | 'dry' | 'concurrency' | 'recheck'> {
  readonly folder: string;
  /** Milliseconds between the new catalog and removals. */
  readonly grace: number;
  /** NAME or NAME@VERSION. */
  readonly packages: readonly string[];
  readonly categories: readonly string[];
  readonly platformVersion: string | undefined;
  readonly versions: number | undefined;
  /** A lock file that names all packages. */
  readonly lock: MirrorLock | undefined;
  /** A file that the mirror is written into, and an earlier one whose contents are left out. */
  readonly bundle: string | undefined;
  readonly since: string | undefined;
  /** Bytes a second. */
  readonly rate: number | undefined;
  /** Keys that sign a part of a hub; none keeps the signatures of the hub. */
  readonly keys: MirrorKeys;
  /** Whether the policy was named on the line. */
  readonly isPolicyNamed: boolean;
}

type CommonOptions = Pick<HubMirrorOptions, 'dry' | 'folder' | 'prune' | 'grace' | 'recheck' | 'concurrency'>;
type MirrorContext = Pick<CommandContext, 'asker' | 'consent' | 'emit' | 'hubs' | 'stateFolder' | 'trust'>;
type MirrorSession = Pick<Session, 'argv' | 'build' | 'clock' | 'env' | 'signal' | 'terminal'>;

/** Mirrors a hub while no other run of this machine writes into the folder. A preview takes no lock. */
export async function mirrorFor(
  options: HubMirrorOptions,
  context: MirrorContext,
  session: MirrorSession,
): Promise<MirrorResult> {
  const { dry, since, keys } = options;
  const asked = selectionOf(options);
  const isSigned = keys.keyFiles.length > 0;
  if (isSigned && isWhole(asked))
    throw new CliError('USAGE', 'a mirror of the whole hub keeps its signatures: use --key for part of it only');
  const earlier = since === undefined ? undefined : await manifestOf(since);
  const hub = paced(await onlyHub(context), options, session);
  const place = await realOr(options.folder);
  refuseOwn(hub, place);
  if (options.bundle !== undefined) await refuseFile(options.bundle, place);
  const common = await requestOf(options, place, hub.source, context, session);
  const locked = options.lock && pinsOf(options.lock, hub.source.base, context.emit);
  const known: MirrorRequest = { ...common, hub, selection: { ...asked, locked }, signatures: true };
  const { signal } = session;
  if (isSigned && known.setup.policy !== 'require' && !options.isPolicyNamed)
    throw unvouched(hub.source, known.setup, 'so the key would sign unverified files');
  const deps = { folder: options.folder, consent: context.consent };
  if (dry) return isSigned ? previewSigned(known, deps, signal) : mirrorAgreed(known, deps, signal);
  const opened = isSigned ? await openKeys(place, { ...keys, check: false }, context, session) : undefined;
  return inFolder(options, context, session, async (root) => {
    const request = { ...known, root };
    const bundled = async (): Promise<Pick<MirrorResult, 'bundle'>> =>
      options.bundle === undefined
        ? {}
        : { bundle: await writeBundle({ request, file: options.bundle, since: earlier }, session.clock, signal) };
    try {
      if (opened !== undefined)
        return await mirrorSigned(request, { ...keys, opened, folder: options.folder }, context, session);
      return { ...(await mirrorAgreed(request, deps, signal)), ...(await bundled()) };
    } catch (error) {
      // What could be mirrored is published, and can go on.
      if (isPublished(error)) await bundled();
      throw error;
    }
  });
}

/**
 * Works in a folder while no other run of this machine does. What is made for a run that came to nothing is removed.
 */
function inFolder<T>(
  { folder }: Pick<HubMirrorOptions, 'folder'>,
  context: MirrorContext,
  session: MirrorSession,
  work: (root: string) => Promise<T>,
): Promise<T> {
  return inMade(folder, async () => {
    const root = await realMade(folder);
    const locks = await takeLocks([{ kind: 'folder', path: root }], lockDeps(context, session));
    const isNew = !isThere(mirrorFolder(root).own);
    try {
      return await work(root);
    } catch (error) {
      if (isNew) removeUnused(root);
      throw error;
    } finally {
      await locks.release();
    }
  });
}

/** Imports a bundle, while no other run of this machine writes into the folder. */
export async function importFor(
  options: CommonOptions & {
    readonly isPolicyNamed: boolean;
    readonly from: string;
    /** Whether the hub was named on the line. */
    readonly isHubNamed: boolean;
  },
  context: MirrorContext,
  session: MirrorSession,
): Promise<MirrorResult> {
  const { signal } = session;
  const bundle = await openBundle(options.from, signal);
  try {
    const source = sourceOf(bundle);
    const named = options.isHubNamed ? (await onlyHub(context)).source.base : source.base;
    if (hubAddress(named) !== hubAddress(source.base))
      throw new CliError('USAGE', `${options.from} is a bundle of ${source.base}, not of ${named}`);
    const place = await realOr(options.folder);
    const request = await requestOf(options, place, source, context, session);
    // Who wrote the bundle has named its hub, and so chosen the keys that it is judged by.
    if (request.setup.pinned === 0 && !options.isPolicyNamed && !isThere(mirrorFolder(place).state))
      throw unvouched(source, request.setup, 'so the source of the bundle cannot be verified');
    const imported = async (root: string): Promise<MirrorResult> => {
      let step = await planImport({ ...request, root }, bundle, signal);
      while (step.state === 'planned') {
        await agreeToRemove(step.mirror, { folder: options.folder, consent: context.consent });
        step = await runImport(step, signal);
      }
      return step.result;
    };
    return await (request.dry ? imported(place) : inFolder(options, context, session, imported));
  } finally {
    await bundle.close();
  }
}

async function requestOf(
  { dry, prune, grace, recheck, concurrency, lock }: CommonOptions & Partial<Pick<HubMirrorOptions, 'lock'>>,
  root: string,
  source: NamedHub['source'],
  context: MirrorContext,
  { clock }: MirrorSession,
): Promise<ImportRequest> {
  const trust = await context.trust(source);
  return {
    setup: { ...trust.setup, lockFile: lock?.file },
    remember: (memory) => trust.remember(memory),
    root,
    dry,
    prune,
    grace: { time: grace, clock },
    recheck,
    concurrency,
    emit: context.emit,
  };
}

/** Removes what a first run has left, unless it has published or has what the next one can go on with. */
function removeUnused(root: string): void {
  const { own, state } = mirrorFolder(root);
  if (isThere(join(root, 'packages.json'))) return;
  try {
    const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
    if (files.every(({ name }) => name === basename(state))) rmSync(own, { recursive: true });
  } catch {
    // It was never made, or stays: the next run goes on with what is there.
  }
}

const unvouched = (
  { base }: NamedHub['source'],
  { pinned }: Pick<MirrorRequest['setup'], 'pinned'>,
  why: string,
): CliError =>
  new CliError(
    'NO_TRUST',
    `${pinned === 0 ? `no key is trusted for ${base}` : `signatures of ${base} are not required`}, ${why}`,
    {
      hints: [{ next: 'add-key', hub: base }, 'to accept unsigned files: --verify warn'],
    },
  );

async function refuseFile(file: string, root: string): Promise<void> {
  if (isInside(root, await futurePath(resolve(file))))
    throw new CliError('USAGE', `the bundle ${file} must be outside the mirror`);
  if (isThere(file)) throw new CliError('EXISTS', `${file} exists`, { hints: ['use another name'], target: { file } });
}

function selectionOf(options: HubMirrorOptions): Selection {
  const { packages, categories, platformVersion, versions, lock } = options;
  const refs = packages.map((text) => {
    const ref = parsePackageRef(text);
    if (ref.hub !== undefined)
      throw new CliError('USAGE', `${text} names a hub: use --hub and only the name of the package`);
    return ref;
  });
  refuseOtherPlatform(platformVersion);
  return { packages: refs, categories, platformVersion, versions, locked: lock?.packages };
}

async function onlyHub({ hubs }: MirrorContext): Promise<NamedHub> {
  const [hub, ...others] = await hubs();
  if (hub === undefined || others.length > 0)
    throw new CliError('USAGE', 'only one hub can be mirrored at a time', {
      hints: [hub, ...others].flatMap((one) => (one === undefined ? [] : [`--hub ${shellWord(one.name)}`])).slice(0, 5),
    });
  return hub;
}

const paced = (hub: NamedHub, { rate }: Pick<HubMirrorOptions, 'rate'>, { clock }: MirrorSession): NamedHub =>
  rate === undefined ? hub : { ...hub, source: slowed(hub.source, rate, clock) };

function refuseOwn({ source }: NamedHub, root: string): void {
  if (source.kind !== 'folder') return;
  const from = fileURLToPath(source.base);
  if (isInside(from, root) || isInside(root, from))
    throw new CliError('USAGE', `${root} and the hub ${source.label} must not contain each other`);
}
