import { describe, expect, it } from 'vitest';
import { closest } from '../../../src/core/closest.js';

describe('closest', () => {
  it.each([
    ['plugin-pivto', 'plugin-pivot'],
    ['plugin-pivt', 'plugin-pivot'],
    ['Plugin-Pivot', 'plugin-pivot'],
    ['plugin-sendgird2', 'plugin-sendgrid'],
    ['plugin-pi', undefined],
    ['something', undefined],
    ['', undefined],
    ['ab', undefined],
  ])('for %j finds %j', (word, expected) => {
    expect(closest(word, ['plugin-pivot', 'plugin-sendgrid', 'xy'])).toBe(expected);
  });

  it('looks through 100,000 names and long words quickly', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `plugin-${index}`);
    expect(closest('plugni-99999', names)).toBe('plugin-99999');
    expect(closest('x'.repeat(100_000), ['x'.repeat(100_000)])).toBeUndefined();
  });
});
