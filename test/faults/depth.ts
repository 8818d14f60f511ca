import { createHash } from 'node:crypto';

/**
 * How deep the faults dig: `sample` tries a few fixed points (`npm test`), `drawn` other ones for every commit (`npm run test:long`), `all` each of
 * them (`npm run test:full`).
 */
export const DEPTH = ((): 'sample' | 'drawn' | 'all' => {
  const wanted = process.env['CDAPCTL_DEPTH'];
  return wanted === 'all' || wanted === 'drawn' ? wanted : 'sample';
})();

/** What is drawn depends on this text, and on nothing else. */
export const SEED = process.env['CDAPCTL_SEED'] ?? '';

/** A number from 0 to below `end` that follows from the seed and a name. */
export function chance(name: string, end: number, seed = SEED): number {
  return createHash('sha256').update(`${seed}\n${name}`).digest().readUInt32BE() % end;
}

/** One of every stretch of a list, so that the draw lies all over it; the whole list when it is no longer than the draw. */
export function draw<T>(all: readonly T[], count: number, name: string, seed = SEED): readonly T[] {
  if (all.length <= count) return all;
  const start = (stretch: number): number => Math.floor((stretch * all.length) / count);
  return Array.from({ length: count }, (_, stretch) => {
    const at = start(stretch) + chance(`${name} ${stretch}`, start(stretch + 1) - start(stretch), seed);
    return all.slice(at, at + 1);
  }).flat();
}
