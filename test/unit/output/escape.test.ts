import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { escapedJson, visible, visibleLines } from '../../../src/output/escape.js';
import { yamlText } from '../../../src/output/writers/yaml.js';

const HOSTILE: readonly (readonly [id: string, text: string, shown: string])[] = [
  ['D01 colour', '\u001b[31mred', String.raw`\x1b[31mred`],
  ['D01 clear screen', '\u001b[2J', String.raw`\x1b[2J`],
  ['D02 title with BEL', '\u001b]0;title\u0007', String.raw`\x1b]0;title\x07`],
  ['D02 clipboard with ST', '\u001b]52;c;aGk=\u001b\\', String.raw`\x1b]52;c;aGk=\x1b` + '\\'],
  ['D02 link ended by C1', '\u001b]8;;http://x\u009c', String.raw`\x1b]8;;http://x\x9c`],
  ['D03 DCS', '\u001bP1$q\u001b\\', String.raw`\x1bP1$q\x1b` + '\\'],
  ['D03 APC, PM, SOS', '\u001b_a\u001b^b\u001bXc', String.raw`\x1b_a\x1b^b\x1bXc`],
  ['D04 C1', '\u0080\u009b31m\u009f', String.raw`\x80\x9b31m\x9f`],
  ['D05 CR, BS, VT, FF, DEL', 'a\rb\bc\vd\fe\u007f', String.raw`a\rb\x08c\x0bd\x0ce\x7f`],
  ['D06 LF and TAB', 'a\nb\tc', String.raw`a\nb\tc`],
  ['D07 bidi', '\u202eabc\u2066', String.raw`\u{202e}abc\u{2066}`],
  ['D07 zero width', 'a\u200bb\u200dc\ufeff', String.raw`a\u{200b}b\u{200d}c\u{feff}`],
  ['D07 tags', 'a\u{e0041}\u{e0100}', String.raw`a\u{e0041}\u{e0100}`],
  ['D07 lone surrogates', 'a\ud800b\udc00', String.raw`a\u{d800}b\u{dc00}`],
  ['D07 separators and fillers', '\u2028\u2029\u3164\u00ad', String.raw`\u{2028}\u{2029}\u{3164}\xad`],
  ['NUL', '\0', String.raw`\x00`],
];
const DANGER = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('the escape gate', () => {
  it.each(HOSTILE)('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each(['plain', 'Grüße', '日本語', '😀 smile', 'é', ''])('leaves %j alone', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('keeps the line feeds of a text of several lines', () => {
    expect(visibleLines('one\r\ntwo\u001b\n')).toBe('one\ntwo\\x1b\n');
  });

  it('lets nothing through that could move, hide or reorder text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(DANGER);
      }),
    );
  });

  it('writes any text in yaml as escapes of the same value', async () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE.map(([, text]) => text)));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(texts, texts), async (value) => {
        const yaml = await yamlText(value);
        expect(yaml.replaceAll('\n', '')).not.toMatch(DANGER);
        expect(parse(yaml)).toEqual(value);
      }),
    );
  });

  it.each(HOSTILE)('writes %s in json as escapes of the same value', (_, text) => {
    const json = escapedJson(JSON.stringify({ text }));
    expect(json).not.toMatch(DANGER);
    expect(JSON.parse(json)).toEqual({ text: text });
  });
});
