import { describe, expect, it } from 'vitest';
import { closest, didYouMean, nearest } from '../../../src/core/closest.js';

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

describe('a word that is nearly one of several', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['five letters with two edits', 'ordre', ['ordxx'], ['ordxx']],
    ['five letters with three edits', 'ordre', ['orxxx'], []],
    ['four letters with one edit', 'fail', ['fall'], ['fall']],
    ['four letters with two edits', 'fail', ['foul'], []],
    ['all letters', 'start', ['star', 'start'], ['start']],
    ['all letters of two words', 'stat', ['star', 'xxxx', 'stay'], ['star', 'stay']],
    ['a swap of neighbours', 'strat', ['start', 'other'], ['start']],
    ['two swaps of neighbours', 'lpugni', ['plugin'], ['plugin']],
    ['a letter more', 'startt', ['stop', 'start'], ['start']],
    ['a letter less', 'tart', ['start'], ['start']],
    ['three letters less', 'plugin', ['plu'], []],
    ['one letter', 's', ['a', 't'], []],
  ])('has %s', (_, word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected);
  });

  it('may be no farther than it is told', () => {
    expect(nearest('plugins', ['plugiss', 'plgin'], 1)).toEqual(['plugiss']);
    expect(nearest('plugins', ['plugni'], 1)).toEqual([]);
    expect(nearest('plugins', ['plugni'])).toEqual(['plugni']);
  });

  it.each<[readonly (string | undefined)[], readonly string[]]>([
    [[], []],
    [[undefined], []],
    [[undefined, 'a'], ['Did you mean "a"?']],
    [
      ['a', 'b'],
      ['Did you mean one of these?', 'a', 'b'],
    ],
  ])('is told in a hint: %j', (near, expected) => {
    expect(didYouMean(...near)).toEqual(expected);
  });
});
