import { PIPELINE_STATUSES, RUN_STATUSES } from '../../flags/pipeline.js';
import { HELP_TOPICS } from '../../output/help-topics.js';
import { FILE_SETTINGS } from '../settings/config-names.js';

/** A flag as completion sees it. */
export interface KnownFlag {
  readonly type: string;
  readonly char?: string | undefined;
  readonly allowNo?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly delimiter?: string | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
  readonly options?: readonly string[] | undefined;
}

/** A command as completion sees it. */
export interface KnownCommand {
  readonly hidden?: boolean | undefined;
  readonly flags: Readonly<Record<string, KnownFlag>>;
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] | undefined }>>;
}

/** The commands by id. */
export type KnownCommands = Readonly<Record<string, KnownCommand>>;

/** What may stand in the place of a word. Names have to be looked up, in part at the platform. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'fields'; readonly id: string }
  | {
      readonly kind: 'names';
      readonly of: NameKind;
      readonly pipeline?: string | undefined;
      /** The level of keys: of the command, or what `--level` has on the line. */
      readonly level?: string | undefined;
    };

/** Things whose names can be completed. The last two are those of one pipeline. */
export type NameKind =
  'context' | 'hub' | 'namespace' | 'pipeline' | 'package' | 'setting' | 'key' | 'run' | 'argument';

/** A word that is being typed. */
export interface TypedWord {
  readonly wanted: Wanted;
  /** What has been typed of the value, or of the last of several. */
  readonly typed: string;
  /** The values before it with their commas: `FAILED,`. */
  readonly others: string;
  /** What stands before the value in the same word: `--context=`. */
  readonly before: string;
}

const NAMES: Readonly<Record<string, NameKind>> = {
  context: 'context',
  confirm: 'context',
  hub: 'hub',
  namespace: 'namespace',
  pipeline: 'pipeline',
  exclude: 'pipeline',
  package: 'package',
  run: 'run',
  like: 'run',
};
/** What flags and arguments of some commands take. */
const OF_COMMANDS: Readonly<Record<string, Wanted>> = {
  'args:set --set': { kind: 'names', of: 'argument' },
  'args:unset --key': { kind: 'names', of: 'key', level: 'program' },
  'config:get name': { kind: 'names', of: 'setting' },
  'config:set name': { kind: 'words', words: FILE_SETTINGS },
  'config:unset name': { kind: 'words', words: FILE_SETTINGS },
  'pipeline:list --status': { kind: 'words', words: PIPELINE_STATUSES },
  'pipeline:runs --status': { kind: 'words', words: RUN_STATUSES },
  'pipeline:start --set': { kind: 'names', of: 'argument' },
  'preferences:unset --key': { kind: 'names', of: 'key' },
};
const FILES = /(?:^|=)(?:FILE|DIR|PATH)$/u;
const NOTHING: Wanted = { kind: 'words', words: [] };

function valuesOf(id: string, name: string, flag: KnownFlag): Wanted {
  const own = OF_COMMANDS[`${id} --${name}`];
  if (own !== undefined) return own;
  if (name === 'fields') return { kind: 'fields', id };
  if (flag.options !== undefined) return { kind: 'words', words: flag.options };
  if (typeof flag.helpValue === 'string' && FILES.test(flag.helpValue)) return { kind: 'files' };
  const of = NAMES[name];
  return of === undefined ? NOTHING : { kind: 'names', of };
}

function argumentAt(id: string, { args }: KnownCommand, at: number): Wanted {
  const [name, arg] = Object.entries(args)[at] ?? [];
  if (name === undefined || arg === undefined) return NOTHING;
  const own = OF_COMMANDS[`${id} ${name}`];
  if (own !== undefined) return own;
  if (arg.options !== undefined) return { kind: 'words', words: arg.options };
  if (name === 'file' || name === 'journal') return { kind: 'files' };
  const topic = id.split(':')[0];
  const of = name === 'name' && at === 0 ? (topic === 'context' || topic === 'hub' ? topic : undefined) : NAMES[name];
  return of === undefined ? NOTHING : { kind: 'names', of };
}

const takesNext = ({ type, helpValue }: KnownFlag): boolean =>
  type === 'option' && !(typeof helpValue === 'string' && helpValue.startsWith('[='));

function flagOf(word: string, { flags }: KnownCommand): readonly [string, KnownFlag] | undefined {
  const found = Object.entries(flags).find(([name, { char }]) => word === `--${name}` || word === `-${char ?? ''}`);
  return found?.[1].hidden === true ? undefined : found;
}

