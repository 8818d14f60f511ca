import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { largestOf, listOf, recordOf, smallestOf } from '../../../../src/core/collections.js';
import { parseJsonArray } from '../../../../src/core/json/array.js';
import { parseJson } from '../../../../src/core/json/json.js';

const codeOf = (read: () => unknown): unknown => {
  try {
    read();
    return 'read';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

const million = (element: string, times: number): Buffer => Buffer.from(`[${`${element},`.repeat(times)}0]`);

describe('a document of JSON', () => {
  it.each([
    ['numbers', million('0', 3_700_000)],
    ['empty objects', million('{}', 400_000)],
    ['empty lists', million('[]', 400_000)],
    ['members', Buffer.from(`{"a":[${'{"b":0},'.repeat(350_000)}0]}`)],
  ])('is refused when it holds millions of %s', (_, bytes) => {
    expect(codeOf(() => parseJson(bytes, 'x'))).toBe('TOO_LARGE');
    expect(codeOf(() => parseJson(bytes, 'x', { depth: 'after' }))).toBe('TOO_LARGE');
  });

  it.each([
    ['numbers', million('0', 3_700_000)],
    ['objects', million('{}', 400_000)],
    ['objects inside one object', Buffer.from(`[{"a":[${'{},'.repeat(900_000)}0]}]`)],
  ])('is refused when its elements are read one by one and there are millions of %s', (_, bytes) => {
    expect(codeOf(() => [...(parseJsonArray(bytes, 'x') ?? [])])).toBe('TOO_LARGE');
  });

  const shorts = (times: number, digits: number): Buffer =>
    Buffer.from(JSON.stringify([Array.from({ length: times }, (_, at) => String(at).padStart(digits, 'x'))]));

  it.each([
    { what: 'different short texts', bytes: shorts(1_000_000, 7), told: 'TOO_LARGE' },
    { what: 'different texts that are longer', bytes: shorts(1_000_000, 11), told: 'read' },
    { what: 'equal short texts', bytes: million('"a"', 1_000_000), told: 'read' },
  ])('counts a short text more the first time: a million $what', ({ bytes, told }) => {
    expect(codeOf(() => parseJson(bytes, 'x'))).toBe(told);
    expect(codeOf(() => [...(parseJsonArray(bytes, 'x') ?? [])])).toBe(told);
  });

  const named = (name: (at: number) => string): Buffer =>
    Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, (_, at) => ({ [name(at)]: 0 }))));

  it.each([
    { what: 'different', bytes: named((at) => `n${String(at).padStart(11)}`), told: 'TOO_LARGE' },
    { what: 'equal', bytes: named(() => 'a name that is long'), told: 'read' },
  ])('counts a name of members more the first time: 200,000 $what ones', ({ bytes, told }) => {
    expect(codeOf(() => parseJson(bytes, 'x'))).toBe(told);
    expect(codeOf(() => [...(parseJsonArray(bytes, 'x') ?? [])])).toBe(told);
  });

  it('does not count what stands inside of a text', () => {
    expect(parseJson(Buffer.from(JSON.stringify(',[{'.repeat(4_000_000))), 'x')).toHaveLength(12_000_000);
  });
});

describe('a list or record of somebody else', () => {
  it.each([
    { what: 'a list', schema: listOf(z.string()), value: ['a', 1, 2, 3], path: [1] },
    { what: 'a list in a list', schema: listOf(listOf(z.string())), value: [['a'], ['b', 1], [2]], path: [1, 1] },
    { what: 'a record', schema: recordOf(z.string()), value: { a: 'a', b: 1, c: 2 }, path: ['b'] },
  ])('tells the first wrong element of $what and no other', ({ schema, value, path }) => {
    const { issues } = z.safeParse(schema, value).error ?? { issues: [] };
    expect(issues.map((issue) => ({ path: issue.path, message: issue.message }))).toEqual([
      { path, message: 'must be a string' },
    ]);
  });

  it('is what it was when all is well', () => {
    expect(z.parse(listOf(z.looseObject({ a: z.int() })), [{ a: 1, b: 2 }])).toEqual([{ a: 1, b: 2 }]);
    const members = JSON.parse('{"__proto__":"x","a":"y"}') as unknown;
    expect(Object.entries(z.parse(recordOf(z.string()), members))).toEqual([
      ['__proto__', 'x'],
      ['a', 'y'],
    ]);
    expect(z.safeParse(recordOf(z.string()), []).success).toBe(false);
  });
});

it('knows the largest and the smallest of half a million numbers', () => {
  const numbers = Array.from({ length: 500_000 }, (_, at) => at);
  expect([smallestOf(numbers), largestOf(numbers), largestOf([])]).toEqual([0, 499_999, -Infinity]);
});
