import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { largestOf, listOf, recordOf, smallestOf } from '../../../src/core/collections.js';
import { counted } from '../../../src/core/counted.js';
import { describeIssues, type SchemaIssue } from '../../../src/core/issues.js';
import { matchesGlob } from '../../../src/core/glob.js';
import { shellWord } from '../../../src/core/shell-word.js';

describe('an issue of a schema', () => {
  const at = (path: readonly PropertyKey[], issue: Partial<SchemaIssue> = {}): readonly string[] =>
    describeIssues({ issues: [{ code: 'invalid_union', ...issue, path }] });

  it.each<[Partial<SchemaIssue>, string]>([
    [{ code: 'invalid_type', expected: 'string' }, 'must be a string'],
    [{ code: 'invalid_type', expected: 'object' }, 'must be an object'],
    [{ code: 'invalid_type', expected: 'array' }, 'must be an array'],
    [{ code: 'invalid_type', expected: 'int' }, 'must be a whole number'],
    [{ code: 'invalid_value', values: ['a', 1] }, 'must be "a" or 1'],
    [{ code: 'invalid_value' }, 'must be '],
    [{ code: 'unrecognized_keys', keys: ['a', 'b"'] }, String.raw`has unknown members: "a", "b\""`],
    [{ code: 'unrecognized_keys' }, 'has unknown members: '],
    [{ code: 'too_small', minimum: 1 }, 'must not be less than 1'],
    [{ code: 'too_big', maximum: 5 }, 'must not be more than 5'],
    [{ code: 'invalid_format', format: 'regex' }, 'must have the format regex'],
    [{ code: 'invalid_union' }, 'has none of the allowed formats'],
    [{ code: 'custom', message: 'is odd' }, 'is odd'],
    [{ code: 'custom', message: 'Invalid input' }, 'is not allowed'],
    [{ code: undefined }, 'is not allowed'],
  ])('%j says that it %s', (issue, words) => {
    expect(at(['a'], issue)).toEqual([`a ${words}`]);
  });

  it.each<[readonly PropertyKey[], string]>([
    [[], 'the document'],
    [['a'], 'a'],
    [['a', 'b', 0, 'c'], 'a.b[0].c'],
    [[0], '[0]'],
    [['a-b'], '["a-b"]'],
    [['a', 'b c'], 'a["b c"]'],
    [['$a_1', '1a'], '$a_1["1a"]'],
    [['äa'], '["äa"]'],
  ])('is at %j: %s', (path, words) => {
    expect(at(path)).toEqual([`${words} has none of the allowed formats`]);
  });

  it('is one of fifty at most', () => {
    const issues = Array.from({ length: 51 }, () => ({ path: [] }));
    expect(describeIssues({ issues })).toHaveLength(50);
  });
});

describe('a list and a record of many', () => {
  const issuesOf = (schema: z.ZodMiniType, value: unknown): readonly string[] => {
    const { error } = z.safeParse(schema, value);
    return error === undefined ? [] : describeIssues(error);
  };
  const element = z.looseObject({ n: z.number() });

  it('have their values as the schema reads them', () => {
    expect(z.parse(listOf(element), [{ n: 1, more: 2 }])).toEqual([{ n: 1, more: 2 }]);
    expect(z.parse(recordOf(element), { a: { n: 1 }, b: { n: 2 } })).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  it.each<[unknown, readonly string[]]>([
    [[{ n: 1 }, { n: 'x' }, { n: 'y' }], ['[1].n must be a number']],
    [[7], ['[0] must be an object']],
    ['x', ['the document must be an array']],
  ])('the list %j has the first issue: %j', (value, expected) => {
    expect(issuesOf(listOf(element) as never, value)).toEqual(expected);
  });

  it.each<[unknown, readonly string[]]>([
    [{ a: { n: 1 }, b: { n: 'x' }, c: 7 }, ['b.n must be a number']],
    [[], ['the document must be an object']],
    [null, ['the document must be an object']],
    ['x', ['the document must be an object']],
  ])('the record %j has the first issue: %j', (value, expected) => {
    expect(issuesOf(recordOf(element) as never, value)).toEqual(expected);
  });

  it('have a largest and a smallest', () => {
    expect([largestOf([1, 3, 2]), largestOf([-5]), largestOf([])]).toEqual([3, -5, -Infinity]);
    expect([smallestOf([2, 1, 3]), smallestOf([5]), smallestOf([])]).toEqual([1, 5, Infinity]);
  });
});

describe('words for people and shells', () => {
  it.each([
    [0, '0 runs'],
    [1, '1 run'],
    [2, '2 runs'],
  ])('count %i', (count, words) => {
    expect(counted(count, 'run')).toBe(words);
    expect(counted(2, 'entry', 'entries')).toBe('2 entries');
  });

  it.each([
    ['a@b%c+d=e:f,g.h/i-j_k1', 'a@b%c+d=e:f,g.h/i-j_k1'],
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['a\nb', "'a\nb'"],
    ['$x', "'$x'"],
  ])('quote %j', (word, quoted) => {
    expect(shellWord(word)).toBe(quoted);
  });

  it.each([
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a', '', false],
    ['?', '', false],
    ['?', 'a', true],
    ['?', 'ab', false],
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abcd', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a**', 'a', true],
    ['a*b', 'aab', true],
    ['a?c*', 'abcde', true],
    ['A', 'a', false],
    ['*ab', 'aab', true],
    ['*a?', 'ab', true],
    ['ab*', 'a', false],
  ])('match the pattern %j with %j: %s', (pattern, name, expected) => {
    expect(matchesGlob(pattern, name)).toBe(expected);
  });
});
