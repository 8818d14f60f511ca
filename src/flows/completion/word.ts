/** A flag as completion sees it. */
export interface KnownFlag {
  readonly type: string;
  readonly char?: string | undefined;
  readonly allowNo?: boolean | undefined;
  readonly hidden?: boolean | undefined;
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

/** What may stand in the place of a word: one of these, a file, or a name that has to be looked up. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'names'; readonly of: NameKind };

/** Things whose names can be completed. */
export type NameKind = 'context' | 'hub' | 'namespace' | 'pipeline' | 'package';

/** A word that is being typed. */
export interface TypedWord {
  readonly wanted: Wanted;
  /** What has been typed of the value. */
  readonly typed: string;
  /** What stands before the value in the same word: `--context=`. */
  readonly before: string;
}

const NAMES: Readonly<Record<string, NameKind>> = {
  context: 'context',
  confirm: 'context',
  hub: 'hub',
  namespace: 'namespace',
  pipeline: 'pipeline',
  match: 'pipeline',
  exclude: 'pipeline',
  package: 'package',
};
const FILES = /(?:^|=)(?:FILE|DIR|PATH)$/u;
const NOTHING: Wanted = { kind: 'words', words: [] };

function valuesOf(name: string, flag: KnownFlag): Wanted {
  if (flag.options !== undefined) return { kind: 'words', words: flag.options };
  if (typeof flag.helpValue === 'string' && FILES.test(flag.helpValue)) return { kind: 'files' };
  const of = NAMES[name];
  return of === undefined ? NOTHING : { kind: 'names', of };
}

function argumentAt(id: string, { args }: KnownCommand, at: number): Wanted {
  const [name, arg] = Object.entries(args)[at] ?? [];
  if (name === undefined || arg === undefined) return NOTHING;
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
  const plain = (wanted: Wanted): TypedWord => ({ wanted, typed, before: '' });
  const found = commandIn(before, commands);
  if (found === undefined) return plain({ kind: 'words', words: commandWords(before, commands) });
  const [id, command] = found;
  const rest = before.slice(id.split(':').length);
  const [, name = '', value = ''] = /^(--[\w-]+)=(.*)$/su.exec(typed) ?? [];
  const glued = flagOf(name, command);
  if (glued !== undefined) return { wanted: valuesOf(...glued), typed: value, before: `${name}=` };
  if (rest.includes('--')) return plain(NOTHING);
  const last = flagOf(rest.at(-1) ?? '', command);
  if (last !== undefined && takesNext(last[1])) return plain(valuesOf(...last));
  if (typed.startsWith('-')) return plain({ kind: 'words', words: flagWords(command) });
  const isValue = (at: number): boolean => {
    const flag = flagOf(rest[at - 1] ?? '', command);
    return flag !== undefined && takesNext(flag[1]);
  };
  const position = rest.filter((word, at) => !word.startsWith('-') && !isValue(at)).length;
  const below = position === 0 ? commandWords(id.split(':'), commands) : [];
  return plain(
    below.length > 0 && Object.keys(command.args).length === 0
      ? { kind: 'words', words: below }
      : argumentAt(id, command, position),
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
