import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson } from '../../../src/emulator/http/json-text.js';

describe('a JSON text that is kept as it was written', () => {
  it.each([
    ['{ "a" : 512.0 , "b" : 1e3 }', '{"a":512.0,"b":1e3}'],
    ['12345678901234567890', '12345678901234567890'],
    [String.raw`"\u00e9<\/"`, '"é</"'],
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['[ ]', '[]'],
    [' null ', 'null'],
  ])('%s becomes %s', (source, written) => {
    expect(compactJson(source, 'plain')).toBe(written);
  });

  it.each([
    ['{"a":null,"b":[null]}', '{"b":[null]}'],
    ['"<&>"', String.raw`"\u003c\u0026\u003e"`],
  ])('as a platform 4.3.5 keeps it, %s becomes %s', (source, written) => {
    expect(compactJson(source, 'gson')).toBe(written);
  });

  it.each(['', '{bad', '[1,]', '{"a":}', 'x'])('does not exist for %j', (source) => {
    expect(compactJson(source, 'plain')).toBeUndefined();
  });

  it('means the same as before, with or without blanks', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, 7), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const written = compactJson(JSON.stringify(value, undefined, indent), 'plain') ?? '';
        expect(JSON.parse(written)).toEqual(value);
      }),
    );
  });
});
