import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { KeptErrors } from '../../services/upgrade/files/local-failures.js';
import type { KeepDeps } from '../../services/upgrade/files/save-requests.js';

/** What an upgrade and its rollback share. */
export interface UpgradeDeps {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly command: 'upgrade' | 'rollback';
  readonly engine: 'client' | 'server';
  readonly keeping: KeptErrors;
  /** Whether a plan is shown with every detail. */
  readonly isWhole: boolean;
}

/** What keeping requests on this machine needs of an upgrade. */
export function keepingOf({ session, context, target, command, keeping }: UpgradeDeps): KeepDeps {
  const { stateFolder, emit } = context;
  const { url, capabilities } = target;
  const note = (line: string): void => {
    session.terminal.note(line);
  };
  return { stateFolder, url, command, capabilities, clock: session.clock, emit, note, keeping };
}
