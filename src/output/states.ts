import { paint, type Look, type Style } from './look.js';

/**
 * What a person sees a run, a start or a pipeline as, the most urgent first. This is the order of counts, legends,
 * lists and cards.
 */
export const STATE_KINDS = ['failed', 'missed', 'running', 'waiting', 'completed', 'killed', 'scheduled'] as const;

/** One of the states that people tell apart. */
export type StateKind = (typeof STATE_KINDS)[number];

/** The one colour of each state, in every command. */
export const STATE_STYLES: Readonly<Record<StateKind, Style>> = {
  failed: 'red',
  missed: 'yellow',
  running: 'cyan',
  waiting: 'cyan',
  completed: 'green',
  killed: 'magenta',
  scheduled: 'dim',
};

/** Every word for a state, in lower case; what is no run has the colour of what it is like. */
const WORDS: Readonly<Record<StateKind, readonly string[]>> = {
  failed: ['failed', 'rejected', 'invalid', 'blocked', 'unknown', 'refused', 'revoked', 'unreachable'],
  missed: [
    'missed',
    'risky',
    'unjudged',
    'not-run',
    'not tried',
    'partial',
    'partly installed',
    'partly uninstalled',
    'expired',
    'stopped',
    'unfinished',
    'changed',
    'gone',
  ],
  running: ['running', 'resuming', 'active'],
  waiting: ['waiting', 'pending', 'starting', 'suspended', 'suspending'],
  completed: [
    'completed',
    'valid',
    'safe',
    'upgraded',
    'rolled-back',
    'installed',
    'ok',
    'good',
    'deleted',
    'finished',
  ],
  killed: ['killed', 'stopping'],
  scheduled: ['scheduled', 'planned'],
};
const KINDS: ReadonlyMap<string, StateKind> = new Map(
  STATE_KINDS.flatMap((kind) => WORDS[kind].map((word): [string, StateKind] => [word, kind])),
);

/** What a word for a state tells, in any case of letters; undefined for words that are no state. */
export function stateKindOf(word: string): StateKind | undefined {
  return KINDS.get(word.toLowerCase());
}

/** The colour of a word for a state. */
export function stateStyle(word: string): Style | undefined {
  const kind = stateKindOf(word);
  return kind === undefined ? undefined : STATE_STYLES[kind];
}

/** The columns that hold a word for a state. */
export const STATE_COLUMNS: readonly string[] = ['state', 'status', 'signature'];

/** A text in the colour of a state: the word itself, or a sign or a count of it. */
export function paintState(look: Look, word: string, text = word): string {
  const style = stateStyle(word);
  return style === undefined ? text : paint(look, style, text);
}
