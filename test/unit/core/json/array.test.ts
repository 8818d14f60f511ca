import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonArray } from '../../../../src/core/json/array.js';
import { parseJson } from '../../../../src/core/json/json.js';

const elements = (text: string | Uint8Array): readonly unknown[] | undefined => {
  const found = parseJsonArray(Buffer.from(text), 'the list');
  return found === undefined ? undefined : [...found];
};

/** What a reader of the whole document makes of it: its value, or the error. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

const LARGE = Array.from({ length: 9000 }, (_, at) => ({
  name: `package ${at} },{ "quoted"`,
  in: [{ a: at }, { b: [] }],
  text: 'ä'.repeat(at % 200),
}));

describe('the elements of a JSON array', () => {
  it.each(['[]', ' [ ] ', '[1]', '\ufeff[{"a":[1,{}]},"x",null]\n', '[[],[[]]]'])('are those of %j', (text) => {
    expect(elements(text)).toEqual(JSON.parse(text.replace('\ufeff', '')));
  });

  it.each([
    ['as one line', JSON.stringify(LARGE)],
    ['with blanks', JSON.stringify(LARGE, undefined, 2)],
    ['without an object', JSON.stringify(LARGE.map(({ text }) => text))],
    ['with a string that looks like their border everywhere', JSON.stringify(['},{'.repeat(700_000), { a: 1 }])],
  ])('are found in a document of several parts, %s', (_, text) => {
    expect(text.length).toBeGreaterThan(400_000);
    expect(elements(text)).toEqual(JSON.parse(text));
  });

  it.each([
    [
      'the comma first',
      (at: number) => `${at === 0 ? '' : '\n  , '}{"name":"p${at}","label":"${'x'.repeat(200)}"}`,
      80_000,
    ],
    [
      'more objects inside than are looked at one by one',
      (at: number) =>
        `${at === 0 ? '' : ','}{"name":"p${at}","in":[${`{"x":"${'"},{'.replace('"', String.raw`\"`).repeat(20)}"},`.repeat(60)}1]}`,
      4000,
    ],
  ])('are found in a document of more than 16 MB with %s', (_, element, times) => {
    const text = `[${Array.from({ length: times }, (__, at) => element(at)).join('')}]`;
    expect(text.length).toBeGreaterThan(17_000_000);
    expect(elements(text)).toEqual(JSON.parse(text));
  });

  it('may be of 16 MB each, and no more', () => {
    const element = (length: number): string => `{"x":"${'},{'.repeat((length - 8) / 3)}"}`.padEnd(length);
    expect(elements(`[${element(16_000_000)},${element(16_000_000)}]`)).toHaveLength(2);
    expect(() => elements(`[1,${element(16_000_002)},2]`)).toThrow(
      'the list has an element larger than 16000000 bytes',
    );
  });

  it.each([
    ['objects', LARGE],
    ['texts', LARGE.map(({ text }) => text)],
  ])('come as soon as their part is read: %s', (_, list) => {
    const text = JSON.stringify(list);
    const [first] = parseJsonArray(Buffer.from(`${text.slice(0, -1)}, nonsense]`), 'the list') ?? [];
    expect(first).toEqual(list[0]);
  });

  it.each(['{"a":1}', '"x"', '1'])('are none where the document is %s', (text) => {
    expect(elements(text)).toBeUndefined();
  });

  const good = JSON.stringify(LARGE).slice(0, -1);
  it.each([
    ['', ''],
    ['no end', '[1,2'],
    ['a comma before the end', '[1,]'],
    ['nothing but a comma', '[,]'],
    ['something behind the end', '[1] 2'],
    ['two ends', '[1]]'],
    ['another bracket at the end', '[1}'],
    ['a broken element', '[{"a":}]'],
    ['a comma at the end of several parts', `${good},]`],
    ['no end of several parts', good],
    ['something behind several parts', `${good}],{}`],
    ['a wrong byte', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
    ['an element that is too deep', `[${'['.repeat(64)}${']'.repeat(64)}]`],
    ['an element that is much too deep', `[1,${'['.repeat(100_000)}`],
  ])('are refused as the whole document is: %s', (_, text) => {
    const whole = outcome(() => parseJson(Buffer.from(text), 'the list'));
    expect(whole).toBeTypeOf('string');
    expect(outcome(() => elements(text))).toBe(whole);
  });

  it('may be as deep as in a whole document', () => {
    const text = `[${'['.repeat(63)}${']'.repeat(63)}]`;
    expect(elements(text)).toEqual(parseJson(Buffer.from(text), 'the list'));
  });

  it('are those of any array, and nothing else is one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.nat(),
        fc.constantFrom('', ',', ']', '{', '"', 'x'),
        (value, at, typo) => {
          const text = JSON.stringify(value);
          const spoiled = `${text.slice(0, at % text.length)}${typo}${text.slice(at % text.length)}`;
          const whole = outcome(() => parseJson(Buffer.from(spoiled), 'the list'));
          expect(outcome(() => elements(spoiled))).toEqual(
            Array.isArray(whole) || typeof whole === 'string' ? whole : undefined,
          );
        },
      ),
    );
  });
});
