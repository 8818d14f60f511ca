import { describe, expect, it } from 'vitest';
import { sparkline } from '../../../src/output/sparkline.js';

const point = (time: number, value: number) => ({ time, value });

describe('a course drawn as bars', () => {
  it.for([
    ['one for each step', [point(0, 1), point(60, 8), point(120, 0)], [0, 180], '▂█▁'],
    ['the lowest for nothing', [], [0, 240], '▁▁▁▁'],
    ['the second lowest for the least', [point(0, 1), point(60, 1000)], [0, 120], '▂█'],
    ['below nothing, too', [point(0, -4), point(60, 4)], [0, 180], '▁█▅'],
    ['a question mark where there is no number', [point(0, Number.NaN), point(60, 2)], [0, 120], '?█'],
    ['a whole bar without end', [point(0, Infinity), point(60, 2)], [0, 120], '██'],
    ['round times in a window that is not', [point(60, 3), point(120, 2), point(180, 3)], [70, 190], '█▆█'],
    ['a window of no length', [point(0, 3)], [0, 0], '█'],
  ] as const)('%s', ([, points, [start, end], expected]) => {
    expect(sparkline({ points, start, end, step: 60 }, { unicode: true })).toBe(expected);
  });

  it('is plain where there is no unicode', () => {
    const points = [0, 1, 2, 3, 4, 5, 6, 7].map((value) => point(value * 60, value));
    expect(sparkline({ points, start: 0, end: 480, step: 60 }, { unicode: false })).toBe('_.:-=+*#');
  });

  it('is at most 40 wide, neighbours added up', () => {
    const points = Array.from({ length: 80 }, (_, at) => point(at, at < 40 ? 1 : 2));
    const text = sparkline({ points, start: 0, end: 80, step: 1 }, { unicode: true });
    expect(text).toBe(`${'▅'.repeat(20)}${'█'.repeat(20)}`);
  });
});
