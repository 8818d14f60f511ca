import { asError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import { acquireLock, runLockFile, type LockName, type LockPlace, type LockTaker } from '../../state/lock.js';

/** Where locks are, who takes them, and who is told what became of them. */
export interface LockDeps {
  readonly stateFolder: string;
  readonly taker: LockTaker;
  readonly emit: Emit;
}

interface LockFile extends LockPlace {
  readonly file: string;
}

async function holding<T>(
  files: readonly LockFile[],
  deps: LockDeps,
  work: () => Promise<T>,
  told?: number,
): Promise<T> {
  const [first, ...others] = files;
  if (first === undefined) return work();
  const { emit, taker } = deps;
  const lock = await acquireLock(first.file, taker, first);
  const ended = lock.takenOver?.pid;
  // One run may have left several locks.
  if (ended !== undefined && ended !== told)
    emit({ type: 'note', message: `note: took over the lock of process ${ended}, which has ended` });
  try {
    return await holding(others, deps, work, ended ?? told);
  } finally {
    // What was done stays done; the lock of a process that is gone is taken over.
    await lock.release().catch((cause: unknown) => {
      emit({ type: 'warning', code: 'LOCK', message: asError(cause).message });
    });
  }
}

/**
 * Does work that writes while no other run of this machine has any of the same locks. Locks are taken in one order, so
 * that no two runs wait for each other's.
 * @throws LOCKED (6) when one is at it
 */
export async function oneAtATime<T>(locks: readonly LockName[], deps: LockDeps, work: () => Promise<T>): Promise<T> {
  const files = new Map(
    locks.map((lock) => [runLockFile(deps.stateFolder, lock), { shared: lock.kind === 'shared folder' }]),
  );
  const sorted = [...files].map(([file, place]) => ({ file, ...place })).sort((a, b) => (a.file < b.file ? -1 : 1));
  return holding(sorted, deps, work);
}

/** The lock of all runs that write in a namespace of a platform. */
export const namespaceLock = (url: string, namespace: string): LockName => ({ kind: 'namespace', url, namespace });
