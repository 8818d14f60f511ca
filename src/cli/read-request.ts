import { CliError } from '../core/errors.js';
import { visible } from '../output/escape.js';
import {
  asksForHelp,
  commandOf,
  flagsApart,
  type FlagTable,
  isTopic,
  asksForVersion,
  isVersion,
  versionValue,
  readLine,
  type ReadLine,
  type Request,
  withLongNames,
} from './line/argv.js';
import { unknownFlags } from './errors.js';
import type { LineRules } from './line/flag-tables.js';
import { commandsOf, meantCommands, unknownCommand } from './line/suggest.js';

type Rules = ReadonlyMap<string, LineRules>;

const OF_ALL = ['--help', '-h', '--version', '-V'];
const MACHINE = ['--json', '--output', '-o'];

/**
 * Finds out what a line asks for whose flags stand anywhere.
 * @throws USAGE for what is neither a command nor a group of commands
 */
export function readRequest(argv: readonly string[], ids: readonly string[], rules: Rules): Request {
  const all = mergedTable(rules);
  const found = findCommand(argv, ids, rules, all);
  if (found !== undefined) return commandRequest(argv, ids, found, rules);
  const line = readLine(argv, all);
  const words = line.words.map(({ text }) => text);
  if (words[0] === 'help') return helpRequest(words.slice(1), line, all);
  if (asksForHelp(argv)) return { kind: 'help', words };
  refuseUnknownFlags(line, all);
  const isPlain = !line.flags.some(({ flag }) => MACHINE.includes(flag));
  // Behind `--` it asks for nothing, even if that is the value of another flag.
  const isVersionAsked = line.flags.some(({ flag }) => isVersion(flag)) && asksForVersion(argv);
  if (isVersionAsked && (isPlain || words.length > 0)) return { kind: 'version' };
  if (isVersionAsked) return { kind: 'command', id: 'version', argv: argv.filter((word) => !isVersion(word)) };
  if (words.length > 0 && !isTopic(words, ids)) throw unknownCommand(words, ids);
  if (words.length === 0) throw new CliError('USAGE', 'no command specified', { hints: ['cdapctl help'] });
  throw new CliError('USAGE', `"cdapctl ${words.join(' ')}" needs a command`, commandsOf(words, ids));
}

/** A line with its short flags apart, by the flags of its command; by those of all where it has none. */
export function withFlagsApart(argv: readonly string[], ids: readonly string[], rules: Rules): readonly string[] {
  const all = mergedTable(rules);
  const id = findCommand(argv, ids, rules, all)?.id ?? '';
  return flagsApart(argv, rules.get(id)?.flags ?? all);
}

function mergedTable(rules: Rules): FlagTable {
  const all = new Map<string, boolean>();
  for (const { flags } of rules.values())
    for (const [flag, takesNext] of flags) all.set(flag, takesNext || all.get(flag) === true);
  return all;
}

/** The command whose words a line has, read with the flags of that very command; the longest one. */
function findCommand(
  argv: readonly string[],
  ids: readonly string[],
  rules: Rules,
  all: FlagTable,
): { readonly id: string; readonly line: ReadLine } | undefined {
  const depth = (id: string): number => id.split(':').length;
  const said = new Set(withLongNames(argv));
  const possible = ids.filter((id) => id.split(':').every((word) => said.has(word)));
  for (const id of possible.sort((one, other) => depth(other) - depth(one))) {
    const line = readLine(argv, new Map([...all, ...(rules.get(id)?.flags ?? [])]));
    const words = line.words.map(({ text }) => text);
    if (commandOf(words, [id]) === id) return { id, line };
  }
  return undefined;
}

function commandRequest(
  argv: readonly string[],
  ids: readonly string[],
  { id, line }: { readonly id: string; readonly line: ReadLine },
  rules: Rules,
): Request {
  const path = id.split(':');
  const own = new Set(line.words.slice(0, path.length).map(({ at }) => at));
  if (asksForHelp(argv)) return { kind: 'help', words: path };
  const value = versionValue(argv);
  if (value !== undefined && !own.has(value)) throw versionMeant(path, rules.get(id));
  if (asksForVersion(argv)) return { kind: 'version' };
  const [extra] = line.words.slice(path.length);
  const { takesArguments, flags } = rules.get(id) ?? {};
  const before = extra === undefined ? undefined : argv[extra.at - 1];
  const isAfterUnknownFlag = /^--?[^-=][^=]*$/u.test(before ?? '') && flags?.has(before ?? '') === false;
  // Of a command that is a group, too: a word behind it can only be a wrong name of one in the group.
  if (extra !== undefined && isTopic(path, ids) && takesArguments === false && !isAfterUnknownFlag)
    throw new CliError(
      'USAGE',
      `unexpected argument "${visible(extra.text)}"`,
      meantCommands([...path, extra.text], ids),
    );
  return { kind: 'command', id, argv: argv.filter((_, at) => !own.has(at)) };
}

/** The error for a version of something else behind the flag that shows that of the tool. */
function versionMeant(path: readonly string[], rules: LineRules | undefined): CliError {
  const flags = [...(rules?.flags ?? [])].filter(([flag, takesNext]) => takesNext && flag.endsWith('-version'));
  const hints = [
    ...(rules?.takesPackages === true ? ['NAME@VERSION is a version of a package'] : []),
    ...flags.map(([flag]) => `Did you mean ${flag}?`),
  ];
  return new CliError('USAGE', '--version takes no value: it shows the version of cdapctl', {
    hints: hints.length > 0 ? hints : [`cdapctl ${path.join(' ')} --help`],
  });
}

/** Help is text for people: a line that wants it as a document is refused. */
function helpRequest(words: readonly string[], line: ReadLine, all: FlagTable): Request {
  refuseUnknownFlags(line, all);
  const machine = line.flags.map(({ flag }) => flag).find((flag) => MACHINE.includes(flag));
  if (machine !== undefined)
    throw new CliError('USAGE', `help does not support ${machine}`, { hints: ['cdapctl schema'] });
  return { kind: 'help', words };
}

function refuseUnknownFlags({ flags }: ReadLine, all: FlagTable): void {
  const unknown = flags.map(({ flag }) => flag).find((flag) => !all.has(flag) && !OF_ALL.includes(flag));
  if (unknown === undefined) return;
  throw unknownFlags(
    [unknown.slice(0, 60)],
    ['version', ...[...all.keys()].filter((flag) => flag.startsWith('--')).map((flag) => flag.slice(2))],
  );
}
