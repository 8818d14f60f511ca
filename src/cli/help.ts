import type { CommandTable } from './program.js';
import type { Session } from './session.js';

/** Writes the help that words ask for: a command, a group of commands, a topic, or all. */
export async function writeHelp(words: readonly string[], table: CommandTable, session: Session): Promise<void> {
  await session.terminal.write(`cdapctl ${words.join(' ')}\n${Object.keys(table).join('\n')}\n`);
}
