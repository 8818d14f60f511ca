import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameJson } from '../../../../src/core/json/same.js';

describe('two JSON texts', () => {
  it.each([
    ['{"a":512}', '{"a":512.0}'],
    ['{"a":1700000000123}', '{"a":1.700000000123E12}'],
    ['{"a":1,"b":2}', ' { "b" : 2, "a" : 1 } '],
    ['{"a":1,"b":null}', '{"a":1}'],
    ['{"a":{"b":null}}', '{"a":{}}'],
    ['{"a":"<"}', String.raw`{"a":"\u003c"}`],
    ['[]', '[ ]'],
    ['no json', 'no json'],
  ])('%s and %s mean the same', (left, right) => {
    expect(sameJson(left, right)).toBe(true);
    expect(sameJson(right, left)).toBe(true);
  });

  it.each([
    ['{"a":512}', '{"a":513}'],
    ['{"a":512}', '{"a":"512"}'],
    ['[null]', '[]'],
    ['[1,2]', '[2,1]'],
    ['{"a":false}', '{}'],
    ['{"a":0}', '{"a":null}'],
    ['{"a":[]}', '{"a":{}}'],
    ['{"a":{}}', '{}'],
    ['', '{}'],
    ['{"a":1', '{"a":1}'],
    ['null', '{}'],
  ])('%s and %s do not', (left, right) => {
    expect(sameJson(left, right)).toBe(false);
    expect(sameJson(right, left)).toBe(false);
  });

  it('are compared without overflow, however deep they are', () => {
    const deep = (middle: string): string => `${'['.repeat(50_000)}${middle}${']'.repeat(50_000)}`;
    expect(sameJson(deep('1'), deep('2'))).toBe(false);
  });

  it('mean the same after the members were sorted and nulls left out', () => {
    const tidy = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map((item) => tidy(item) ?? null)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .filter(([, member]) => member !== null)
                .map(([name, member]): [string, unknown] => [name, tidy(member)])
                .reverse(),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(sameJson(JSON.stringify(value), JSON.stringify(tidy(value)))).toBe(true);
      }),
    );
  });
});
