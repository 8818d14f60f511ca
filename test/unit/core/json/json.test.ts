import fc from 'fast-check';
import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { describeIssues } from '../../../../src/core/issues.js';
import { jsonFaultAt } from '../../../../src/core/json/fault.js';
import { parseJson } from '../../../../src/core/json/json.js';
import { thrownBy } from '../../../support/errors.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('parseJson', () => {
  it('gives what JSON.parse gives, for any value and spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', '  ', '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(parseJson(bytes(text), 'x', { duplicates: 'refuse' })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts a byte order mark (H09)', () => {
    expect(parseJson(bytes('\uFEFF[1]'), 'x')).toEqual([1]);
  });

  it.each([
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['["\\x"]', 1],
    ['[01]', 1],
    ['[1] 2', 4],
    ['{a:1}', 1],
    ['["é", x]', 7],
    ['<html></html>', 0],
  ])('tells where %s goes wrong (H02)', (text, at) => {
    expect(thrownBy(() => parseJson(bytes(text), 'the catalog'))).toMatchObject({
      code: 'BAD_JSON',
      message: `the catalog is not valid JSON (error at byte ${at})`,
    });
  });

  it('counts the bytes of a byte order mark', () => {
    expect(thrownBy(() => parseJson(bytes('\uFEFF[?'), 'x')).message).toContain('error at byte 4');
  });

  it('says of a document without its end, wherever it was cut, that it ends too early (H03)', () => {
    const text = '  {"a":[1,-2.5e+3,true,false,null,"b\\u00e9\\n\\"é"],"":{}}';
    const whole = bytes(text);
    for (let end = 0; end < whole.length; end += 1) {
      const error = thrownBy(() => parseJson(whole.subarray(0, end), 'x'));
      if (error.code !== 'BAD_UTF8') expect([end, error.details.cutShort]).toEqual([end, end === 0 ? undefined : true]);
    }
  });

  it.each(['{"a":1]', '{"it ends too early, at byte 1":?}', ''])('does not say so of what is wrong: %s', (text) => {
    const error = thrownBy(() => parseJson(bytes(text), 'it ends too early, at byte 1'));
    expect([error.code, error.details.cutShort]).toEqual(['BAD_JSON', undefined]);
  });

  it('finds a fault exactly in the texts that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0.5',
      'true',
      'nul',
      ' ',
      '"',
      '\\',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let good = true;
        try {
          JSON.parse(text);
        } catch {
          good = false;
        }
        expect(jsonFaultAt(text) === undefined).toBe(good);
      }),
      { numRuns: 3000 },
    );
  });

  it('never quotes the document in its errors, nor keeps a cause that does', () => {
    const error = thrownBy(() => parseJson(bytes('canary-5f2a and more'), 'the token file'));
    expect(`${error.message} ${String(error.cause)} ${error.stack ?? ''}`).not.toContain('canary-5f2a');
  });

  it.each([
    [[0x22, 0xff, 0x22], 1],
    [[0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d], 2],
    [[0x22, 0x61, 0xe2, 0x82], 4],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
  ])('refuses %j, which is not UTF-8, with the offset (H08)', (content, at) => {
    const error = thrownBy(() => parseJson(Uint8Array.from(content), 'x'));
    expect(error.code).toBe('BAD_UTF8');
    expect(Math.abs(Number(/byte (\d+)/u.exec(error.message)?.[1]) - at)).toBeLessThanOrEqual(1);
  });

  it('takes 64 levels and refuses 65 (H10)', () => {
    const nested = (depth: number): Uint8Array => bytes('['.repeat(depth) + ']'.repeat(depth));
    expect(parseJson(nested(64), 'x')).toBeInstanceOf(Array);
    expect(thrownBy(() => parseJson(nested(65), 'x')).code).toBe('TOO_DEEP');
    expect(thrownBy(() => parseJson(bytes('{"a":'.repeat(100_000)), 'x')).code).toBe('TOO_DEEP');
  });

  it('does not count brackets inside text as levels', () => {
    const text = JSON.stringify(['\\"' + '['.repeat(200), '{'.repeat(200) + '\\']);
    expect(parseJson(bytes(text), 'x')).toEqual(JSON.parse(text));
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"b":[],"b" : 1}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"a":1},"b":["a","a"],"a":0}',
    '{"a":1,"a"\t:2}',
    '{"a":1,"a"\r\n:2}',
  ])('refuses %s when duplicates count (H07)', (text) => {
    expect(thrownBy(() => parseJson(bytes(text), 'x', { duplicates: 'refuse' })).code).toBe('DUP_KEY');
    expect(parseJson(bytes(text), 'x')).toEqual(JSON.parse(text));
  });

  it('shows the name of a duplicate escaped', () => {
    const text = '{"\\u001b[31m":1,"\\u001b[31m":2}';
    expect(thrownBy(() => parseJson(bytes(text), 'x', { duplicates: 'refuse' })).message).toContain('"\\u001b[31m"');
  });

  it('does not take values or members of other objects for duplicates', () => {
    const text = '{"a":"a","b":[{"a":1},{"a":2}],"c":{"a":"b:"}}';
    expect(parseJson(bytes(text), 'x', { duplicates: 'refuse' })).toEqual(JSON.parse(text));
  });

  it('keeps __proto__, constructor and toString as plain data (H11)', () => {
    const value = parseJson(bytes('{"__proto__":{"x":1},"constructor":2,"toString":3}'), 'x') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('survives a text of several megabytes in one string', () => {
    const text = JSON.stringify({ a: 'x\\'.repeat(1_500_000) });
    expect(parseJson(bytes(text), 'x', { duplicates: 'refuse' })).toBeTypeOf('object');
    expect(jsonFaultAt(`${text}x`)).toBe(text.length);
  });
});

describe('describeIssues', () => {
  const schema = z.strictObject({
    name: z.string(),
    list: z.array(z.looseObject({ 'odd name': z.int() })),
    kind: z.enum(['a', 'b']),
    size: z.number().check(z.minimum(2), z.maximum(5)),
  });
  const words = (value: unknown): readonly string[] => {
    const result = z.safeParse(schema, value);
    return result.success ? [] : describeIssues(result.error);
  };

  it('words each issue with its place and without the value', () => {
    expect(words({ name: 5, list: [{ 'odd name': 'canary' }], kind: 'canary', size: 1, canary2: true })).toEqual([
      'name must be a string',
      'list[0]["odd name"] must be a number',
      'kind must be "a" or "b"',
      'size must not be less than 2',
      'the document has unknown members: "canary2"',
    ]);
  });

  it('words the document itself and what is missing', () => {
    expect(words([])).toEqual(['the document must be an object']);
    expect(words({ name: '', list: [], kind: 'a' })).toEqual(['size must be a number']);
  });
});
