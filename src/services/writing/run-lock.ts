import { asError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import { acquireLock, runLockFile, type Lock, type LockName, type LockTaker } from '../../state/lock.js';

/** Where locks are, who takes them, and who is told what became of them. */
export interface LockDeps {
  readonly stateFolder: string;
  readonly taker: LockTaker;
  readonly emit: Emit;
}

/** The locks of a run, until `release`. */
export type HeldLocks = Pick<Lock, 'release'>;

async function releaseAll(held: readonly Lock[], emit: Emit): Promise<void> {
  for (const lock of held.toReversed()) {
    // What was done stays done; the lock of a process that is gone is taken over.
    await lock.release().catch((cause: unknown) => {
      emit({ type: 'warning', code: 'LOCK', message: asError(cause).message });
    });
  }
}

/**
 * Takes locks, so that no other run of this machine writes in the same places. They are taken in one order, so that no
 * two runs wait for each other's.
 * @throws LOCKED (6) when another run has one; then none is held
 */
export async function takeLocks(locks: readonly LockName[], deps: LockDeps): Promise<HeldLocks> {
  const { stateFolder, taker, emit } = deps;
  const places = new Map(locks.map((lock) => [runLockFile(stateFolder, lock), lock.kind === 'shared folder']));
  const held: Lock[] = [];
  let told: number | undefined;
  try {
    for (const [file, shared] of [...places].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const lock = await acquireLock(file, taker, { shared });
      held.push(lock);
      const ended = lock.takenOver?.pid;
      // One run may have left several locks.
      if (ended !== undefined && ended !== told)
        emit({ type: 'note', message: `note: took over the lock of process ${ended}, which has ended` });
      told = ended ?? told;
    }
  } catch (error) {
    await releaseAll(held, emit);
    throw error;
  }
  return { release: () => releaseAll(held, emit) };
}

/** The lock of all runs that write in a namespace of a platform. */
export const namespaceLock = (url: string, namespace: string): LockName => ({ kind: 'namespace', url, namespace });
