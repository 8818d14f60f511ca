import { hostname } from 'node:os';
import { acquireLock, runLockFile } from '../state/lock.js';
import type { CommandContext, PlatformPlace } from './context.js';
import type { Session } from './session.js';

/** Does work that writes on a platform while no other run of this machine does, in the same namespace; LOCKED (6) when one is at it. */
export async function oneAtATime<T>(
  { stateFolder }: CommandContext,
  { url, namespace }: PlatformPlace,
  { clock, terminal }: Session,
  work: () => Promise<T>,
): Promise<T> {
  const taker = { pid: process.pid, host: hostname(), clock };
  const lock = await acquireLock(runLockFile(stateFolder, url, namespace), taker);
  if (lock.takenOver !== undefined)
    terminal.note(`note: took over the lock of process ${lock.takenOver.pid}, which is gone`);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
