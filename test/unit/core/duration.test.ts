import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/core/duration.js';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h30m', 9_000_000],
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1y', 31_536_000_000],
    ['1y1d', 31_622_400_000],
    ['1m5ms', 60_005],
    ['1d2h3m4s5ms', 93_784_005],
  ])('reads %s as %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['90', '1.5', '00'])('says that %s needs a unit', (text) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: `the duration "${text}" needs a unit` }) as Error,
    );
  });

  it.each([
    '',
    ' ',
    '-5s',
    '+5s',
    '5 s',
    '5S',
    '30m2h',
    '1h1h',
    'h',
    '5w',
    '.5h',
    '1.h',
    '5s ',
    '1e3s',
    '5sm',
    '٣s',
    '5mss',
  ])('refuses %j', (text) => {
    const hints = [expect.stringMatching(/^(?:use|write) 90s, 15m, 2h30m/u) as string];
    const details = expect.objectContaining({ hints }) as object;
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'USAGE', details }) as Error);
  });

  it('refuses more than ten years, however many digits', () => {
    expect(parseDuration('3650d')).toBe(315_360_000_000);
    expect(parseDuration('10y')).toBe(315_360_000_000);
    expect(() => parseDuration('11y')).toThrow('longer than ten years');
    expect(() => parseDuration('3651d')).toThrow('longer than ten years');
    expect(() => parseDuration(`${'9'.repeat(100_000)}d`)).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
  });

  it('reads back everything that formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 315_360_000_000 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [-5, '0s'],
    [450, '450ms'],
    [95_000, '1m35s'],
    [5_400_000, '1h30m'],
    [604_800_000, '7d'],
  ])('writes %d as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
