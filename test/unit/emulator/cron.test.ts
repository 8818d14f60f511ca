import { describe, expect, it } from 'vitest';
import { cronTimes } from '../../../src/emulator/resources/cron.js';

const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
const between = (expression: string, from: string, to: string): string[] =>
  [...cronTimes(expression, at(from), at(to))].map((time) => new Date(time * 1000).toISOString().slice(0, 19));

describe('the times of a cron expression', () => {
  it.each([
    ['0 3 * * *', ['2026-11-21T03:00:00', '2026-11-22T03:00:00']],
    ['0 1 */1 * *', ['2026-11-21T01:00:00', '2026-11-22T01:00:00']],
    ['30 2 * * 1', ['2026-11-22T02:30:00']],
    ['30 2 * * SUN', ['2026-11-22T02:30:00']],
    ['0 22-23 21 11 ?', ['2026-11-21T22:00:00', '2026-11-21T23:00:00']],
    ['0 0/12 * NOV *', ['2026-11-21T00:00:00', '2026-11-21T12:00:00', '2026-11-22T00:00:00', '2026-11-22T12:00:00']],
    ['15,45 0 0 21 * ?', ['2026-11-21T00:00:15', '2026-11-21T00:00:45']],
    ['0 3 * 2 *', []],
    ['99 5 * * *', []],
    ['nope', []],
    ['0 3 L * *', []],
    ['0 3 * * */0', []],
  ])('%s', (expression, times) => {
    expect(between(expression, '2026-11-21T00:00:00', '2026-11-22T23:59:59')).toEqual(times);
  });

  it('include both ends of the window', () => {
    expect(between('0 3 * * *', '2026-11-21T03:00:00', '2026-11-22T03:00:00')).toHaveLength(2);
    expect(between('0 3 * * *', '2026-11-21T03:00:01', '2026-11-22T02:59:59')).toEqual([]);
  });

  it('are all there for a year', () => {
    expect(between('0 3 * * *', '2026-01-01T00:00:00', '2026-12-31T23:59:59')).toHaveLength(365);
  });
});
