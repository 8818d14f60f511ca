import { CliError } from '../core/errors.js';
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
    | 'changes'
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

const ALIASES = new Map([
  ['ls', ['list']],
  ['rm', ['delete', 'remove']],
]);

/** What a plain line asks for: one whose command stands before all flags. Undefined: the line must be read with the flags of the commands. */
export function plainRequest(argv: readonly string[], ids: readonly string[]): Request | undefined {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end === -1 ? argv : argv.slice(0, end);
  if (argv.length === 0) return { kind: 'help', words: [] };
  if (argv.length === 1 && isVersion(argv[0])) return { kind: 'version' };
  if (end === -1 && words[0] === 'help') return { kind: 'help', words: words.slice(1) };
  const id = commandOf(words, ids);
  if (id === undefined) return end === -1 && isTopic(words, ids) ? { kind: 'help', words } : undefined;
  if (asksForHelp(argv)) return { kind: 'help', words: id.split(':') };
  const rest = argv.slice(id.split(':').length);
  const mayGoOn = isTopic(id.split(':'), ids) && rest.some((word) => !word.startsWith('-'));
  return mayGoOn ? undefined : { kind: 'command', id, argv: rest };
}

/** Whether a flag asks for the version. */
export const isVersion = (word: string | undefined): boolean => word === '--version' || word === '-V';

/** Whether a line asks for help, which wins over everything else on it. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

/** Whether words name a group of commands. */
export function isTopic(words: readonly string[], ids: readonly string[]): boolean {
  return words.length > 0 && ids.some((id) => id.startsWith(`${words.join(':')}:`));
}

/** The command that words begin with, the longest one; short names of commands count. */
export function commandOf(words: readonly string[], ids: readonly string[]): string | undefined {
  const fits = (id: string): boolean =>
    id.split(':').every((part, at) => part === words[at] || ALIASES.get(words[at] ?? '')?.includes(part) === true);
  return ids.filter(fits).sort((one, other) => other.split(':').length - one.split(':').length)[0];
}

/** Loads the class of a command and oclif's configuration, and runs it. */
export async function runCommand(id: string, argv: string[], table: CommandTable, session: Session): Promise<void> {
  const load = table[id];
  if (load === undefined) throw new CliError('INTERNAL', `there is no command ${id}`);
  const [{ default: command }, { loadConfig }] = await Promise.all([load(), import('./config.js')]);
  command.id = id;
  await command.start(argv, await loadConfig(session.build), session);
}
