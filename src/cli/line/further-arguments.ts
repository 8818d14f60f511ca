import { CliError } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import type { Usage } from '../../output/usage.js';
import { commandLine } from './command-line.js';

const LONGEST_NAME = 40;

/** The error for words that are too many, with the flag that may be meant by one. */
export function furtherArguments(
  words: readonly string[],
  lines: readonly string[],
  id: string | undefined,
  { args = {}, flags = {} }: Usage,
): CliError {
  // It may be the value of a flag that takes it behind "=" only: `--wait=done`.
  const hints = Object.entries(flags).flatMap(([name, { helpValue }]) => {
    const values = /^\[=(.*)\]$/u.exec(String(helpValue))?.[1]?.split('|') ?? [];
    return words.flatMap((word) => (values.includes(word) ? [`Did you mean --${name}=${word}?`] : []));
  });
  const [word = '', ...more] = words;
  const isPattern = flags['pipeline']?.helpValue === '[NS/]GLOB' && Object.keys(args).length === 0;
  if (id !== undefined && isPattern && more.length === 0 && word.length <= LONGEST_NAME)
    hints.push(visible(commandLine([...id.split(':'), '-p', word])));
  return new CliError('USAGE', unexpected(words), { lines, hints });
}

/** Names the words that are too many; one that is long is more likely a secret than a name. */
function unexpected(words: readonly string[]): string {
  const shown = words
    .slice(0, 3)
    .map((word) => (word.length > LONGEST_NAME ? `of ${word.length} characters` : `"${visible(word)}"`));
  return `unexpected argument${words.length === 1 ? '' : 's'} ${shown.join(', ')}${words.length > 3 ? ', ...' : ''}`;
}
