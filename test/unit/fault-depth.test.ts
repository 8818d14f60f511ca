import { describe, expect, it } from 'vitest';
import { chance, draw } from '../faults/depth.js';

const all = Array.from({ length: 103 }, (_, at) => at);

describe('what is drawn of a sweep', () => {
  it('is the same for the same seed, and another one for another seed or another sweep', () => {
    const drawn = draw(all, 9, 'a', 'one');
    expect(draw(all, 9, 'a', 'one')).toEqual(drawn);
    expect(draw(all, 9, 'a', 'two')).not.toEqual(drawn);
    expect(draw(all, 9, 'b', 'one')).not.toEqual(drawn);
  });

  it('lies all over the list, in its order', () => {
    const drawn = draw(all, 9, 'a', 'one');
    expect(drawn).toHaveLength(9);
    drawn.forEach((at, stretch) => {
      expect(Math.floor((stretch * 103) / 9)).toBeLessThanOrEqual(at);
      expect(at).toBeLessThan(Math.floor(((stretch + 1) * 103) / 9));
    });
  });

  it('leaves nothing out for ever', () => {
    const seen = new Set(Array.from({ length: 200 }, (_, seed) => draw(all, 9, 'a', `seed ${seed}`)).flat());
    expect(seen.size).toBe(all.length);
  });

  it('is all of a short list', () => {
    expect(draw([1, 2, 3], 3, 'a', 'one')).toEqual([1, 2, 3]);
    expect(draw([], 3, 'a', 'one')).toEqual([]);
  });

  it('is a coin that falls on both sides', () => {
    const sides = new Set(all.map((seed) => chance('row', 2, String(seed))));
    expect([...sides].sort()).toEqual([0, 1]);
  });
});
