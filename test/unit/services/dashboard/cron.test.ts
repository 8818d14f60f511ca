import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firesBetween, parseCron } from '../../../../src/services/dashboard/cron.js';
import { changesOf, firesIn, zonesIn } from '../../../../src/services/dashboard/zones.js';
import { DAY, HOUR, NOW } from './support.js';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 16);

/** The first starts from 2024-05-01 (a Wednesday) on. */
function firstOf(text: string, count: number, sunday: 0 | 1 = 1, offset = 0): readonly string[] | undefined {
  const cron = parseCron(text, sunday);
  const from = Date.UTC(2024, 4, 1) / 1000;
  return cron && [...firesBetween(cron, from, from + 400 * DAY, offset)].slice(0, count).map(at);
}

describe('a cron entry', () => {
  it.each<[string, readonly string[]]>([
    ['0 1 */1 * *', ['2024-05-01T01:00', '2024-05-02T01:00']],
    ['*/30 * * * *', ['2024-05-01T00:00', '2024-05-01T00:30', '2024-05-01T01:00']],
    ['5/20 6-7 * * ?', ['2024-05-01T06:05', '2024-05-01T06:25', '2024-05-01T06:45', '2024-05-01T07:05']],
    ['0,15 3 1,31 * *', ['2024-05-01T03:00', '2024-05-01T03:15', '2024-05-31T03:00']],
    ['0 0 ? * MON-TUE', ['2024-05-06T00:00', '2024-05-07T00:00', '2024-05-13T00:00']],
    ['0 0 1 jan,JUL *', ['2024-07-01T00:00', '2025-01-01T00:00']],
    ['0 0 31 * *', ['2024-05-31T00:00', '2024-07-31T00:00']],
  ])('%s fires when it says', (text, expected) => {
    expect(firstOf(text, expected.length)).toEqual(expected);
  });

  it('is read into all that it names', () => {
    expect(parseCron('5-35/10,7 8/8 1,31 FEB-MAR,12 *', 0)).toEqual({
      ...{ minutes: [5, 7, 15, 25, 35], hours: [8, 16], days: new Set([1, 31]), months: new Set([2, 3, 12]) },
      weekdays: undefined,
    });
    expect(parseCron('0-1 23 ? * SUN,7', 0)).toEqual({
      ...{ minutes: [0, 1], hours: [23], days: undefined, weekdays: new Set([0]) },
      months: new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    });
  });

  it('has Sunday where its reader has it', () => {
    expect(firstOf('0 9 * * 1', 1, 1)).toEqual(['2024-05-05T09:00']);
    expect(firstOf('0 9 * * 1', 1, 0)).toEqual(['2024-05-06T09:00']);
    expect(firstOf('0 9 * * SUN', 1, 0)).toEqual(firstOf('0 9 * * SUN', 1, 1));
    expect(firstOf('0 9 * * 7', 1, 0)).toEqual(['2024-05-05T09:00']);
  });

  it('fires by the clock of its place', () => {
    expect(firstOf('0 1 * * *', 1, 1, 2 * HOUR)).toEqual(['2024-05-01T23:00']);
    expect(firstOf('0 1 * * *', 1, 1, -5 * HOUR)).toEqual(['2024-05-01T06:00']);
  });

  it.each([
    '* * * *',
    '0 0 1 * * *',
    '60 * * * *',
    '99 5 * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 ? * 2#1',
    '0 0 1 * MON',
    '0 0 * * */2',
    '*/0 * * * *',
    '*/90 * * * *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '*/5/2 * * * *',
    'nope',
    '',
  ])('%j is not judged', (text) => {
    expect(parseCron(text, 1)).toBeUndefined();
  });

  it('gives the same times for a long stretch as for its parts', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    fc.assert(
      fc.property(hour, fc.integer({ min: 0, max: 59 }), hour, fc.integer({ min: -14, max: 14 }), (h, m, cut, zone) => {
        const cron = parseCron(`${m} ${h} * * *`, 1);
        if (cron === undefined) throw new Error('a plain entry is read');
        const middle = NOW + cut * HOUR;
        const [from, to, offset] = [NOW - 3 * DAY, NOW + 3 * DAY - 1, zone * HOUR];
        const whole = [...firesBetween(cron, from, to, offset)];
        const parts = [...firesBetween(cron, from, middle, offset), ...firesBetween(cron, middle + 1, to, offset)];
        expect(parts).toEqual(whole);
        expect(whole).toHaveLength(6);
      }),
    );
  });
});

describe('the clocks that there are', () => {
  const spring = { start: Date.UTC(2024, 2, 20) / 1000, end: Date.UTC(2024, 3, 20) / 1000 };

  it('are few kinds, each a chain of stretches that covers the window', () => {
    const zones = zonesIn(spring);
    expect(zones.length).toBeGreaterThan(30);
    expect(zones.length).toBeLessThan(100);
    for (const zone of zones) {
      expect(zone[0]?.start).toBe(spring.start);
      expect(zone.at(-1)?.end).toBe(spring.end);
      for (const [number, { start }] of zone.entries())
        if (number > 0) expect(start).toBe((zone[number - 1]?.end ?? 0) + 1);
    }
  });

  it('change when they change', () => {
    const changes = new Set(zonesIn(spring).flatMap(changesOf));
    // Central Europe, 31 March 2024, 01:00 UTC.
    expect(changes).toContain(Date.UTC(2024, 2, 31, 1) / 1000);
  });

  it('let a schedule fire an hour earlier in UTC after the change', () => {
    const europe = zonesIn(spring).find(
      (zone) => changesOf(zone).includes(Date.UTC(2024, 2, 31, 1) / 1000) && zone[0]?.offset === HOUR,
    );
    const cron = parseCron('0 5 * * *', 1);
    if (europe === undefined || cron === undefined) throw new Error('Europe has summer time');
    const days = { start: Date.UTC(2024, 2, 30) / 1000, end: Date.UTC(2024, 3, 2) / 1000 };
    expect([...firesIn(cron, europe, days)].map(at)).toEqual([
      '2024-03-30T04:00',
      '2024-03-31T03:00',
      '2024-04-01T03:00',
    ]);
  });
});
