import { nearest } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import type { Usage } from '../../output/usage.js';
import { commandLine } from './command-line.js';

const LONGEST_NAME = 40;
/** Words for one deed, of which a command has one. */
const DEEDS = [
  ['remove', 'delete', 'rm', 'uninstall', 'forget'],
  ['show', 'get', 'describe', 'info', 'view'],
  ['start', 'run', 'launch', 'trigger'],
  ['stop', 'kill', 'cancel', 'abort', 'terminate'],
  ['suspend', 'pause'],
  ['resume', 'unpause'],
];
/** Short names that people give to groups of commands. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['prefs', 'preferences'],
  ['ns', 'namespace'],
  ['ctx', 'context'],
]);
/** What stops a command that runs in the foreground, by the words that people try. */
const FOREGROUND: ReadonlyMap<string, string> = new Map([['emulator stop', 'stop it with Ctrl-C in its terminal']]);
/** What people say to see all of a kind. */
const LISTS: ReadonlySet<string> = new Set(['get', 'list', 'ls']);
const PREFIXES = ['un', 'dis', 'de', 're'];
const START = 'pipeline,start';
const MOST = 8;
const LONGEST_WORD = 60;

type Path = readonly string[];

const startsWith = (path: Path, head: Path): boolean => head.every((word, at) => path[at] === word);
const endsWith = (path: Path, tail: Path): boolean => startsWith(path.slice(path.length - tail.length), tail);
const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
const isOpposite = (a: string, b: string): boolean => PREFIXES.some((prefix) => a === prefix + b || b === prefix + a);

/** How many of the words, from the first on, name a group of commands. */
function topicDepth(words: Path, known: readonly Path[]): number {
  let depth = 0;
  while (
    depth < words.length &&
    known.some((path) => path.length > depth + 1 && startsWith(path, words.slice(0, depth + 1)))
  )
    depth += 1;
  return depth;
}

/**
 * The words among others that a mistyped one may stand for: the nearest, else those that it begins. None for a word
 * that some command has.
 */
function meant(word: string, among: readonly string[], known: readonly Path[]): readonly string[] {
  if (known.some((path) => path.at(-1) === word)) return [];
  const fitting = among.filter((candidate) => !isOpposite(word, candidate));
  const near = nearest(word, fitting, word.length > 5 ? 2 : 1);
  return near.length > 0 || word.length < 3 ? near : fitting.filter((candidate) => candidate.startsWith(word));
}

/** The commands that end with the words, with as many of them as possible. A further word narrows them down. */
function endingWith(words: Path, paths: readonly Path[]): readonly Path[] {
  for (let count = Math.min(words.length, 3); count > 0; count -= 1) {
    const found = paths.filter((path) => endsWith(path, words.slice(0, count)));
    const narrow = found.filter((path) => path.includes(words[count] ?? ''));
    if (found.length > 0) return narrow.length > 0 ? narrow : found;
  }
  return [];
}

/**
 * The commands that end with another word for the same deed. What names nothing looks at all, which a list shows and
 * "get" does not.
 */
function sameDeed(word: string, paths: readonly Path[], namesNothing = false): readonly Path[] {
  const deed = DEEDS.find((words) => words.includes(word)) ?? [];
  const last = (path: Path): string => path.at(-1) ?? '';
  const same = paths.filter((path) => deed.includes(last(path)));
  const lists = namesNothing && same.every((path) => last(path) === 'get');
  const all = lists && same.length > 0 ? paths.filter((path) => last(path) === 'list') : [];
  return all.length > 0 ? all : same;
}

/** The commands that the words may mean: an exact one, else similar ones, else the group. */
function within(path: Path, further: Path, known: readonly Path[]): readonly Path[] {
  const words = [...path, ...further];
  const [whole] = known.filter((command) => command.length >= path.length && startsWith(words, command));
  if (whole !== undefined) return [whole];
  const found = further.length === 0 ? [] : suggestions(words, known);
  return found.length > 0 ? found : [path];
}

/** The words with the noun first, by its name here: `get pipelines` is `pipeline list`. */
function nounFirst([word = '', next = '', ...further]: Path, known: readonly Path[]): Path | undefined {
  const isGroup = (name: string): boolean => known.some((path) => path.length > 1 && path[0] === name);
  const nounOf = (name: string): string | undefined =>
    [name, NOUNS.get(name) ?? '', name.replace(/s$/u, '')].find(isGroup);
  if (isGroup(word)) return undefined;
  const [first, second] = [nounOf(word), nounOf(next)];
  if (first !== undefined) return next === '' ? [first] : [first, next, ...further];
  if (second === undefined) return known.some((path) => path.join() === next) ? [next] : undefined;
  return [second, LISTS.has(word) && next !== second ? 'list' : word, ...further];
}

