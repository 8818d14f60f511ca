import type { CommandContext } from '../cli/context-types.js';
import { lockOwner, type Session } from '../cli/session.js';
import type { LockDeps } from '../services/writing/run-lock.js';

/** The options of the locks of a run, from its context and its session. */
export const lockDeps = (
  { stateFolder, emit }: Pick<CommandContext, 'emit' | 'stateFolder'>,
  session: Pick<Session, 'clock'>,
): LockDeps => ({ stateFolder, emit, taker: lockOwner(session) });

/** A write in progress, until `end`. */
export interface OpenWrite {
  readonly end: () => void;
}

/** Begins a write: a run that is ended in the middle of it names the command that continues it. */
export function beginWrite({ writing }: Pick<Session, 'writing'>, command: string): OpenWrite {
  writing.add(command);
  return {
    end: () => {
      writing.delete(command);
    },
  };
}
