import { isFormat, type Format } from '../../output/format.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags by how they are written (`--name`, `-n`); true for those whose value is the next word. */
export type FlagTable = ReadonlyMap<string, boolean>;

/** How a command defines a flag, as far as reading a line needs it. */
interface FlagShape {
  readonly type: string;
  readonly char?: string | undefined;
  readonly allowNo?: boolean | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
}

/** The table of flags that are given by name. One with an optional value has it behind `=` only. */
export function tableOf(flags: Readonly<Record<string, FlagShape>>): FlagTable {
  const table = new Map<string, boolean>();
  for (const [name, { type, char, allowNo, helpValue }] of Object.entries(flags)) {
    const takesNext = type === 'option' && !(typeof helpValue === 'string' && helpValue.startsWith('[='));
    table.set(`--${name}`, takesNext);
    if (char !== undefined) table.set(`-${char}`, takesNext);
    if (allowNo === true) table.set(`--no-${name}`, false);
  }
  return table;
}

/** A flag on a line. */
export interface GivenFlag {
  /** How it is written, without its value. */
  readonly flag: string;
  /** Its words, the value included, and the place of the first. */
  readonly words: readonly string[];
  readonly at: number;
}

/** A command line, read as far as it tells words, flags and their values apart. */
export interface ReadLine {
  /** What is neither a flag nor the value of one, with its place on the line. */
  readonly words: readonly { readonly text: string; readonly at: number }[];
  readonly flags: readonly GivenFlag[];
  /** What stands behind a `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
}

const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-' && !/^-\d/u.test(word);

/**
 * The flags in a word that begins with `-`. One long flag, or letters in a group up to the first that takes a value.
 */
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
  const flags: GivenFlag[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const text = argv[at] ?? '';
    if (text === '--') return { words, flags, rest: argv.slice(at + 1) };
    if (!isFlag(text)) {
      words.push({ text, at });
      continue;
    }
    const found = flagsIn(text, table);
    // A flag is never the value of another one.
    const next = argv[at + 1];
    const hasValue = found.isOpen && next !== undefined && !table.has(next.startsWith('--') ? next : next.slice(0, 2));
    const given = hasValue ? [text, next] : [text];
    flags.push(...found.flags.map((flag) => ({ flag, words: given, at })));
    at += given.length - 1;
  }
  return { words, flags, rest: undefined };
}

/**
 * A line with each short flag in a word of its own, and its value in the next. `-qojson` becomes `-q -o json`. A value
 * that looks like a flag stays where it is, and so does a word with an unknown letter.
 */
export function flagsApart(argv: readonly string[], table: FlagTable): readonly string[] {
  const before = beforeDashes(argv);
  return [...before.flatMap((word) => lettersApart(word, table)), ...argv.slice(before.length)];
}

/** Whether a line has letters or a value glued to a short flag. */
export const hasGluedFlags = (argv: readonly string[]): boolean => beforeDashes(argv).some(isGlued);

const isGlued = (word: string): boolean => /^-[^-\d]./su.test(word);

function lettersApart(word: string, table: FlagTable): readonly string[] {
  const { flags } = isGlued(word) ? flagsIn(word, table) : { flags: [] };
  if (flags.length === 0 || flags.some((flag) => !table.has(flag))) return [word];
  const rest = word.slice(flags.length + 1);
  if (rest === '') return flags;
  const value = rest.replace(/^=/u, '');
  return value === '' || isFlag(value) || /^-\d/u.test(value)
    ? [...flags.slice(0, -1), `${flags.at(-1) ?? ''}${rest}`]
    : [...flags, value];
}

/** Whether a variable that means yes or no means no. */
export const isOff = (value: string): boolean => /^(?:0|false|n|no|off)?$/iu.test(value);

/** The words of a line among which flags count: those before a `--`. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Whether a variable that means yes or no means yes. */
export function isOn(value: string | undefined): boolean {
  return /^(?:1|true|y|yes|on)$/iu.test(value ?? '');
}

/**
 * Finds the output format of a command line without parsing it; its flags are apart (`flagsApart`). An invalid line
 * then still fails in the requested format. `--json` wins.
 */
