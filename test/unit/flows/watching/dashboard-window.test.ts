import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../../src/core/duration.js';
import { windowOf, type WindowFlags } from '../../../../src/flows/watching/dashboard-window.js';
import { DAY, HOUR, NOW } from '../../services/dashboard/support.js';

const HOURS = HOUR * 1000;

describe('the window of a dashboard', () => {
  it.each<[WindowFlags, number, number]>([
    [{}, -12 * HOUR, 12 * HOUR],
    [{ last: 6 * HOURS }, -6 * HOUR, 0],
    [{ next: 2 * HOURS }, 0, 2 * HOUR],
    [{ last: 6 * HOURS, next: 2 * HOURS }, -6 * HOUR, 2 * HOUR],
    [{ start: 'now-2h' }, -2 * HOUR, 0],
    [{ start: '2h', duration: HOURS }, -2 * HOUR, -HOUR],
    [{ start: '2024-05-02', duration: 24 * HOURS }, -22 * HOUR, 2 * HOUR],
    [{ duration: HOURS }, 0, HOUR],
    [{ start: 'now+1h', duration: HOURS }, HOUR, 2 * HOUR],
  ])('%j begins and ends where it should', (flags, start, end) => {
    expect(windowOf(flags, NOW * 1000 + 700)).toEqual({ start: NOW + start, end: NOW + end });
  });

  it('takes ten years, the longest duration there is', () => {
    const { start, end } = windowOf({ last: parseDuration('3650d') }, NOW * 1000);
    expect(end - start).toBe(3650 * DAY);
  });

  it.each<[string, () => unknown]>([
    ['a negative duration (P33)', () => windowOf({ duration: parseDuration('-1h') }, NOW * 1000)],
    ['a duration that overflows (P33)', () => windowOf({ duration: parseDuration('99999999999d') }, NOW * 1000)],
    ['a window longer than the platform can count (P33)', () => windowOf({ start: '1940-01-01' }, NOW * 1000)],
    ['more than 32 bits of seconds (P33)', () => windowOf({ start: '1970-01-01' }, 4e12)],
    ['a begin before the epoch', () => windowOf({ start: '1969-12-31', duration: HOURS }, NOW * 1000)],
    ['nothing', () => windowOf({ last: 0 }, NOW * 1000)],
    ['a begin in the future without a length', () => windowOf({ start: 'now+1h' }, NOW * 1000)],
    ['two ways at once', () => windowOf({ start: 'now-1h', last: HOURS }, NOW * 1000)],
  ])('refuses %s as USAGE', (_, read) => {
    expect(read).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
  });
});
