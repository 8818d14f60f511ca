import { CliError } from '../core/errors.js';
import { expandHome } from './path-completion.js';

/** Where questions are asked: on stderr, until the signal ends them. */
export interface Asker {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  readonly home: string | undefined;
}

async function asking<T>(
  question: (options: { output: NodeJS.WritableStream; signal: AbortSignal }) => Promise<T>,
  asker: Asker,
): Promise<T> {
  try {
    return await question({ output: asker.output, signal: asker.signal });
  } catch (cause) {
    asker.signal.throwIfAborted();
    if (cause instanceof Error && (cause.name === 'ExitPromptError' || cause.name === 'AbortPromptError')) {
      throw new CliError('INTERRUPTED', 'stopped at a question; nothing was changed', { cause });
    }
    throw cause;
  }
}

/** Asks for yes or no; Enter takes the proposal, anything else is asked again. */
export async function askYesNo(message: string, proposal: boolean, asker: Asker): Promise<boolean> {
  const { default: input } = await import('@inquirer/input');
  const question = {
    message: `${message} [${proposal ? 'Y/n' : 'y/N'}]`,
    validate: (text: string): true | string => /^(?:y|yes|n|no|)$/iu.test(text.trim()) || 'please answer y or n',
  };
  const answer = (await asking((options) => input(question, options), asker)).trim();
  return answer === '' ? proposal : /^y/iu.test(answer);
}

/** Asks for a text; Enter takes the proposal. */
export async function askText(message: string, proposal: string | undefined, asker: Asker): Promise<string> {
  const { default: input } = await import('@inquirer/input');
  const question = proposal === undefined ? { message, required: true } : { message, default: proposal };
  return asking((options) => input(question, options), asker);
}

/** Asks for a path; `inspect` returns what is good about it or throws what is wrong, and then the question comes again. */
export async function askPath(
  message: string,
  inspect: (path: string) => Promise<string>,
  asker: Asker,
): Promise<{ readonly path: string; readonly remark: string }> {
  const { pathPrompt } = await import('./path-prompt.js');
  let remark = '';
  const validate = async (typed: string): Promise<true | string> => {
    if (typed === '') return 'a path is needed';
    try {
      remark = await inspect(expandHome(typed, asker.home));
      return true;
    } catch (error) {
      if (error instanceof CliError) return error.message;
      throw error;
    }
  };
  const typed = await asking((options) => pathPrompt({ message, home: asker.home, validate }, options), asker);
  return { path: expandHome(typed, asker.home), remark };
}
