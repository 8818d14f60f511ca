/** Flags by how they are written (`--name`, `-n`); true for those whose value is the next word. */
export type FlagTable = ReadonlyMap<string, boolean>;

/** A command line, read as far as it tells words, flags and their values apart. */
export interface ReadLine {
  /** What is neither a flag nor the value of one, with its place on the line. */
  readonly words: readonly { readonly text: string; readonly at: number }[];
  /** The flags, without their values. */
  readonly flags: readonly string[];
  /** What stands behind a `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
}

const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-' && !/^-\d/u.test(word);

/** The flags in a word that begins with `-`: one long one, or letters that stand together up to one with a value. */
function flagsIn(word: string, table: FlagTable): { readonly flags: readonly string[]; readonly isOpen: boolean } {
  if (word.startsWith('--')) {
    const name = word.replace(/=.*$/su, '');
    return { flags: [name], isOpen: name === word && table.get(name) === true };
  }
  const flags: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = `-${word.charAt(at)}`;
    flags.push(flag);
    if (table.get(flag) !== false) return { flags, isOpen: table.get(flag) === true && at === word.length - 1 };
  }
  return { flags, isOpen: false };
}

/** Reads a line by a table of flags; an unknown flag has no value. */
export function readLine(argv: readonly string[], table: FlagTable): ReadLine {
  const words: { text: string; at: number }[] = [];
  const flags: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const text = argv[at] ?? '';
    if (text === '--') return { words, flags, rest: argv.slice(at + 1) };
    if (!isFlag(text)) {
      words.push({ text, at });
      continue;
    }
    const found = flagsIn(text, table);
    flags.push(...found.flags);
    // A flag is never the value of another one.
    const next = argv[at + 1] ?? '';
    const isValue = !table.has(next.startsWith('--') ? next : next.slice(0, 2));
    if (found.isOpen && isValue) at += 1;
  }
  return { words, flags, rest: undefined };
}