export function formatOf(argv: readonly string[], env: Environment): Format {
  const words = beforeDashes(argv);
  if (words.some((word) => word === '--json' || word.startsWith('--json='))) return 'json';
  const found = words.map((word, at) => outputOf(word, words[at + 1])).findLast(isFormat);
  if (found !== undefined) return found;
  if (isOn(env['CDAPCTL_JSON'])) return 'json';
  const fromEnvironment = env['CDAPCTL_OUTPUT'];
  return isFormat(fromEnvironment) ? fromEnvironment : 'table';
}

const OUTPUT = /^(?:--output(?:=|$)|-o=?)(.*)$/su;

function outputOf(word: string, next: string | undefined): string | undefined {
  const value = OUTPUT.exec(word)?.[1];
  return value === '' ? next : value;
}

/** How much a command line wants to be said, found without parsing it. */
export interface Verbosity {
  /** Only the result, warnings and errors. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
}

/** How much is said; what is debugged is told at length, too. */
export function verbosityOf(argv: readonly string[], env: Environment): Verbosity {
  const words = beforeDashes(argv);
  const debug = words.includes('--debug') || isOn(env['CDAPCTL_DEBUG']);
  return {
    quiet: words.includes('--quiet') || words.includes('-q') || isOn(env['CDAPCTL_QUIET']),
    verbose: debug || words.includes('--verbose') || words.includes('-v') || isOn(env['CDAPCTL_VERBOSE']),
    debug,
  };
}

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'command'; readonly id: string; readonly argv: string[] }
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' };

const ALIASES = new Map([
  ['ls', ['list']],
  ['rm', ['delete', 'remove']],
]);

/**
 * What a plain line asks for: one whose command stands before all flags. Undefined: the line must be read with the
 * flags of the commands.
 */
export function plainRequest(argv: readonly string[], ids: readonly string[]): Request | undefined {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  if (argv.length === 0) return { kind: 'help', words: [] };
  if (argv.length === 1 && asksForVersion(argv)) return { kind: 'version' };
  if (end === -1 && words[0] === 'help') return { kind: 'help', words: words.slice(1) };
  const id = commandOf(words, ids);
  if (id === undefined) return end === -1 && isTopic(words, ids) ? { kind: 'help', words } : undefined;
  if (asksForHelp(argv)) return { kind: 'help', words: id.split(':') };
  if (versionValue(argv) !== undefined) return undefined;
  if (asksForVersion(argv)) return { kind: 'version' };
  const rest = argv.slice(id.split(':').length);
  const mayGoOn = isTopic(id.split(':'), ids) && rest.some((word) => !word.startsWith('-'));
  return mayGoOn ? undefined : { kind: 'command', id, argv: rest };
}

/** Whether a flag asks for the version. */
export const isVersion = (word: string | undefined): boolean => word === '--version' || word === '-V';

/** Whether a line asks for the version, which wins over all but help. */
export const asksForVersion = (argv: readonly string[]): boolean => beforeDashes(argv).some(isVersion);

/** Where a line has a value for `--version`, which takes none; undefined where it has none. */
export function versionValue(argv: readonly string[]): number | undefined {
  const words = beforeDashes(argv);
  const at = words.findIndex((word, place) => isVersion(word) && !isFlag(words[place + 1] ?? '-x'));
  if (at !== -1) return at + 1;
  const joined = words.findIndex((word) => word.startsWith('--version='));
  return joined === -1 ? undefined : joined;
}

/** Whether a line asks for help, which wins over everything else on it. */
export function asksForHelp(argv: readonly string[]): boolean {
  return beforeDashes(argv).some((word) => word === '--help' || word === '-h');
}

/** Whether words name a group of commands. */
export function isTopic(words: readonly string[], ids: readonly string[]): boolean {
  return words.length > 0 && ids.some((id) => id.startsWith(`${words.join(':')}:`));
}

/** Words, and what those that are short names stand for. */
export const withLongNames = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => [word, ...(ALIASES.get(word) ?? [])]);

/** The command that words begin with, the longest one; short names of commands count. */
export function commandOf(words: readonly string[], ids: readonly string[]): string | undefined {
  const fits = (id: string): boolean =>
    id.split(':').every((part, at) => part === words[at] || ALIASES.get(words[at] ?? '')?.includes(part) === true);
  return ids.filter(fits).sort((one, other) => other.split(':').length - one.split(':').length)[0];
}
