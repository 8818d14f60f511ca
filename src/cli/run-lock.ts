import { hostname } from 'node:os';
import { asError } from '../core/as-error.js';
import { acquireLock, runLockFile } from '../state/lock.js';
import type { CommandContext } from './context.js';
import type { Session } from './session.js';

async function holding<T>(files: readonly string[], session: Session, work: () => Promise<T>): Promise<T> {
  const [file, ...others] = files;
  if (file === undefined) return work();
  const { clock, terminal } = session;
  const lock = await acquireLock(file, { pid: process.pid, host: hostname(), clock });
  if (lock.takenOver !== undefined)
    terminal.note(`note: took over the lock of process ${lock.takenOver.pid}, which is gone`);
  try {
    return await holding(others, session, work);
  } finally {
    // What was done stays done; the lock of a process that is gone is taken over.
    await lock.release().catch((cause: unknown) => {
      terminal.warn('LOCK', asError(cause).message);
    });
  }
}

/** Does work that writes in namespaces of a platform while no other run of this machine does in any of them; LOCKED (6) when one is at it. Locks are taken in one order, so that no two runs wait for each other's. */
export async function oneAtATimeIn<T>(
  { stateFolder }: CommandContext,
  { url, namespaces }: { readonly url: string; readonly namespaces: readonly string[] },
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  const names = [...new Set(namespaces)].sort();
  const files = names.map((namespace) => runLockFile(stateFolder, url, namespace));
  return holding(files, session, work);
}

/** As `oneAtATimeIn`, for one namespace. */
export function oneAtATime<T>(
  context: CommandContext,
  { url, namespace }: { readonly url: string; readonly namespace: string },
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  return oneAtATimeIn(context, { url, namespaces: [namespace] }, session, work);
}

/** Writes, and lets an end in the middle of it name the command that goes on. */
export async function writing<T>({ writing: commands }: Session, command: string, work: () => Promise<T>): Promise<T> {
  commands.add(command);
  try {
    return await work();
  } finally {
    commands.delete(command);
  }
}
