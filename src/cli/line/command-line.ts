import { beforeDashes, readLine, tableOf } from './argv.js';
import { shellWord } from '../../core/shell-word.js';

/** A command of this tool as a person would type it into a shell, for hints. */
export const commandLine = (argv: readonly string[]): string => ['cdapctl', ...argv].map(shellWord).join(' ');

/** A command line with more flags: where flags still count, which is before a `--`. */
export function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const words = beforeDashes(argv);
  return [...words, ...flags, ...argv.slice(words.length)];
}

/** A flag as it is read from a line. */
export interface KnownFlag {
  readonly type: 'option' | 'boolean';
  readonly char?: string | undefined;
}

const NAMESPACE: ReadonlyMap<string, KnownFlag> = new Map([['namespace', { type: 'option', char: 'n' }]]);

/** The flags of `flags/connection.ts` but the namespace. Loads nothing that defines flags; a test compares them. */
export const CONNECTION: ReadonlyMap<string, KnownFlag> = new Map<string, KnownFlag>([
  ['url', { type: 'option', char: 'u' }],
  ['token-file', { type: 'option', char: 'a' }],
  ['token-command', { type: 'option' }],
  ['context', { type: 'option' }],
  ['ca-file', { type: 'option' }],
  ['proxy', { type: 'option' }],
  ['insecure-skip-tls-verify', { type: 'boolean' }],
  ['allow-http-token', { type: 'boolean' }],
  ['retries', { type: 'option' }],
  ['connect-timeout', { type: 'option' }],
  ['request-timeout', { type: 'option' }],
]);

/** Commands without a platform, what is said of a hub by its name, and the help of any. */
const ALONE =
  /^(?:context|emulator|schema|version|help|logout|complet(?:e|ion)|report fields|hub (?:add|build|init|key generate|pack|remove|serve|sources)|config (?:path|set|unset))\b|^hub key .* --hub | --help\b/u;
/** Commands to which the namespace of a line says nothing, or that find the namespaces themselves. */
const ALL_NAMESPACES =
  /^(?:api|hub|config|namespace|report (?:delete|download|list|save|service|share|show|wait)|upgrade (?:history|rollback))\b| --(?:journal|from)\b/u;

interface NamedFlag {
  readonly name: string;
  readonly words: readonly string[];
}

function flagsOf(argv: readonly string[], flags: ReadonlyMap<string, KnownFlag>): readonly NamedFlag[] {
  return readLine(argv, tableOf(Object.fromEntries(flags))).flags.flatMap(({ flag, words }) => {
    const found = [...flags].find(([name, { char }]) => flag === `--${name}` || flag === `-${char ?? '-'}`);
    return found === undefined ? [] : [{ name: found[0], words }];
  });
}

/** The words of a command line that belong to some flags, their values included. */
export const wordsOf = (argv: readonly string[], flags: ReadonlyMap<string, KnownFlag>): readonly string[] =>
  flagsOf(argv, flags).flatMap(({ words }) => words);

/** The words of a command line that connect to the platform. Commands in hints repeat them. */
export const connectionWords = (argv: readonly string[]): readonly string[] => wordsOf(argv, CONNECTION);

/** A command at the end of a hint, or before a remark that is set apart. */
const COMMAND = /^(|.*?(?::\s+|\btry ))cdapctl ([a-z].*?)( {2,}# .*)?$/su;

/**
 * Completes the command in a hint with platform and namespace of a line. Pasted, it acts where the line did; one that
 * names a platform stays as it is.
 */
export function hintsAt(argv: readonly string[]): (hint: string) => string {
  const connection = flagsOf(argv, CONNECTION);
  const namespace = flagsOf(argv, NAMESPACE).slice(-1);
  const placed = (hint: string): string => {
    const [, before = '', command, remark = ''] = COMMAND.exec(hint) ?? [];
    if (command === undefined || ALONE.test(command)) return hint;
    const has = (flag: RegExp): boolean => flag.test(` ${command}`);
    if (has(/ (?:-u|--url|--context)\b/u)) return hint;
    const isPlaced = has(/ (?:-n|--namespace|-A|--all-namespaces)\b/u) || ALL_NAMESPACES.test(command);
    const added = [...connection, ...(isPlaced ? [] : namespace)].filter(
      ({ name, words: [first = ''] }) =>
        !has(new RegExp(` ${first.startsWith('--') ? `--${name}` : first.slice(0, 2)}\\b`, 'u')),
    );
    const flags = added.flatMap(({ words }) => words).map(shellWord);
    return `${before}${['cdapctl', command, ...flags].join(' ')}${remark}`;
  };
  if (connection.length + namespace.length === 0) return (text) => text;
  // A warning may end with several; what is quoted may have such an end inside.
  return (text) => (text.includes("'") ? placed(text) : text.split('; ').map(placed).join('; '));
}
