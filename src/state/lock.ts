import { createHash, randomUUID } from 'node:crypto';
import { constants, copyFileSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../core/clock.js';
import { CliError } from '../core/errors.js';
import { formatTime } from '../core/time.js';
import { platformAddress } from '../core/hub-address.js';
import { errnoOf, localError } from '../core/files/local-error.js';
import { isRunning, startOf } from './process-identity.js';
import { privateFolder, type PrivateOptions } from './private-folder.js';
import { readOwnNow } from './read-state-file.js';
import { removeLeftovers, temporaryName } from './temporary.js';

const ROUNDS = 20;
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
/** Milliseconds that somebody waits for a short-lived lock in all, and between two looks at it. */
const PATIENCE = 10_000;
const PAUSE = 100;

const Holder = z.strictObject({
  v: z.literal(1),
  id: z.string().check(z.regex(/^[0-9a-f-]{36}$/u)),
  pid: z.int().check(z.positive()),
  start: z.optional(z.string()),
  host: z.string(),
  since: z.string(),
});

/** Who holds a lock: process, host and the time (RFC 3339) since when. */
export type LockHolder = z.infer<typeof Holder>;

/** Who takes a lock. */
export interface LockTaker {
  readonly pid: number;
  readonly host: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Where a lock lies. */
export type LockPlace = Pick<PrivateOptions, 'shared'>;

/** A lock that is held until `release`, which may be called again. */
export interface Lock {
  readonly file: string;
  /** The dead process whose lock was taken over (docs/faults.md L22), for a note. */
  readonly takenOver: LockHolder | undefined;
  release(): Promise<void>;
}

/** For whom a lock is taken, and its place. */
interface TakeOptions extends Pick<LockTaker, 'host'> {
  readonly place: LockPlace;
}

/** What one run at a time works in: a namespace, a journal of an upgrade, a folder or a file. */
export type LockName =
  /** By its real path. */
  | { readonly kind: 'folder' | 'file' | 'shared folder'; readonly path: string }
  | { readonly kind: 'namespace'; readonly url: string; readonly namespace: string }
  | { readonly kind: 'journal'; readonly url: string; readonly file: string };

/**
 * The lock file of all runs that write in the same place (docs/faults.md T27, V03). That of a shared folder lies in it,
 * for users and machines with state folders of their own.
 */
export function runLockFile(stateFolder: string, name: LockName): string {
  if (name.kind === 'shared folder') return join(name.path, '.cdapctl.lock');
  const hash = createHash('sha256')
    .update(JSON.stringify(wordsOf(name)))
    .digest('hex');
  return join(stateFolder, 'locks', `${hash}.lock`);
}

function wordsOf(name: LockName): readonly string[] {
  if ('path' in name) return [name.kind, name.path];
  // No namespace has a blank in its name.
  return [platformAddress(name.url), name.kind === 'namespace' ? name.namespace : `journal ${name.file}`];
}

function locked(file: string, text: string, hints: readonly string[], holder?: LockHolder): CliError {
  const facts = holder === undefined ? {} : { pid: String(holder.pid), host: holder.host, since: holder.since };
  return new CliError('LOCKED', text, { hints, target: { file, ...facts } });
}

function holderOf(file: string, place: LockPlace): LockHolder | undefined {
  const bytes = readOwnNow(file, place);
  if (bytes === undefined) return undefined;
  try {
    return Holder.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw locked(file, `the lock ${file} cannot be read`, [`if no other run is in progress: rm ${file}`]);
  }
}

function refuseLiving(file: string, holder: LockHolder, host: string): void {
  const who = `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  if (holder.host !== host) {
    const clear = `if that run has ended without removing its lock: rm ${file}`;
    throw locked(file, `another run is in progress: ${who}`, ['wait until it ends', clear], holder);
  }
  if (isRunning(holder.pid, holder.start)) {
    throw locked(
      file,
      `another run is in progress: ${who}`,
      [`wait until it ends, or stop it: kill ${holder.pid}`],
      holder,
    );
  }
}

function copied(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw localError(error, 'write', to);
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (NO_HARD_LINKS.includes(errnoOf(error) ?? '')) return copied(from, to);
    throw localError(error, 'write', to);
  }
}

/**
 * Tries to take a dead holder's place. The right to replace a holder is a file named by the holder's id, which only one
 * process can make; when its maker died as well, the right to replace the maker decides. Ids never come back, so a slow
 * taker cannot hit a newer lock.
 */
function succeed(file: string, own: string, dead: LockHolder, { host, place }: TakeOptions): boolean {
  const rights: string[] = [];
  for (let id = dead.id; ;) {
    const right = `${file}.${id}`;
    rights.push(right);
    if (linked(own, right)) break;
    const heir = holderOf(right, place);
    if (heir === undefined) return false;
    refuseLiving(file, heir, host);
    id = heir.id;
  }
  const current = holderOf(file, place);
  if (current?.id === dead.id) renameSync(own, file);
  for (const right of current?.id === dead.id ? rights : rights.slice(-1)) rmSync(right, { force: true });
  return current?.id === dead.id;
}

function take(file: string, own: string, options: TakeOptions): LockHolder | undefined {
  for (let round = 0; round < ROUNDS; round++) {
    if (linked(own, file)) return undefined;
    const holder = holderOf(file, options.place);
    if (holder === undefined) continue;
    refuseLiving(file, holder, options.host);
    if (succeed(file, own, holder, options)) return holder;
  }
  throw locked(file, `cannot get the lock ${file}: other runs keep taking it`, ['try again']);
}

/** Only looks whether a lock is held, and by whom: LOCKED when its holder lives. Nobody else notices the look. */
export function peekLock(file: string, host: string): void {
  const holder = holderOf(file, {});
  if (holder !== undefined) refuseLiving(file, holder, host);
}

/**
 * Takes a lock or throws LOCKED at once, naming the holder (docs/faults.md L21, L23). The lock of a dead process of
 * this host is taken over (docs/faults.md L22).
 */
export async function acquireLock(file: string, taker: LockTaker, place: LockPlace = {}): Promise<Lock> {
  const { pid, host } = taker;
  const folder = await privateFolder(dirname(file), place);
  const record: LockHolder = {
    v: 1,
    id: randomUUID(),
    pid,
    start: startOf(pid),
    host,
    since: formatTime(taker.clock.now()),
  };
  const own = join(folder, temporaryName());
  try {
    removeLeftovers(folder);
    // Flushed, so that a lock is never empty after a power cut.
    writeFileSync(own, `${JSON.stringify(record)}\n`, {
      flag: 'wx',
      mode: place.shared === true ? 0o644 : 0o600,
      flush: true,
    });
    const takenOver = take(file, own, { host, place });
    return { file, takenOver, release: () => release(file, record.id, place) };
  } catch (error) {
    throw localError(error, 'write', file);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes a lock that is held for moments only: waits for its holder for ten seconds, then LOCKED. */
export async function awaitLock(
  file: string,
  taker: LockTaker & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<Lock> {
  const end = taker.clock.monotonic() + PATIENCE;
  for (;;) {
    try {
      return await acquireLock(file, taker);
    } catch (error) {
      const held = error instanceof CliError && error.code === 'LOCKED';
      if (!held || taker.clock.monotonic() >= end) throw error;
    }
    await taker.clock.sleep(PAUSE, signal);
  }
}

// Waits for no thread of Node: after Ctrl-C, all of them may stand at a disk that stalls.
async function release(file: string, id: string, place: LockPlace): Promise<void> {
  const holder = holderOf(file, place);
  if (holder?.id === id) rmSync(file, { force: true });
}