function flagWords({ flags }: KnownCommand): readonly string[] {
  return Object.entries(flags).flatMap(([name, { allowNo, hidden }]) =>
    hidden === true ? [] : [`--${name}`, ...(allowNo === true ? [`--no-${name}`] : [])],
  );
}

/** The words that may follow the words of a group of commands. */
function commandWords(words: readonly string[], commands: KnownCommands): readonly string[] {
  const ids = Object.entries(commands).flatMap(([id, { hidden }]) => (hidden === true ? [] : [id.split(':')]));
  const below = ids.filter((id) => words.every((word, at) => id[at] === word));
  return [...new Set(below.flatMap((id) => id[words.length] ?? []))].sort();
}

/** What may follow `help` and some words. */
const helpWords = (words: readonly string[], commands: KnownCommands): readonly string[] => [
  ...commandWords(words, commands),
  ...(words.length === 0 ? ['flags', ...Object.keys(HELP_TOPICS)] : []),
];

/** The command that words begin with, and how many of them name it. */
function commandIn(words: readonly string[], commands: KnownCommands): readonly [id: string, KnownCommand] | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const id = words.slice(0, count).join(':');
    const command = Object.hasOwn(commands, id) ? commands[id] : undefined;
    if (command !== undefined) return [id, command];
  }
  return undefined;
}

/** What may stand in the place of the last word of a line. */
export function wantedAt(line: readonly string[], commands: KnownCommands): TypedWord {
  const before = line.slice(0, -1);
  const typed = line.at(-1) ?? '';
  const plain = (wanted: Wanted): TypedWord => ({ wanted, typed, others: '', before: '' });
  if (before[0] === 'help') return plain({ kind: 'words', words: helpWords(before.slice(1), commands) });
  const found = commandIn(before, commands);
  if (found === undefined)
    return plain({
      kind: 'words',
      words: [...commandWords(before, commands), ...(before.length === 0 ? ['help'] : [])],
    });
  const [id, command] = found;
  const rest = before.slice(id.split(':').length);
  const isValue = (at: number): boolean => {
    const flag = flagOf(rest[at - 1] ?? '', command);
    return flag !== undefined && takesNext(flag[1]);
  };
  const values = rest.filter((word, at) => !word.startsWith('-') && !isValue(at));
  const of = (wanted: Wanted): Wanted =>
    wanted.kind === 'names' ? { level: givenOn(line, 'level'), ...wanted, pipeline: values[0] } : wanted;
  const valueOf = ([name, flag]: readonly [string, KnownFlag], text: string, before: string): TypedWord => {
    const isList = flag.delimiter === ',' || name === 'fields';
    const at = isList ? text.lastIndexOf(',') + 1 : 0;
    return { wanted: of(valuesOf(id, name, flag)), typed: text.slice(at), others: text.slice(0, at), before };
  };
  const [, name = '', value = ''] = /^(--[\w-]+)=(.*)$/su.exec(typed) ?? [];
  const glued = flagOf(name, command);
  if (glued !== undefined) return valueOf(glued, value, `${name}=`);
  if (rest.includes('--')) return plain(NOTHING);
  const last = flagOf(rest.at(-1) ?? '', command);
  if (last !== undefined && takesNext(last[1])) return valueOf(last, typed, '');
  if (typed.startsWith('-')) return plain({ kind: 'words', words: flagWords(command) });
  const below = values.length === 0 ? commandWords(id.split(':'), commands) : [];
  return plain(
    below.length > 0 && Object.keys(command.args).length === 0
      ? { kind: 'words', words: below }
      : of(argumentAt(id, command, values.length)),
  );
}

/** The value of a flag that stands on a line before its last word. */
export function givenOn(line: readonly string[], name: string, char?: string): string | undefined {
  const words = line.slice(0, -1);
  for (const [at, word] of words.entries()) {
    if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3);
    if (word === `--${name}` || (char !== undefined && word === `-${char}`)) return words[at + 1];
  }
  return undefined;
}

/** Puts together what a shell takes apart at `=`: `--context`, `=`, `prod`. */
export function joined(line: readonly string[]): { readonly words: readonly string[]; readonly isSplit: boolean } {
  const words: string[] = [];
  let isSplit = false;
  for (const [at, word] of line.entries()) {
    const isEquals = word === '=' && (words.at(-1) ?? '').startsWith('--');
    const follows = line[at - 1] === '=' && (words.at(-1) ?? '').endsWith('=');
    if (isEquals || follows) words.push(`${words.pop() ?? ''}${word}`);
    else words.push(word);
    isSplit = isEquals || follows;
  }
  return { words, isSplit };
}
