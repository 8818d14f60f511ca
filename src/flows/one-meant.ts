import type { CommandContext } from '../cli/context-types.js';
import { withArgument, withFlag } from '../cli/line/rewrite-line.js';
import type { Session } from '../cli/session.js';
import { choose } from '../cli/terminal/choice.js';
import { SeveralMeant } from '../core/several-meant.js';
import { timeText } from '../output/writers/columns.js';

/** The prompt and the terminal that a choice uses. */
export interface ChoiceDeps {
  readonly context: Pick<CommandContext, 'asker'>;
  readonly session: Pick<Session, 'argv' | 'build' | 'terminal'>;
}

/**
 * Does something with what a word of the line names. Where it is the beginning of several ids a person chooses one, and
 * it is done with that. Elsewhere the error has the whole command for each. The word is an argument, or a value of
 * `flag`.
 */
export async function withOneMeant<T, W extends string | undefined>(
  word: W,
  act: (word: NoInfer<W> | string) => Promise<T>,
  { context, session }: ChoiceDeps,
  flag?: string,
): Promise<T> {
  try {
    return await act(word);
  } catch (error) {
    if (!(error instanceof SeveralMeant)) throw error;
    const choices = error.all.map(({ id, status, at, name = '' }) => ({
      value: id,
      columns: [id, status, at === undefined ? '' : timeText(new Date(at * 1000), session.terminal.stderr), name],
      argv: flag === undefined ? withArgument(session, word ?? '', id) : withFlag(session.argv, flag, id),
    }));
    return act((await choose(error.message, choices, context.asker)).value);
  }
}
