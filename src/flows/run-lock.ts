import { asError } from '../core/errors.js';
import { acquireLock, runLockFile, type LockName } from '../state/lock.js';
import type { CommandContext } from '../cli/context-types.js';
import { lockOwner, type Session } from '../cli/session.js';

type LockSession = Pick<Session, 'clock' | 'terminal'>;

async function holding<T>(
  files: readonly string[],
  session: LockSession,
  work: () => Promise<T>,
  told?: number,
): Promise<T> {
  const [file, ...others] = files;
  if (file === undefined) return work();
  const { terminal } = session;
  const lock = await acquireLock(file, lockOwner(session));
  const ended = lock.takenOver?.pid;
  // One run may have left several locks.
  if (ended !== undefined && ended !== told)
    terminal.note(`note: took over the lock of process ${ended}, which has ended`);
  try {
    return await holding(others, session, work, ended ?? told);
  } finally {
    // What was done stays done; the lock of a process that is gone is taken over.
    await lock.release().catch((cause: unknown) => {
      terminal.warn('LOCK', asError(cause).message);
    });
  }
}

/**
 * Does work that writes while no other run of this machine has any of the same locks. Locks are taken in one order, so
 * that no two runs wait for each other's.
 * @throws LOCKED (6) when one is at it
 */
export async function oneAtATime<T>(
  { stateFolder }: Pick<CommandContext, 'stateFolder'>,
  locks: readonly LockName[],
  session: LockSession,
  work: () => Promise<T>,
): Promise<T> {
  const files = locks.map((lock) => runLockFile(stateFolder, lock));
  return holding([...new Set(files)].sort(), session, work);
}

/** The lock of all runs that write in a namespace of a platform. */
export const namespaceLock = (url: string, namespace: string): LockName => ({ kind: 'namespace', url, namespace });

/** Writes, and lets an end in the middle of it name the command that goes on. */
export async function writing<T>(
  { writing: commands }: Pick<Session, 'writing'>,
  command: string,
  work: () => Promise<T>,
): Promise<T> {
  commands.add(command);
  try {
    return await work();
  } finally {
    commands.delete(command);
  }
}
