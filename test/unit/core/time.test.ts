import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellFormatter, formatCell, formatTime, parseTime } from '../../../src/core/time.js';
import { saidBy, thrownBy } from '../../support/errors.js';

const NOW = 1_700_001_000_000;

/** What `parseTime` makes of texts in a process of its own, whose clock is that of a place. */
function readIn(zone: string, texts: readonly string[], now: number): readonly string[] {
  const entry = resolve(import.meta.dirname, '../../../src/core/time.ts');
  const built = buildSync({ entryPoints: [entry], bundle: true, format: 'cjs', platform: 'node', write: false });
  const asked = `for (const text of ${JSON.stringify(texts)}) console.log(exports.formatTime(exports.parseTime(text, ${now})))`;
  const script = `const module = { exports: {} }; ${built.outputFiles[0]?.text ?? ''}; { const { exports } = module; ${asked} }`;
  return execFileSync(process.execPath, ['-e', script], { env: { TZ: zone }, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

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
    ['2023-11-14 22:30', NOW],
    ['2023-11-14T22:30:00', NOW],
    ['2023-11-14T22:30Z', NOW],
    ['22:30', NOW],
    ['today', NOW - 81_000_000],
    ['yesterday', NOW - 81_000_000 - 86_400_000],
    ['yesterday 22:30', NOW - 86_400_000],
    ['tomorrow', NOW + 5_400_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseTime(text, NOW, true)).toBe(milliseconds);
  });

  it.each([
    ['today 10:30', 0],
    ['yesterday 10:30', -1],
    ['10:30', 0],
  ])('reads %s of the day here', (text, days) => {
    const here = new Date(NOW);
    here.setDate(here.getDate() + days);
    expect(parseTime(text, NOW)).toBe(here.setHours(10, 30, 0, 0));
  });

  it.each([
    '',
    'yesterdays',
    'today22:30',
    ' 22:30',
    '22:30Z',
    'today 22:30Z',
    '2023-11-14 2:30',
    '24:00',
    'T10:00',
    '2023-11-14Z',
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
    '2023-01-01T10:00:00+24:00',
    '2023-1-1',
    '-1700001000',
    '2h ago',
  ])('refuses %j', (text) => {
    expect(() => parseTime(text, NOW)).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
  });

  it('reads what names no zone by the clock of the reader, also where that changes', () => {
    const wanted = [
      ['2026-07-01 10:00', '2026-07-01T08:00:00Z'],
      ['2026-12-01 10:00', '2026-12-01T09:00:00Z'],
      ['2026-07-01', '2026-06-30T22:00:00Z'],
      ['2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z'],
      // The night in which clocks go forward at two, and the one in which they go back at three.
      ['2026-03-29 02:30', '2026-03-29T01:30:00Z'],
      ['2026-03-29 03:30', '2026-03-29T01:30:00Z'],
      ['2026-10-25 02:30', '2026-10-25T00:30:00Z'],
      ['2026-10-26', '2026-10-25T23:00:00Z'],
      // Now is the morning after a day of 25 hours.
      ['yesterday', '2026-10-24T22:00:00Z'],
      ['today', '2026-10-25T23:00:00Z'],
      ['tomorrow', '2026-10-26T23:00:00Z'],
      ['09:00', '2026-10-26T08:00:00Z'],
    ];
    const texts = wanted.map(([text = '']) => text);
    const read = readIn('Europe/Berlin', texts, Date.parse('2026-10-26T08:00:00Z'));
    expect(texts.map((text, at) => [text, read[at]])).toEqual(wanted);
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

  it('writes every whole second as Date does, and as a cell with a blank and without a zone', () => {
    fc.assert(
      fc.property(fc.integer({ min: -8_640_000_000_000, max: 8_640_000_000_000 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
        expect(formatTime(seconds * 1000)).toBe(text);
        expect(formatCell(seconds * 1000)).toBe(text.slice(0, 19).replace('T', ' '));
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: -100_000_000_000, max: 300_000_000_000 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
        expect(formatTime(seconds * 1000)).toBe(text);
        expect(formatCell(seconds * 1000)).toBe(text.slice(0, 19).replace('T', ' '));
      }),
    );
  });

  it.each([
    [NOW + 999, '2023-11-14 22:30:00'],
    [9e15, '9000000000000000'],
    [0.5, '1970-01-01 00:00:00'],
  ])('writes %d as the cell %s', (milliseconds, text) => {
    expect(formatCell(milliseconds)).toBe(text);
  });

  it('writes many cells as it writes each', () => {
    const near = fc.integer({ min: -200_000, max: 200_000 }).map((second) => second * 1000);
    const time = fc.oneof(
      near,
      near.map((one) => NOW + one),
      near.map((one) => 253_402_300_800_000 + one),
      fc.double(),
    );
    fc.assert(
      fc.property(fc.array(time), (times) => {
        expect(times.map(cellFormatter())).toEqual(times.map((one) => formatCell(one)));
      }),
    );
    // The same minute of two days, twice each.
    const times = [NOW, NOW + 1000, NOW + 86_400_000, NOW + 86_401_000];
    expect(times.map(cellFormatter())).toEqual(times.map((one) => formatCell(one)));
  });
});

it('a text that is no time is shown, up to 40 characters of it', () => {
  const long = `x${'y'.repeat(60)}`;
  expect(saidBy(thrownBy(() => parseTime(long, 0)))).toEqual({
    code: 'USAGE',
    message: `"${long.slice(0, 40)}" is not a time`,
    hints: [{ next: 'write-time' }],
  });
});
