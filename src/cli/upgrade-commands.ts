import { commandLine } from './command-line.js';
import { connectionWords } from './package-commands.js';
import type { Session } from './session.js';

interface Given {
  readonly session: Session;
  readonly command: 'upgrade' | 'rollback';
}

/** The command that goes on with a journal; a rollback is simply run again. */
export function retryOf({ session, command }: Given, unfinished: boolean, journal: string): string {
  const { terminal } = session;
  if (command === 'rollback') return terminal.hide(commandLine(session.argv));
  const words: string[] = [];
  for (let at = 0; at < session.argv.length; at++) {
    const word = session.argv[at] ?? '';
    if (word === '--journal') at += 1;
    else if (!/^--(?:resume|only-failed|journal=.*)$/u.test(word)) words.push(word);
  }
  return terminal.hide(commandLine([...words, unfinished ? '--resume' : '--only-failed', '--journal', journal]));
}

/** The command that takes an upgrade back: the newest one, or that of a journal. */
export const undoOf = ({ argv, terminal }: Session, journal?: string): string =>
  terminal.hide(
    commandLine(['upgrade', 'rollback', ...connectionWords(argv), ...(journal === undefined ? [] : [journal])]),
  );
