import { CliError } from '../core/errors.js';
import { closest } from '../core/closest.js';
import { visible } from '../output/escape.js';
import type { BaseCommand } from './base-command.js';
import type { Session } from './session.js';

/** A command class that can be started. */
export type CommandClass = (new (...args: ConstructorParameters<typeof BaseCommand>) => BaseCommand) &
  Pick<
    typeof BaseCommand,
    | 'start'
    | 'args'
    | 'flags'
    | 'baseFlags'
    | 'summary'
    | 'description'
    | 'examples'
    | 'failures'
    | 'requests'
    | 'seeAlso'
    | 'id'
  >;

/** The commands by id (`hub:list`): made by the build from the files under `src/commands`. */
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'command'; readonly id: string; readonly argv: string[] }
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' };

const ALIASES: Readonly<Record<string, string>> = { ls: 'list', rm: 'delete', prefs: 'preferences' };

/** Finds out what a line asks for, by words alone; unknown commands are USAGE with the nearest one. */
export function requestOf(argv: readonly string[], ids: readonly string[]): Request {
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  const words = leadingWords(argv);
  const { id, used } = commandOf(words, ids);
  if (before.some((word) => word === '--help' || word === '-h'))
    return { kind: 'help', words: id === undefined ? words : id.split(':') };
  if (words[0] === 'help') return { kind: 'help', words: words.slice(1) };
  if (id !== undefined) return { kind: 'command', id, argv: argv.slice(used) };
  if (before[0] === '--version' || before[0] === '-V') return { kind: 'version' };
  if (argv.length === 0 || isTopic(words, ids)) return { kind: 'help', words };
  throw words.length === 0
    ? new CliError('USAGE', 'a command must come first', { hints: ['cdapctl help'] })
    : unknownCommand(words, ids);
}

/** Whether words name a group of commands. */
export function isTopic(words: readonly string[], ids: readonly string[]): boolean {
  return words.length > 0 && ids.some((id) => id.startsWith(`${words.join(':')}:`));
}

/** The error for words that name nothing. */
export function unknownCommand(words: readonly string[], ids: readonly string[]): CliError {
  const known = ids.map((id) => id.replaceAll(':', ' '));
  const depth = isTopic(words.slice(0, 1), ids) ? 2 : 1;
  const said = words.slice(0, depth).join(' ');
  const heads = [...new Set(known.map((id) => id.split(' ').slice(0, depth).join(' ')))];
  const head = closest(said, heads) ?? known.find((id) => id.endsWith(` ${said}`));
  const whole = [head, ...words.slice(depth, depth + 1)].join(' ');
  const near = known.includes(whole) ? whole : head;
  return new CliError('USAGE', `unknown command "${visible(said)}"`, {
    hints: near === undefined ? ['cdapctl help'] : [`Did you mean "cdapctl ${near}"?`],
  });
}

/** Loads the class of a command and oclif's configuration, and runs it. */
export async function runCommand(id: string, argv: string[], table: CommandTable, session: Session): Promise<void> {
  const load = table[id];
  if (load === undefined) throw unknownCommand(id.split(':'), Object.keys(table));
  const [{ default: command }, { loadConfig }] = await Promise.all([load(), import('./config.js')]);
  command.id = id;
  await command.start(argv, await loadConfig(session.build), session);
}

function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  return [...(end === -1 ? argv : argv.slice(0, end))];
}

function commandOf(words: readonly string[], ids: readonly string[]): { id: string | undefined; used: number } {
  for (let used = Math.min(words.length, 4); used > 0; used -= 1) {
    const id = words.slice(0, used).join(':');
    if (ids.includes(id)) return { id, used };
    const real = words
      .slice(0, used)
      .map((word) => ALIASES[word] ?? word)
      .join(':');
    if (ids.includes(real)) return { id: real, used };
  }
  return { id: undefined, used: 0 };
}
