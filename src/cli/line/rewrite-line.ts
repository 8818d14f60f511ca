import { commandOf, readLine, tableOf } from './argv.js';
import { withFlags, type KnownFlag } from './command-line.js';
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
  return withFlags(withoutFlags(argv, { [flag]: { type: 'option', char } }), [`--${flag}`, value]);
}

/** The line without some flags and their values. */
export function withoutFlags(argv: readonly string[], flags: Readonly<Record<string, KnownFlag>>): readonly string[] {
  const table = tableOf(flags);
  const given = readLine(argv, table).flags.filter(({ flag }) => table.has(flag));
  const gone = new Set(given.flatMap(({ at, words }) => words.map((_, place) => at + place)));
  return argv.filter((_, at) => !gone.has(at));
}
