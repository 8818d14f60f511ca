import type { CommandContext } from '../cli/context-types.js';
import { lockOwner, type Session } from '../cli/session.js';
import type { LockDeps } from '../services/writing/run-lock.js';

/** The options of the locks of a run, from its context and its session. */
export const lockDeps = (
  { stateFolder, emit }: Pick<CommandContext, 'emit' | 'stateFolder'>,
  session: Pick<Session, 'clock'>,
): LockDeps => ({ stateFolder, emit, taker: lockOwner(session) });

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
