import { describe, expect, it } from 'vitest';
import { folded, hexDigits, unescaped, unwrapped, viewOf, type View } from '../../../../src/core/secrets/unescape.js';

const U = String.fromCharCode(92);

/** What each character was made of. */
const originals = (view: View, text: string): readonly string[] =>
  Array.from(view.text, (_, at) => text.slice(view.start(at), view.end(at)));

describe('a text without its escapes', () => {
  it.each([
    [`a${U}u003db`, 'a=b'],
    [`a${U}${U}${U}u003Db`, 'a=b'],
    [`a${U}u{3d}b${U}u{00003D}c`, 'a=b=c'],
    [`${U}u{1f600}${U}U0001F600`, '😀😀'],
    [`${U}uD83D${U}uDE00`, '😀'],
    [`${U}x3d${U}X3D`, '=='],
    [`${U}075${U}75`, '=75'],
    [`${U}477`, '477'],
    [`${U}u{110000}`, 'u{110000}'],
    [`${U}U00110000`, 'U00110000'],
    [`${U}u{10ffff}`, '\u{10ffff}'],
    [`${U}u003`, 'u003'],
    [`${U}"${U}n${U}r`, '"nr'],
    [`a${U}`, 'a'],
    ['%3D%3d%253D%25253D%2525253D', '====='],
    ['%', '%'],
    ['%3', '%3'],
    ['%zz', '%zz'],
    ['%25', '%'],
    ['%C3%A9%c3%a9', 'éé'],
    ['%E2%82%AC', '€'],
    ['%F0%9F%98%80', '😀'],
    ['%C3%3D', 'Ã='],
    ['%C3', 'Ã'],
    ['%F7%BF%BF%BF', '÷¿¿¿'],
    ['%25C3%25A9', 'é'],
    ['&#61;&#x3d;&#X3D;&#0061;', '===='],
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['&AMP;amp;lt;', '<'],
    ['&amp;amp;#61;', '='],
    ['&#1114112;&#x110000;', '&#1114112;&#x110000;'],
    ['&none; & &#;', '&none; & &#;'],
    ['100% & more', '100% & more'],
    ['nothing', 'nothing'],
  ])('%s is %s', (text, plain) => {
    expect(unescaped(viewOf(text), false).text).toBe(plain);
  });

  it('has breaks where they are wanted', () => {
    expect(unescaped(viewOf(`a${U}nb${U}${U}rc${U}td`), true).text).toBe('a\nb\nctd');
  });

  it('knows where each character stood', () => {
    const text = `a${U}u003d%3D&lt;b`;
    expect(originals(unescaped(viewOf(text), false), text)).toEqual(['a', `${U}u003d`, '%3D', '&lt;', 'b']);
    const nested = 'x%26lt;y';
    expect(originals(unescaped(viewOf(nested), false), nested)).toEqual(['x', '%26lt;', 'y']);
  });

  it('is undone six times at most', () => {
    const nested = (count: number) =>
      Array(count)
        .fill(0)
        .reduce<string>((text) => text.replaceAll('&', '&#38;'), '&lt;');
    expect([unescaped(viewOf(nested(5)), false).text, unescaped(viewOf(nested(6)), false).text]).toEqual(['<', '&lt;']);
  });
});

describe('a text in other words', () => {
  it.each([
    ['a\nb', 'ab'],
    ['a\r\nb', 'ab'],
    [`a${U}\n   b`, 'ab'],
    ['a\n> # | *b', 'ab'],
    ['a\n-b', 'a-b'],
    ['a b', 'a b'],
  ])('without its line breaks: %j', (text, plain) => {
    expect(unwrapped(viewOf(text)).text).toBe(plain);
  });

  it.each([
    ['0x61 0x62', '6162'],
    [`${U}x61${U}X62`, '6162'],
    ['61:62-63, 64', '61626364'],
    ['0xzz', '0xzz'],
    ['6162', '6162'],
  ])('of the digits of bytes: %s', (text, plain) => {
    const view = hexDigits(viewOf(text));
    expect(view.text).toBe(plain);
    expect(originals(view, text).join('')).toBe(plain);
  });

  it.each([
    ['ABC', 'abc'],
    ['ΟΔΟΣ ς', 'οδοσ σ'],
    ['İAΣ', 'İaσ'],
    ['İς', 'İσ'],
  ])('in small letters: %s', (text, plain) => {
    const view = folded(viewOf(text));
    expect([view.text, view.start(1), view.end(1)]).toEqual([plain, 1, 2]);
  });
});
