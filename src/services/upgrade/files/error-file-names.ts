import { createHash } from 'node:crypto';
import { fileNameProblem } from '../../../core/names.js';
import { recordKey } from '../../../state/read-upgrade-journal.js';
import type { PipelinePlace } from '../pipeline.js';

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/u;
/** Characters of a name. */
const LONGEST = 200;
/** Characters that stay in front of a digest. */
const READABLE = 120;

/**
 * The possible file names of a pipeline, preferred one first: portable, and inside their folder. The last one differs
 * from that of any other pipeline (docs/faults.md P37, P38).
 */
export function errorFileNames({ namespace, name }: PipelinePlace): readonly string[] {
  const digest = createHash('sha256').update(`${namespace}\0${name}`).digest('hex');
  const text = `${namespace}-${name}`;
  const plain = `${text}.json`;
  const isGood = PLAIN.test(text) && plain.length <= LONGEST && fileNameProblem(plain) === undefined;
  // A dot would end the part of a name that some systems reserve.
  const cleaned = text.replace(/[^A-Za-z0-9_-]+/gu, '_').replace(/^[_-]+/u, '');
  const readable = cleaned === '' ? 'pipeline' : cleaned.slice(0, READABLE);
  return [...(isGood ? [plain] : []), `${readable}-${digest.slice(0, 8)}.json`, `${readable}-${digest}.json`];
}

/**
 * Chooses a file for each pipeline, by `recordKey`: its present one, or a name no other could have. Names differ even
 * if letter case is ignored.
 */
export function chooseErrorFiles(
  places: readonly PipelinePlace[],
  present: ReadonlyMap<string, PipelinePlace & { readonly file: string }>,
): ReadonlyMap<string, string> {
  const all = new Map([...places, ...present.values()].map((place) => [recordKey(place.namespace, place.name), place]));
  const claims = new Map<string, number>();
  const count = (file: string): number => claims.get(file.toLowerCase()) ?? 0;
  for (const file of [...all.values()].flatMap(errorFileNames)) claims.set(file.toLowerCase(), count(file) + 1);
  const choose = (place: PipelinePlace): string => {
    const names = errorFileNames(place);
    return names.find((file) => count(file) === 1) ?? names.at(-1) ?? '';
  };
  return new Map([...all].map(([key, place]) => [key, present.get(key)?.file ?? choose(place)]));
}
