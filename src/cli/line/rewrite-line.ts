import { beforeDashes, commandOf, LETTERS_ALONE, readLine } from './argv.js';
import { withFlags } from './command-line.js';
import { readLineRules } from './flag-tables.js';
/** A command line, and the folder of the package whose commands it may name. */
interface Line {
  readonly argv: readonly string[];
  readonly build: { readonly root: string };
}

function placeOf({ argv, build }: Line, argument: string): number {
  const rules = readLineRules(build.root);
  const ids = [...rules.keys()];
  for (const [id, { flags }] of rules) {
    const { words } = readLine(argv, flags);
    const texts = words.map(({ text }) => text);
    if (commandOf(texts, ids) !== id) continue;
    const found = words.slice(id.split(':').length).find(({ text }) => text === argument);
    if (found !== undefined) return found.at;
  }
  // Behind a "--", say.
  return argv.lastIndexOf(argument);
}

/** The line with another word in the place of an argument; values of flags stay as they are. */
export function withArgument(line: Line, argument: string, by: string): readonly string[] {
  const at = placeOf(line, argument);
  return at === -1 ? line.argv : line.argv.with(at, by);
}

/** The line with one value of a flag, instead of those that it has. */
export function withFlag(argv: readonly string[], flag: string, value: string, char?: string): readonly string[] {
  return withFlags(withoutFlag(argv, flag, char), [`--${flag}`, value]);
}

/** The line without a flag and its values. */
export function withoutFlag(argv: readonly string[], flag: string, char?: string): readonly string[] {
  const before = beforeDashes(argv);
  const letters = char === undefined ? undefined : new RegExp(`^(-[${LETTERS_ALONE}]*)${char}(.*)$`, 'su');
  const kept: string[] = [];
  for (let at = 0; at < before.length; at += 1) {
    const word = before[at] ?? '';
    const [, others = '', glued = ''] = letters?.exec(word) ?? [];
    const isFlag = others !== '' || word === `--${flag}` || word.startsWith(`--${flag}=`);
    if (!isFlag) kept.push(word);
    else if (others.length > 1) kept.push(others);
    if (isFlag && glued === '' && !word.includes('=')) at += 1;
  }
  return [...kept, ...argv.slice(before.length)];
}
