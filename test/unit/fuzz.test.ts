import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mutated, randomFrom } from '../fuzz/mutate.js';
import { failureOf, openTargets } from '../fuzz/targets.js';

const CASES = resolve(import.meta.dirname, '../fuzz/cases');
const ROUNDS = 40;

const { targets, close } = await openTargets();
afterAll(close);

describe('a parser of what others have written', () => {
  it.each(targets)('reads or refuses whatever it gets: $name', async (target) => {
    const random = randomFrom(1);
    const words = target.words.map((word) => Buffer.from(word));
    for (const seed of target.seeds) expect(await failureOf(target, seed)).toBe(undefined);
    for (let round = 0; round < ROUNDS * target.share; round++) {
      const bytes = mutated(target.seeds, words, random);
      const failure = await failureOf(target, bytes);
      expect(failure, JSON.stringify(bytes.toString('latin1'))).toBe(undefined);
    }
  });

  it.each(readdirSync(CASES).filter((name) => name !== 'README.md'))(
    'reads or refuses what it once failed at: %s',
    async (name) => {
      const target = targets.find(
        (one) => name.startsWith(`${one.name}-`) && /^[0-9a-f]{8}$/u.test(name.slice(one.name.length + 1)),
      );
      if (target === undefined) throw new Error(`no parser is called like ${name}`);
      const from = performance.now();
      expect(await failureOf(target, readFileSync(join(CASES, name)))).toBe(undefined);
      expect(performance.now() - from).toBeLessThan(5000);
    },
  );

  it.each(targets)('is fed with samples that it accepts: $name', async (target) => {
    for (const seed of target.seeds) await target.parse(seed);
    expect(target.seeds.length).toBeGreaterThan(0);
  });
});
