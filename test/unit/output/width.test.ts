import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, displayWidth, padded, wrapped } from '../../../src/output/width.js';

describe('the width of text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Grüße', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['😀', 2],
    ['ｆｕｌｌ', 8],
  ])('%j takes the columns of a terminal', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%j is cut to %d columns', (text, width, expected) => {
    expect(cut(text, width, '…')).toBe(expected);
  });

  it.each([
    ['one two three', 8, ['one two', 'three']],
    ['one\n\ntwo three', 4, ['one', '', 'two', 'three']],
    ['日本 日本', 8, ['日本', '日本']],
    ['far-too-long a', 4, ['far-too-long', 'a']],
    ['  a   b', 4, ['  a', 'b']],
    ['', 4, ['']],
  ])('%j is broken at blanks to %d columns', (text, width, expected) => {
    expect(wrapped(text, width)).toEqual(expected);
  });

  it('never cuts to more than the room', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (text, width) => {
        expect(displayWidth(cut(text, width, '...'))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('cuts a line of a megabyte without looking at all of it', () => {
    const started = performance.now();
    expect(cut('日'.repeat(1_000_000), 10, '…')).toBe('日日日日…');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('fills on either side', () => {
    expect([padded('日', 4), padded('7', 3, true)]).toEqual(['日  ', '  7']);
  });
});