/** The commands, or groups of them, that words may stand for. */
function suggestions(said: Path, known: readonly Path[]): readonly Path[] {
  const words = nounFirst(said, known) ?? said;
  if (words !== said && words.length === 1) return [words];
  const whole = known.filter((path) => words.length >= path.length && startsWith(words, path));
  if (words !== said && whole.length > 0) return whole.slice(-1);
  const depth = topicDepth(words, known);
  const [topic, [word = '', ...further]] = [words.slice(0, depth), words.slice(depth)];
  const inside = known.filter((path) => path.length > depth && startsWith(path, topic));
  const outside = depth === 0 ? known : known.filter((path) => path.length === 1);
  const exact = [
    endingWith([word, ...further], inside),
    sameDeed(word, inside, depth > 0 && further.length === 0),
    endingWith([word], outside),
    sameDeed(
      word,
      outside.filter((path) => path.length === 1),
    ),
  ].find((paths) => paths.length > 0);
  // "Run" is what people say of a pipeline, and what only a report has.
  if (exact !== undefined && words[0] === 'run') return [...known.filter((path) => path.join() === START), ...exact];
  if (exact !== undefined) return exact;
  // A group inside of another one, called without that: "key add".
  const group = depth === 0 ? known.find((path) => path.slice(1, -1).includes(word)) : undefined;
  if (group !== undefined) return within(group.slice(0, group.indexOf(word) + 1), further, known);
  const next = meant(word, unique(inside.map((path) => path[depth] ?? '')), known);
  if (next.length > 0) return next.flatMap((child) => within([...topic, child], further, known));
  const last = meant(word, unique(outside.map((path) => path.at(-1) ?? '')), known);
  return outside.filter((path) => last.includes(path.at(-1) ?? ''));
}

/** The error for words that name nothing: with all commands that may be meant, else those of the group. */
export function unknownCommand(words: readonly string[], ids: readonly string[]): CliError {
  const known = ids.map((id) => id.split(':'));
  const said = words.slice(0, topicDepth(words, known) + 1);
  const shown = said.map((word) => (word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}...` : word));
  return new CliError('USAGE', `unknown command "${visible(shown.join(' '))}"`, meantCommands(words, ids));
}

/** What to say about a word that no command has here. */
export function meantCommands(
  words: readonly string[],
  ids: readonly string[],
): { readonly lines: readonly string[]; readonly hints: readonly string[] } {
  const known = ids.map((id) => id.split(':'));
  const stop = FOREGROUND.get(words.slice(0, 2).join(' '));
  if (stop !== undefined) return { lines: [], hints: [stop] };
  const found = unique(suggestions(words, known).map((path) => `cdapctl ${path.join(' ')}`)).slice(0, MOST);
  const [only] = found;
  if (only !== undefined && found.length === 1) return { lines: [], hints: [`Did you mean "${only}"?`] };
  if (found.length > 1) return { lines: [], hints: ['Did you mean one of these?', ...found] };
  const topic = words.slice(0, topicDepth(words, known));
  return topic.length === 0 ? { lines: [], hints: ['cdapctl help'] } : commandsOf(topic, ids);
}

/** The commands of a group, for an error that wants one of them. */
export function commandsOf(
  topic: readonly string[],
  ids: readonly string[],
): { readonly lines: readonly string[]; readonly hints: readonly string[] } {
  const prefix = `${topic.join(':')}:`;
  const names = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length).replaceAll(':', ' '));
  return { lines: [`commands: ${names.sort().join(', ')}`], hints: [`cdapctl help ${topic.join(' ')}`] };
}

/** The error for words that are too many, with the flag that may be meant by one. */
export function furtherArguments(
  words: readonly string[],
  lines: readonly string[],
  id: string | undefined,
  { args = {}, flags = {} }: Usage,
): CliError {
  // It may be the value of a flag that takes it behind "=" only: `--wait=done`.
  const hints = Object.entries(flags).flatMap(([name, { helpValue }]) => {
    const values = /^\[=(.*)\]$/u.exec(String(helpValue))?.[1]?.split('|') ?? [];
    return words.flatMap((word) => (values.includes(word) ? [`Did you mean --${name}=${word}?`] : []));
  });
  const [word = '', ...more] = words;
  const isPattern = flags['pipeline']?.helpValue === '[NS/]GLOB' && Object.keys(args).length === 0;
  if (id !== undefined && isPattern && more.length === 0 && word.length <= LONGEST_NAME)
    hints.push(visible(commandLine([...id.split(':'), '-p', word])));
  return new CliError('USAGE', unexpected(words), { lines, hints });
}

/** Names the words that are too many; one that is long is more likely a secret than a name. */
function unexpected(words: readonly string[]): string {
  const shown = words
    .slice(0, 3)
    .map((word) => (word.length > LONGEST_NAME ? `of ${word.length} characters` : `"${visible(word)}"`));
  return `unexpected argument${words.length === 1 ? '' : 's'} ${shown.join(', ')}${words.length > 3 ? ', ...' : ''}`;
}
