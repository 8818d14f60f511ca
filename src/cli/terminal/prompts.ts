import { CliError } from '../../core/errors.js';
import { formatOf } from '../line/argv.js';
import { joinSignals } from '../../core/join-signals.js';
import type { Look } from '../../output/look.js';
import { wrapped } from '../../output/width.js';
import type { linePrompt } from './text-prompts.js';
import { expandHome } from '../line/local-path.js';
import { promptTheme } from './prompt-theme.js';
import type { Terminal } from './terminal.js';

/** Where questions are asked: on stderr, until the signal ends them. Answers are read from stdin unless told. */
export interface Asker {
  readonly input?: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly look: Look;
  readonly signal: AbortSignal;
  readonly home: string | undefined;
  /** Clears the place: what is drawn there while something is under way would hide the question. */
  readonly clear?: () => void;
}

/** What decides whether anybody can be asked. */
interface AskerOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Where a command asks. Undefined off a terminal, with `--no-input` and where a machine reads the result. */
export function askerFor(
  { terminal, env, signal, argv }: AskerOptions,
  home: string | undefined,
  flags: Readonly<Record<string, unknown>>,
  clear: () => void = () => undefined,
): Asker | undefined {
  const format = formatOf(argv, env);
  const machine = format === 'json' || format === 'ndjson';
  if (!terminal.interactive || machine || flags['no-input'] === true) return undefined;
  return { output: terminal.questions, look: terminal.stderr, signal, home, clear };
}

interface PromptDeps {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Asks once: the answer, or what came instead of it. */
async function askOnce<T>(
  question: (options: PromptDeps) => Promise<T>,
  { input = process.stdin, output, signal }: Asker,
): Promise<{ readonly answer: T } | 'ended' | 'continued' | 'cancelled'> {
  const asking = joinSignals(signal);
  let instead: 'ended' | 'continued' | 'cancelled' = 'ended';
  const end = (): void => {
    asking.abort();
  };
  const cancel = (_text: unknown, key: { readonly name?: string } = {}): void => {
    if (key.name !== 'escape') return;
    instead = 'cancelled';
    end();
  };
  const goOn = (): void => {
    instead = 'continued';
    end();
  };
  // The prompt library waits for ever when its input ends; all that shows is that the input is no longer read.
  input.once('pause', end);
  // After Ctrl-Z and fg its input is no longer read either, and the shell has drawn over the question.
  process.once('SIGCONT', goOn);
  input.on('keypress', cancel);
  try {
    return { answer: await question({ input, output, signal: asking.signal }) };
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof Error)) throw cause;
    if (cause.name === 'AbortPromptError') return instead;
    if (cause.name === 'ExitPromptError')
      throw new CliError('INTERRUPTED', 'cancelled with Ctrl-C; nothing was changed');
    throw cause;
  } finally {
    asking.release();
    input.removeListener('pause', end);
    process.removeListener('SIGCONT', goOn);
    input.removeListener('keypress', cancel);
  }
}

/**
 * The answer, asked for anew after a stop (Ctrl-Z). Undefined when the input ended before it (Ctrl-D), DECLINED for
 * Esc.
 */
async function asking<T>(question: (options: PromptDeps) => Promise<T>, asker: Asker): Promise<T | undefined> {
  asker.clear?.();
  for (;;) {
    const outcome = await askOnce(question, asker);
    if (outcome === 'ended') return undefined;
    if (outcome === 'cancelled') throw new CliError('DECLINED', 'cancelled; nothing was changed');
    if (outcome !== 'continued') return outcome.answer;
  }
}

/** What stands before a question: `? `. */
const PREFIX = 2;

/** A question broken at words: the prompt library would break it in the middle of one. */
const atWords = (message: string, { look: { columns = Infinity } }: Asker): string =>
  wrapped(message, columns - PREFIX - 1).join('\n');

async function askLine(
  question: Omit<Parameters<typeof linePrompt>[0], 'theme'>,
  asker: Asker,
): Promise<string | undefined> {
  const { linePrompt: prompt } = await import('./text-prompts.js');
  const message = atWords(question.message, asker);
  return asking((options) => prompt({ ...question, message, theme: promptTheme(asker.look) }, options), asker);
}

/**
 * Asks for yes or no; Enter takes the proposal, anything else is asked again.
 * @throws DECLINED for Esc and when the input ends (Ctrl-D)
 */
export async function askYesNo(message: string, proposal: boolean, asker: Asker): Promise<boolean> {
  const isYes = (text: string): boolean => (text.trim() === '' ? proposal : /^y/iu.test(text.trim()));
  const question = {
    message: `${message} [${proposal ? 'Y/n' : 'y/N'}]`,
    proposal: '',
    fault: (text: string) => (/^(?:y|yes|n|no|)$/iu.test(text.trim()) ? undefined : 'please answer y or n'),
    declines: (text: string) => !isYes(text),
  };
  const answer = await askLine(question, asker);
  if (answer === undefined) throw unanswered();
  return isYes(answer);
}

/**
 * Asks for a text. Enter takes the proposal, what `fault` finds is said and asked again, what `declines` gets no tick;
 * undefined when the input ends (Ctrl-D), DECLINED for Esc.
 */
export const askText = (
  message: string,
  proposal: string | undefined,
  fault: (text: string) => string | undefined,
  asker: Asker,
  declines?: (text: string) => boolean,
): Promise<string | undefined> =>
  askLine({ message, proposal, fault, ...(declines !== undefined && { declines }) }, asker);

/** Asks for a text that is not shown; undefined when the input ends (Ctrl-D), DECLINED for Esc. */
export const askSecret = (message: string, asker: Asker): Promise<string | undefined> =>
  askLine({ message, proposal: undefined, fault: () => undefined, isSecret: true }, asker);

/**
 * Asks for a path. `inspect` returns what is good about it or throws what is wrong, and then the question comes again;
 * undefined when the input ends (Ctrl-D), DECLINED for Esc.
 */
export async function askPath(
  message: string,
  inspect: (path: string) => Promise<string>,
  asker: Asker,
): Promise<{ readonly path: string; readonly remark: string } | undefined> {
  const { pathPrompt } = await import('./text-prompts.js');
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
  const question = { message: atWords(message, asker), theme: promptTheme(asker.look), home: asker.home, validate };
  const typed = await asking((options) => pathPrompt(question, options), asker);
  return typed === undefined ? undefined : { path: expandHome(typed, asker.home), remark };
}

/**
 * Lets one of several be chosen with the arrow keys; `short` is what stays of it on the screen.
 * @throws DECLINED for Esc and when the input ends (Ctrl-D)
 */
export async function askChoice<T>(
  message: string,
  items: readonly { readonly value: T; readonly row: string; readonly short: string }[],
  asker: Asker,
): Promise<T> {
  const { default: select } = await import('@inquirer/select');
  const choices = items.map(({ value, row, short }) => ({ value, name: row, short }));
  const keysHelpTip = (): string => 'arrow keys move, Enter chooses, Esc cancels';
  const plain = promptTheme(asker.look);
  const theme = { ...plain, style: { ...plain.style, keysHelpTip } };
  const question = { message: atWords(message, asker), choices, loop: false, pageSize: 10, theme };
  const chosen = await asking(async (options) => ({ value: await select(question, options) }), asker);
  if (chosen === undefined) throw unanswered();
  return chosen.value;
}

/** The error of a prompt at which the input ends. */
export const unanswered = (): CliError =>
  new CliError('DECLINED', 'the input ended without an answer; nothing was changed');
