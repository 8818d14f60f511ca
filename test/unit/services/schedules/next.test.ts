import { describe, expect, it } from 'vitest';
import { startsFrom } from '../../../../src/services/schedules/next.js';

const at = (text: string): number => Date.parse(text) / 1000;
const texts = (times: readonly number[]): readonly string[] =>
  times.map((time) => new Date(time * 1000).toISOString().slice(0, 16));

describe('the starts that follow one', () => {
  it.each([
    ['0 * * * *', '2024-05-02T22:00Z', ['2024-05-02T22:00', '2024-05-02T23:00', '2024-05-03T00:00']],
    ['*/20 * * * *', '2024-05-02T22:40Z', ['2024-05-02T22:40', '2024-05-02T23:00', '2024-05-02T23:20']],
    // In which zone it is one o'clock then, nobody needs to know.
    ['0 1 * * *', '2024-06-02T01:00Z', ['2024-06-02T01:00', '2024-06-03T01:00', '2024-06-04T01:00']],
    ['30 2 1 * *', '2024-06-01T00:30Z', ['2024-06-01T00:30', '2024-07-01T00:30', '2024-08-01T00:30']],
    // The clocks of some of the zones that fit change in between.
    ['0 1 * * *', '2024-10-26T00:00Z', ['2024-10-26T00:00', '2024-10-27T00:00']],
    // Sunday or Monday, according to who counts.
    ['0 0 * * 1', '2024-06-02T00:00Z', ['2024-06-02T00:00', '2024-06-09T00:00', '2024-06-16T00:00']],
    // Not understood: the first alone.
    ['0 0 1 * * ?', '2024-06-02T01:00Z', ['2024-06-02T01:00']],
  ])('%s from %s', (cron, first, expected) => {
    expect(texts(startsFrom(cron, at(first), 3))).toEqual(expected);
  });
});
