import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeRange,
  isEmptyRange,
  parseRange,
  placeInRange,
  rangeContains,
  type Range,
} from '../../../src/core/version-range.js';
import { parseVersion, type Version } from '../../../src/core/version.js';

function range(text: string): Range {
  const parsed = parseRange(text);
  if (parsed === undefined) throw new Error(`${text} is no range`);
  return parsed;
}

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
}

/** A ladder of versions in the platform's order; the slow model counts rungs. */
const LADDER = [
  '4.0',
  '4.0.0-SNAPSHOT',
  '4.0.0',
  '4.0.0-rc1',
  '4.0.1',
  '4.1',
  '4.1.0-SNAPSHOT',
  '4.1.0',
  '5',
  '5.0.0',
  '5.0.0.1',
  '10.0.0',
];
const rung = fc.nat(LADDER.length - 1);
const open = fc.constantFrom('[', '(');
const close = fc.constantFrom(']', ')');
const blank = fc.constantFrom('', ' ', '  ', '\t');

describe('parseRange', () => {
  it.each([
    ['[6.0.0,7.0.0)', '6.0.0', true, '7.0.0', false],
    ['[4.2.0-SNAPSHOT, 6.0.0-SNAPSHOT)', '4.2.0-SNAPSHOT', true, '6.0.0-SNAPSHOT', false],
    ['(4.0.0,4.1.0]', '4.0.0', false, '4.1.0', true],
    [' [ 1 , 2 ] ', '1', true, '2', true],
    ['4.1.0', '4.1.0', true, '4.1.0', true],
    ['[6.1-SNAPSHOT.0,7.0.0-SNAPSHOT)', '6.1-SNAPSHOT.0', true, '7.0.0-SNAPSHOT', false],
  ])('reads %s', (text, lower, lowerIncluded, upper, upperIncluded) => {
    expect(parseRange(text)).toMatchObject({
      text,
      lower: { text: lower },
      lowerIncluded,
      upper: { text: upper },
      upperIncluded,
    });
  });

  it.each([
    '',
    '[',
    '[]',
    '[6.0.0,',
    '6.0.0;7.0.0',
    '[6.0.0]',
    '[6.0.0,7.0.0',
    '6.0.0,7.0.0',
    '[1,2,3]',
    '[12c,13)',
    '{1,2}',
    '[,2)',
    '[1,)',
    '[[1,2]]',
  ])('refuses %j', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  it.each([
    '1'.repeat(100_000),
    `[${'1'.repeat(100_000)},2)`,
    '['.repeat(100_000),
    ','.repeat(100_000),
    ' '.repeat(100_000),
  ])('refuses 100 KB of it', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});

describe('rangeContains', () => {
  it('agrees with counting rungs on a ladder of versions', () => {
    fc.assert(
      fc.property(open, rung, blank, rung, close, rung, (first, low, space, high, last, at) => {
        const text = `${first}${LADDER[low] ?? ''},${space}${LADDER[high] ?? ''}${last}`;
        const inside = LADDER.filter(
          (_, index) => (first === '[' ? index >= low : index > low) && (last === ']' ? index <= high : index < high),
        );
        const candidate = LADDER[at] ?? '';
        expect(rangeContains(range(text), version(candidate))).toBe(inside.includes(candidate));
        if (isEmptyRange(range(text))) expect(inside).toEqual([]);
        if (low < high && (first === '[' || last === ']')) expect(isEmptyRange(range(text))).toBe(false);
      }),
    );
  });

  it('does not show a package for 6.8.0 on a snapshot build of 6.8.0', () => {
    expect(rangeContains(range('[6.8.0,7.0.0)'), version('6.8.0-SNAPSHOT'))).toBe(false);
  });

  it('says on which side a version lies', () => {
    const sides = ['3.9.0', '4.0.0', '4.5.0', '5.0.0'].map((text) =>
      placeInRange(range('[4.0.0,5.0.0)'), version(text)),
    );
    expect(sides).toEqual(['below', 'in', 'in', 'above']);
  });
});

describe('isEmptyRange', () => {
  it.each([
    '(6.1.0-SNAPSHOT, 6.1.0-SNAPSHOT)',
    '[6.0.0-SNAPSHOT, 6.0.0-SNAPSHOT)',
    '[6.0.0,6.0.0-SNAPSHOT)',
    '[6.1.2,6.1.2)',
    '(6.1.2,6.1.2]',
  ])('takes %s, by which publishers hide packages, for empty', (text) => {
    expect(isEmptyRange(range(text))).toBe(true);
    expect(rangeContains(range(text), range(text).lower)).toBe(false);
  });

  it.each(['[4.1.0,4.1.0]', '4.1.0', '[4.0.0,4.0.1)'])('takes %s for a range that matches', (text) => {
    expect(isEmptyRange(range(text))).toBe(false);
  });
});

describe('describeRange', () => {
  it.each([
    ['[6.0.0,7.0.0)', 'from 6.0.0 to below 7.0.0'],
    ['(6.0.0,7.0.0]', 'above 6.0.0 to 7.0.0'],
    ['[4.1.0,4.1.0]', 'exactly 4.1.0'],
    ['4.1.0', 'exactly 4.1.0'],
    ['[6.1.3,6.1.3)', 'no version'],
  ])('says of %s: %s', (text, words) => {
    expect(describeRange(range(text))).toBe(words);
  });
});
