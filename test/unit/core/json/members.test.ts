import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObjectText, memberTexts, withMember, withoutMember } from '../../../../src/core/json/members.js';

const ODD = String.raw`{ "a" : 512.0 ,"b":12345678901234567890, "\u0062c": [1e3 , "}\"]" ,{"x":null}],"a":{"y": "\/"} }`;

/** A value as JSON keeps it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

describe('the members of an object text', () => {
  it('are the texts that stand in it, the last of one name', () => {
    expect([...memberTexts(ODD)]).toEqual([
      ['a', String.raw`{"y": "\/"}`],
      ['b', '12345678901234567890'],
      ['bc', String.raw`[1e3 , "}\"]" ,{"x":null}]`],
    ]);
    expect([...memberTexts(' {\n} ')]).toEqual([]);
  });

  it.for([
    [' {}', true],
    ['[{}]', false],
    ['"{"', false],
    ['null', false],
  ] as const)('%s is an object: %s', ([text, expected]) => {
    expect(isObjectText(text)).toBe(expected);
  });
});

describe('an object text with a member changed', () => {
  it.for([
    ['in an empty object', '{}', ['a'], '{"a":1}'],
    ['in one with blanks', '{ }', ['a'], '{"a":1 }'],
    ['behind the others', '{"b" : 2.0 }', ['a'], '{"b" : 2.0,"a":1 }'],
    ['in place of the old', '{"a": [2, 3] ,"b":0}', ['a'], '{"a": 1 ,"b":0}'],
    ['where the last of one name stands', '{"a":0,"a":0}', ['a'], '{"a":0,"a":1}'],
    ['below, which is made', '{}', ['a', 'b', 'c'], '{"a":{"b":{"c":1}}}'],
    ['below null', '{"a":null}', ['a', 'b'], '{"a":{"b":1}}'],
    ['below what is there', '{"a":{"x":1e3},"z":[]}', ['a', 'b'], '{"a":{"x":1e3,"b":1},"z":[]}'],
    ['under a name that needs quoting', '{}', ['a"\n'], String.raw`{"a\"\n":1}`],
    ['under a name that is written with an escape', String.raw`{"\u0061":0}`, ['a'], String.raw`{"\u0061":1}`],
  ] as const)('%s', ([, object, path, expected]) => {
    expect(withMember(object, path, '1')).toBe(expected);
  });

  it('means what the change means, for any object and any path', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    const blanks = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(object, fc.string(), fc.string(), fc.jsonValue(), blanks, (value, first, second, member, space) => {
        fc.pre(![first, second].includes('__proto__') && !('__proto__' in value && Object.hasOwn(value, '__proto__')));
        const text = JSON.stringify(value, undefined, space);
        const changed = JSON.parse(withMember(text, [first], JSON.stringify(member))) as unknown;
        expect(changed).toEqual({ ...(JSON.parse(text) as object), [first]: plain(member) });
        const deep = JSON.parse(withMember('{}', [first, second], JSON.stringify(member))) as unknown;
        expect(deep).toEqual({ [first]: { [second]: plain(member) } });
        for (const [name, inner] of memberTexts(text))
          expect(JSON.parse(inner)).toEqual((JSON.parse(text) as Record<string, unknown>)[name]);
      }),
    );
  });
});

describe('an object text without a member', () => {
  it.for([
    ['that is not there', '{"a":1 }', ['b'], '{"a":1 }'],
    ['that is alone', '{ "a" : 1 }', ['a'], '{}'],
    ['that is first', '{ "a":1 , "b":[ 2.0]}', ['a'], '{"b":[ 2.0]}'],
    ['in the middle', '{"a":1e3,"b": [1,2] ,"c":3.0}', ['b'], '{"a":1e3,"c":3.0}'],
    ['that is written twice', '{"a":0,"b":1,"a":2}', ['a'], '{"b":1}'],
    ['below', '{ "a" : {"x":1.0,"b":1} ,"z":[]}', ['a', 'b'], '{ "a" : {"x":1.0} ,"z":[]}'],
    ['below null', '{"a":null}', ['a', 'b'], '{"a":null}'],
    ['below nothing', '{"z":1}', ['a', 'b'], '{"z":1}'],
  ] as const)('%s', ([, object, path, expected]) => {
    expect(withoutMember(object, path)).toBe(expected);
  });

  it('means what the removal means, for any object and any path', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, object, fc.string(), fc.string(), (value, below, name, other) => {
        fc.pre(![name, other, ...Object.keys(value), ...Object.keys(below)].includes('__proto__'));
        const text = withMember(JSON.stringify(value, undefined, 1), [name], JSON.stringify({ ...below, [other]: 1 }));
        const without = (of: object, gone: string): object =>
          plain(Object.fromEntries(Object.entries(of).filter(([key]) => key !== gone))) as object;
        const rest = without(value, name);
        expect(JSON.parse(withoutMember(text, [name]))).toEqual(rest);
        expect(JSON.parse(withoutMember(text, [name, other]))).toEqual({ ...rest, [name]: without(below, other) });
      }),
    );
  });
});
