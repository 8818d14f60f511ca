import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '../../../src/core/time.js';

const NOW = 1_700_001_000_000;

describe('parseTime', () => {
  it.each([
    ['now', NOW],
    ['now-2h', NOW - 7_200_000],
    ['now+30m', NOW + 1_800_000],
    ['2h', NOW - 7_200_000],
    ['1d12h', NOW - 129_600_000],
    ['1700001000', 1_700_001_000_000],
    ['2026-07-01', 1_782_864_000_000],
    ['2023-11-14T22:30:00Z', NOW],
    ['2023-11-14t22:30:00z', NOW],
    ['2023-11-14 22:30:00Z', NOW],
    ['2023-11-15T00:00:00+01:30', NOW],
    ['2023-11-14T17:30:00.25-05:00', NOW + 250],
    ['2024-02-29', 1_709_164_800_000],
    ['0001-01-01', -62_135_596_800_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseTime(text, NOW)).toBe(milliseconds);
  });

  it.each([
    '',
    'yesterday',
    '90',
    '170000100',
    '17000010000',
    'now-',
    'now-90',
    'now2h',
    '2023-02-29',
    '2023-04-31',
    '2023-13-01',
    '2023-00-10',
    '2023-01-00',
    '2023-01-01T24:00:00Z',
    '2023-01-01T10:60:00Z',
    '2023-01-01T10:00:60Z',
    '2023-01-01T10:00:00',
    '2023-01-01T10:00Z',
    '2023-01-01T10:00:00+24:00',
    '2023-1-1',
    '-1700001000',
    '2h ago',
  ])('refuses %j', (text) => {
    expect(() => parseTime(text, NOW)).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
  });

  it('reads back everything that formatTime writes', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(parseTime(formatTime(date.getTime()), NOW)).toBe(date.getTime());
        },
      ),
    );
  });
});

describe('formatTime', () => {
  it.each([
    [NOW, '2023-11-14T22:30:00Z'],
    [NOW + 7, '2023-11-14T22:30:00.007Z'],
    [9e15, '9000000000000000'],
    [NaN, 'NaN'],
  ])('writes %d as %s', (milliseconds, text) => {
    expect(formatTime(milliseconds)).toBe(text);
  });
});
