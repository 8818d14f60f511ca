import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObjectText, memberTexts, withMember } from '../../../src/core/json-members.js';

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
