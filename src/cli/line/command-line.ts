import { beforeDashes } from './argv.js';
import { shellWord } from '../../core/shell-word.js';

/** A command of this tool as a person would type it into a shell, for hints. */
export const commandLine = (argv: readonly string[]): string => ['cdapctl', ...argv].map(shellWord).join(' ');

/** A command line with more flags: where flags still count, which is before a `--`. */
export function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const words = beforeDashes(argv);
  return [...words, ...flags, ...argv.slice(words.length)];
}
