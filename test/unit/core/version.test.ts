import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  compareVersionTexts,
  isSnapshot,
  parseVersion,
  type Version,
} from '../../../src/core/version.js';

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
}

const anyVersion = fc
  .tuple(
    fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '-SNAPSHOT', '.snapshot', '-rc1', '.jre7', '-2.11', '.0', '-Snapshot.3'),
  )
  .filter(([numbers, suffix]) => numbers.length === 3 || !/^\.\d/u.test(suffix))
  .map(([numbers, suffix]) => numbers.join('.') + suffix);

/** A text whose plain order is the platform's: every number padded, an absent one in front of them all. */
function slowKey(text: string): string {
  const [, head = '', suffix = ''] = /^([0-9]+(?:\.[0-9]+){0,2})(.*)$/u.exec(text) ?? [];
  const numbers = head.split('.').map((part) => `n${part.padStart(5, '0')}`);
  while (numbers.length < 3) numbers.push('a');
  const tail = suffix.slice(1);
  return `${numbers.join(' ')} ${tail.toLowerCase().startsWith('snapshot') ? '0' : '1'} ${tail}`;
}

describe('parseVersion', () => {
  it.each([
    ['11', 11, undefined, undefined, undefined],
    ['6.0.jre7', 6, 0, undefined, 'jre7'],
    ['9.4.1211.jre7', 9, 4, 1211, 'jre7'],
    ['0.14.4.3', 0, 14, 4, '3'],
    ['1.1.0-2.11', 1, 1, 0, '2.11'],
    ['4.0.0.SNAPSHOT', 4, 0, 0, 'SNAPSHOT'],
    ['6.1-SNAPSHOT.0', 6, 1, undefined, 'SNAPSHOT.0'],
    ['01.0.0', 1, 0, 0, undefined],
    ['1.0.0_x', 1, 0, 0, '_x'],
    ['1.0.0/2', 1, 0, 0, '/2'],
  ])('reads %s as the platform does', (text, major, minor, fix, suffix) => {
    expect(parseVersion(text)).toEqual({ text, major, minor, fix, suffix });
  });

  it.each([
    '',
    '12c',
    'v1',
    '1.',
    '1.2.',
    '1-',
    '1.2_x',
    ' 1',
    '1 ',
    '1.0.0-a b',
    '.1',
    '-1',
    '1.0.0-x,y',
    '1.0.0-]',
    '1.0\n',
  ])('refuses %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it.each(['1'.repeat(100_000), '1.'.repeat(50_000), `1.0.0-${'x'.repeat(100_000)}`, `${'1'.repeat(100_000)}c`])(
    'refuses 100 KB of it',
    (text) => {
      expect(parseVersion(text)).toBeUndefined();
    },
  );
});

describe('compareVersions', () => {
  it.each([
    ['1', '1.0'],
    ['1.0', '1.0.0'],
    ['6.4.0-SNAPSHOT', '6.4.0'],
    ['6.4.0', '6.4.0-rc1'],
    ['6.4.0-snapshot', '6.4.0'],
    ['6.4.0-SNAPSHOT', '6.4.0-rc1'],
    ['6.4.0-rc1', '6.4.0-rc2'],
    ['1.6.0', '1.10.0'],
    ['6.4.0-rc9', '6.4.1-SNAPSHOT'],
    ['1.0', '1.0.0-SNAPSHOT'],
  ])('puts %s below %s', (low, high) => {
    expect(compareVersions(version(low), version(high))).toBeLessThan(0);
    expect(compareVersions(version(high), version(low))).toBeGreaterThan(0);
  });

  it('takes 1.0.0-x and 1.0.0.x for the same', () => {
    expect(compareVersions(version('1.0.0-x'), version('1.0.0.x'))).toBe(0);
  });

  it('agrees with an order of padded texts', () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, (a, b) => {
        const [left, right] = [slowKey(a), slowKey(b)];
        const expected = left === right ? 0 : left < right ? -1 : 1;
        expect(Math.sign(compareVersions(version(a), version(b)))).toBe(expected);
      }),
    );
  });
});

describe('compareVersionTexts', () => {
  it('puts what is no version below every version, as text', () => {
    const texts = ['1.10.0', '12c', '1.6.0', '11g', '1.6.0-SNAPSHOT'];
    expect(texts.sort(compareVersionTexts)).toEqual(['11g', '12c', '1.6.0-SNAPSHOT', '1.6.0', '1.10.0']);
  });
});

describe('isSnapshot', () => {
  it.each([
    ['1.0.0-SNAPSHOT', true],
    ['1.0.0.SNAPSHOT', true],
    ['1.0.0-snapshot.7', true],
    ['1.0.0', false],
    ['1.0.0-rc1-SNAPSHOT', false],
  ])('%s: %s', (text, expected) => {
    expect(isSnapshot(version(text))).toBe(expected);
  });
});
