import { CliError } from '../core/errors.js';
import type { BaseCommand } from './base-command.js';
import type { Session } from './session.js';

/** A command class that can be started. */
export type CommandClass = (new (...args: ConstructorParameters<typeof BaseCommand>) => BaseCommand) &
  Pick<
    typeof BaseCommand,
    | 'start'
    | 'args'
    | 'flags'
    | 'baseFlags'
    | 'summary'
    | 'description'
    | 'examples'
    | 'failures'
    | 'requests'
    | 'changes'
    | 'takesEmpty'
    | 'seeAlso'
    | 'id'
  >;

/** The commands by id (`hub:list`): made by the build from the files under `src/commands`. */
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;

/** Loads the class of a command and oclif's configuration, and runs it. */
export async function runCommand(id: string, argv: string[], table: CommandTable, session: Session): Promise<void> {
  const load = table[id];
  if (load === undefined) throw new CliError('INTERNAL', `there is no command ${id}`);
  const [{ default: command }, { loadConfig }] = await Promise.all([load(), import('./config.js')]);
  command.id = id;
  await command.start(argv, await loadConfig(session.build), session);
}
