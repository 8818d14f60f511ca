import { smallestOf } from './collections.js';

const FARTHEST = 2;

/** What a name fits: a thing, or several of which a person has to choose one. */
export interface Meant<T> {
  readonly all: readonly [T, ...T[]];
  /** What is to be said of several. */
  readonly problem: string;
}

/** Edit distance with swaps of neighbours, given up (Infinity) once it must be above 2. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > FARTHEST) return Infinity;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (previous[column] ?? Infinity) + 1,
        (current[column - 1] ?? Infinity) + 1,
        (previous[column - 1] ?? Infinity) + (same ? 0 : 1),
      );
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? Infinity) + 1);
      }
      current.push(best);
    }
    if (smallestOf(current) > FARTHEST) return Infinity;
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? Infinity;
}

/**
 * The candidates nearest to a mistyped word; several when they are equally near. Allows a limited number of edits, and
 * only one for words of less than five letters. Letter case is ignored.
 */
export function nearest(word: string, candidates: Iterable<string>, farthest = FARTHEST): readonly string[] {
  const wanted = word.toLowerCase().slice(0, 200);
  let [best, least]: [string[], number] = [
    [],
    Math.min(farthest, wanted.length < 5 ? Math.min(1, wanted.length - 1) : FARTHEST),
  ];
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < least) [best, least] = [[candidate], edits];
    else if (edits === least) best.push(candidate);
  }
  return best;
}

/** The first of the candidates that are nearest to a mistyped word; undefined when there is none. */
export const closest = (word: string, candidates: Iterable<string>): string | undefined => nearest(word, candidates)[0];

/** The hint for words that were perhaps meant; none without one. */
export function didYouMean(...near: readonly (string | undefined)[]): string[] {
  const [first, ...others] = near.filter((word) => word !== undefined);
  if (first === undefined) return [];
  return others.length === 0 ? [`Did you mean "${first}"?`] : ['Did you mean one of these?', first, ...others];
}
