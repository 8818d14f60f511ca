import { resolve } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import { lockOwner, type Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { readBounded } from '../../core/files/read-bounded.js';
import { candidatesOf, latestOf } from '../../services/catalog/choose.js';
import { loadCatalog } from '../../services/catalog/load.js';
import { readLockFile, writeLockFile, type LockedPackage } from '../../services/catalog/lock-file.js';
import { verifyAll, type VerificationTarget } from '../../services/catalog/verify/verify.js';
import { futurePath } from '../../services/hosting/tree/future-path.js';
import type { HubMemory } from '../../trust/memory.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { awaitLock, runLockFile } from '../../state/lock.js';
import { findPackage, versionToChooseBy } from '../install/find-package.js';
import { LARGEST_LOCK } from '../install/locked.js';

/** What a lock file came to. */
export interface WrittenLock {
  readonly file: string;
  readonly packages: readonly LockedPackage[];
  /** By package: what of it was pinned before, and what is now. */
  readonly changes: readonly LockChange[];
  readonly state: 'written' | 'unchanged' | 'outdated';
}

/** Versions of a package that a lock file pinned before and pins now. */
export interface LockChange {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What is locked, and where. */
export interface LockOptions {
  /** Packages as arguments name them, or one version of every package of the hubs. */
  readonly named: readonly string[] | 'all';
  readonly file: string;
  /** Only tells whether the file would change. */
  readonly check: boolean;
}

type LockContext = Pick<CommandContext, 'asker' | 'home' | 'hubs' | 'platformIfAny' | 'stateFolder' | 'trust'>;
type LockSession = Pick<Session, 'argv' | 'build' | 'clock' | 'signal' | 'terminal'>;

/** Packages of one hub that are to be pinned. */
type HubToLock = Pick<VerificationTarget, 'hub' | 'source' | 'packages'>;

/**
 * Verifies packages and pins every file of them, in place of all other versions of these packages. Pins of other
 * packages stay.
 * @throws PACKAGE_NOT_FOUND, and what speaks against the files that are not as they should be
 */
export async function lockFor(options: LockOptions, context: LockContext, session: LockSession): Promise<WrittenLock> {
  const hubs =
    options.named === 'all' ? await everyHub(context, session) : await hubsOf(options.named, context, session);
  const packages = await lockedOf(hubs, context, session);
  if (options.check) return pinned(options, packages);
  // Held for moments only: all that takes time is done.
  const name = runLockFile(context.stateFolder, { kind: 'file', path: await futurePath(resolve(options.file)) });
  const lock = await awaitLock(name, lockOwner(session), session.signal);
  try {
    return await pinned(options, packages);
  } finally {
    await lock.release();
  }
}

/** Every package of the hubs of a context, each in the version that its name alone means. */
async function everyHub(
  { hubs, platformIfAny }: LockContext,
  { signal, terminal }: LockSession,
): Promise<readonly HubToLock[]> {
  const platform = (await platformIfAny())?.version;
  const found: HubToLock[] = [];
  for (const hub of await hubs()) {
    const { entries, problems } = (await loadCatalog(hub, signal)).catalog;
    const skipped = problems.filter(({ severity }) => severity === 'skipped').length;
    if (skipped > 0)
      terminal.warn(
        'BAD_FIELD',
        `${counted(skipped, 'entry', 'entries')} of the catalog of ${hub.name} not pinned: no name or version`,
      );
    const best = latestOf(candidatesOf(hub, entries, platform));
    const packages = best.map(({ entry }) => ({ name: entry.name, version: entry.version, entry }));
    if (packages.length > 0) found.push({ hub: hub.name, source: hub.source, packages });
  }
  if (found.length === 0) throw new CliError('PACKAGE_NOT_FOUND', 'no packages to pin');
  return found;
}

/** The packages that arguments name, each once, by their hubs. */
async function hubsOf(
  named: readonly string[],
  context: LockContext,
  session: LockSession,
): Promise<readonly HubToLock[]> {
  const platform = await versionToChooseBy(context, named);
  const found = new Map<string, HubToLock>();
  for (const one of named) {
    const { hub, source, ...place } = await findPackage(context, one, platform, session);
    const packages = found.get(source.base)?.packages ?? [];
    const isKnown = packages.some(({ name, version }) => name === place.name && version === place.version);
    found.set(source.base, { hub, source, packages: isKnown ? packages : [...packages, place] });
  }
  return [...found.values()];
}

/** Puts pins into the file in place of others of these packages. */
async function pinned({ file, check }: LockOptions, packages: readonly LockedPackage[]): Promise<WrittenLock> {
  const bytes = isThere(file) ? await readBounded(file, LARGEST_LOCK) : undefined;
  const before = bytes === undefined ? [] : readLockFile(bytes, file).packages;
  const names = new Set(packages.map(({ name }) => name));
  const text = writeLockFile([...before.filter(({ name }) => !names.has(name)), ...packages]);
  const { packages: after } = readLockFile(Buffer.from(text), file);
  const result = { file, packages: after, changes: changesOf(before, after) };
  if (bytes !== undefined && Buffer.from(bytes).toString() === text) return { ...result, state: 'unchanged' };
  if (check) return { ...result, state: 'outdated' };
  await writeAtomically(file, text, { mode: 0o644, overwrite: true });
  return { ...result, state: 'written' };
}

function changesOf(before: readonly LockedPackage[], after: readonly LockedPackage[]): readonly LockChange[] {
  const [old, now] = [byName(before), byName(after)];
  return [...now].flatMap(([name, packages]) => {
    const others = old.get(name) ?? [];
    if (writeLockFile(others) === writeLockFile(packages)) return [];
    return [{ name, before: others.map(({ version }) => version), after: packages.map(({ version }) => version) }];
  });
}

function byName(packages: readonly LockedPackage[]): ReadonlyMap<string, readonly LockedPackage[]> {
  const all = new Map<string, LockedPackage[]>();
  for (const one of packages) {
    const same = all.get(one.name);
    if (same === undefined) all.set(one.name, [one]);
    else same.push(one);
  }
  return all;
}

/** Verifies the packages of each hub at once, and tells the digests of their files. */
async function lockedOf(
  hubs: readonly HubToLock[],
  context: LockContext,
  session: LockSession,
): Promise<readonly LockedPackage[]> {
  const targets: VerificationTarget[] = [];
  const bases = new Map<string, string>();
  for (const hub of hubs) {
    const trust = await context.trust(hub.source);
    bases.set(hub.hub, hub.source.base);
    targets.push({ ...hub, setup: trust.setup, remember: (memory: HubMemory) => trust.remember(memory) });
  }
  const { rows, outcome } = verifyAll(targets, { strict: false }, session.signal);
  const locked = new Map<string, LockedPackage & { readonly files: LockedPackage['files'][number][] }>();
  for await (const { hub: label, package: name, version = '', name: file, bytes, sha256 } of rows) {
    if (name === undefined || bytes === undefined || sha256 === undefined) continue;
    const hub = bases.get(label) ?? label;
    const key = JSON.stringify([hub, name, version]);
    const one = locked.get(key) ?? { hub, name, version, files: [] };
    one.files.push({ name: file, size: bytes, sha256 });
    locked.set(key, one);
  }
  const { refusal, warnings } = outcome();
  if (refusal !== undefined) throw refusal;
  for (const warning of warnings) session.terminal.warn('TRUST', warning);
  return [...locked.values()];
}
