import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../src/core/condition.js';

describe('a condition', () => {
  it.for([
    ['failed>0', 1, true],
    ['failed>0', 0, false],
    ['failed >= 2', 2, true],
    ['failed<-1', -2, true],
    ['failed<=1.5', 1.5, true],
    ['failed=0', 0, true],
    ['failed==0', 1, false],
    [' failed != 0 ', 3, true],
  ] as const)('%s for %d: %s', ([text, value, expected]) => {
    expect(parseCondition(text, 'failed>0').holds(value)).toBe(expected);
  });

  it.for([
    ['user.Read from Orders.records.error > 0', 'user.Read from Orders.records.error'],
    ['user.a-b:c/d.records.in<1', 'user.a-b:c/d.records.in'],
  ] as const)('names what it looks at, blanks inside: %s', ([text, name]) => {
    expect(parseCondition(text, 'failed>0')).toMatchObject({ text, name });
  });

  it.for(['', 'failed', '>0', 'failed>', 'failed>x', 'failed>1e3', 'a>b>0', 'failed=>0'])('is not: %j', (text) => {
    expect(() => parseCondition(text, 'failed>0')).toThrow('is not a condition');
  });

  it('is read in no time, however it looks', () => {
    const began = performance.now();
    expect(() => parseCondition(`a${' '.repeat(100_000)}`, 'failed>0')).toThrow('is not a condition');
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
