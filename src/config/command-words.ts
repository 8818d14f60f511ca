import { isAbsolute, join } from 'node:path';
import { CliError } from '../core/errors.js';
import { shellWord } from '../core/shell-word.js';

/** A word, or a piece of one: in single quotes, in double quotes, after a backslash, or plain. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/uy;

/**
 * The words of a command as a shell reads them: quotes and backslashes count, nothing is expanded.
 * @throws USAGE for a quote without an end, or no word at all; the text is not quoted
 */
export function commandWords(text: string, what = 'the token command'): readonly [program: string, ...rest: string[]] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    at += /^\s*/u.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length) break;
    let word = '';
    while (at < text.length && !/\s/u.test(text.charAt(at))) {
      PIECE.lastIndex = at;
      const [piece, single, double, escaped, plain] = PIECE.exec(text) ?? [];
      if (piece === undefined) throw new CliError('USAGE', `${what} has a quote or backslash without an end`);
      at += piece.length;
      word += single ?? double?.replaceAll(/\\(["\\$`])/gu, '$1') ?? escaped ?? plain ?? '';
    }
    words.push(word);
  }
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw new CliError('USAGE', `${what} is empty`);
  return [program, ...rest];
}

/**
 * A command whose program, if it is given relative to a folder, is given as a whole path. What stands for later must
 * not depend on the folder in which the tool is started.
 */
export function rootedCommand(text: string, folder: string): string {
  const [program, ...rest] = commandWords(text);
  if (!/[\\/]/u.test(program) || isAbsolute(program)) return text;
  return [join(folder, program), ...rest].map(shellWord).join(' ');
}
