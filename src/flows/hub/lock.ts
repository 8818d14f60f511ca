import { resolve } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import { lockOwner, type Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { readBounded } from '../../core/files/read-bounded.js';
import { readLockFile, writeLockFile, type LockedPackage } from '../../services/catalog/lock-file.js';
import { everyPackage } from '../../services/catalog/verify/target.js';
import { verifyAll } from '../../services/catalog/verify/verify.js';
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
  readonly named: readonly string[];
  readonly file: string;
  /** Only tells whether the file would change. */
  readonly check: boolean;
}

type LockContext = Pick<CommandContext, 'asker' | 'home' | 'hubs' | 'platformIfAny' | 'stateFolder' | 'trust'>;
type LockSession = Pick<Session, 'argv' | 'build' | 'clock' | 'signal' | 'terminal'>;

/**
 * Verifies packages and pins every file of them, in place of all other versions of these packages. Pins of other
 * packages stay.
 * @throws what speaks against the first file that is not as it should be
 */
export async function lockFor(options: LockOptions, context: LockContext, session: LockSession): Promise<WrittenLock> {
  const named: LockedPackage[] = [];
  const platform = await versionToChooseBy(context, options.named);
  for (const one of new Set(options.named)) named.push(await lockedOf(one, platform, context, session));
  if (options.check) return pinned(options, named);
  // Held for moments only: all that takes time is done.
  const name = runLockFile(context.stateFolder, { kind: 'file', path: await futurePath(resolve(options.file)) });
  const lock = await awaitLock(name, lockOwner(session), session.signal);
  try {
    return await pinned(options, named);
  } finally {
    await lock.release();
  }
}

/**
 * Every package of the hubs of a context, by hub and name; the version is left open.
 * @throws PACKAGE_NOT_FOUND when there is none
 */
export async function everyName({ hubs }: Pick<LockContext, 'hubs'>, signal: AbortSignal): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const hub of await hubs())
    for (const { name } of await everyPackage(hub, signal))
      names.add(/[/:\\]/u.test(hub.name) ? name : `${hub.name}/${name}`);
  if (names.size === 0) throw new CliError('PACKAGE_NOT_FOUND', 'there is no package to pin');
  return [...names];
}

/** Puts pins into the file in place of others of these packages. */
async function pinned({ file, check }: LockOptions, named: readonly LockedPackage[]): Promise<WrittenLock> {
  const bytes = isThere(file) ? await readBounded(file, LARGEST_LOCK) : undefined;
  const before = bytes === undefined ? [] : readLockFile(bytes, file).packages;
  const others = before.filter(({ name }) => !named.some((one) => one.name === name));
  const text = writeLockFile([...others, ...named]);
  const { packages } = readLockFile(Buffer.from(text), file);
  const result = { file, packages, changes: changesOf(before, packages) };
  if (bytes !== undefined && Buffer.from(bytes).toString() === text) return { ...result, state: 'unchanged' };
  if (check) return { ...result, state: 'outdated' };
  await writeAtomically(file, text, { mode: 0o644, overwrite: true });
  return { ...result, state: 'written' };
}

function changesOf(before: readonly LockedPackage[], after: readonly LockedPackage[]): readonly LockChange[] {
  const of = (name: string, packages: readonly LockedPackage[]): readonly LockedPackage[] =>
    packages.filter((one) => one.name === name);
  const names = [...new Set(after.map(({ name }) => name))];
  return names
    .filter((name) => writeLockFile(of(name, before)) !== writeLockFile(of(name, after)))
    .map((name) => ({
      name,
      before: of(name, before).map(({ version }) => version),
      after: of(name, after).map(({ version }) => version),
    }));
}

async function lockedOf(
  named: string,
  platform: string | undefined,
  context: LockContext,
  session: LockSession,
): Promise<LockedPackage> {
  const { hub, source, ...place } = await findPackage(context, named, platform, session);
  const trust = await context.trust(source);
  const target = {
    hub,
    source,
    setup: trust.setup,
    packages: [place],
    remember: (memory: HubMemory) => trust.remember(memory),
  };
  const { rows, outcome } = verifyAll([target], { strict: false }, session.signal);
  const files: LockedPackage['files'][number][] = [];
  for await (const { package: name, name: file, bytes, sha256 } of rows)
    if (name !== undefined && bytes !== undefined && sha256 !== undefined)
      files.push({ name: file, size: bytes, sha256 });
  const { refusal, warnings } = outcome();
  if (refusal !== undefined) throw refusal;
  for (const warning of warnings) session.terminal.warn('TRUST', warning);
  return { hub: source.base, name: place.name, version: place.version, files };
}
