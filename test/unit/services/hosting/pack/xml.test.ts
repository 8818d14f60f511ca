import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from '../../../../../src/services/hosting/pack/xml.js';

const element = (name: string, text = '', children: readonly XmlElement[] = []): XmlElement => ({
  name,
  text,
  children,
});
const nested = (depth: number): string => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;

describe('a document', () => {
  it.each<[string, string, XmlElement]>([
    [
      'its elements and their texts',
      '<a> x<b>1</b>y <b/>z</a>',
      element('a', ' xy z', [element('b', '1'), element('b')]),
    ],
    [
      'what is before and after its root',
      '\ufeff<?xml version="1.0"?>\n<!-- <b> -->\n<a/>\n<!-- -->\n<?x <b> ?>\n',
      element('a'),
    ],
    ['names without their prefixes', '<x:y:a><b></b></x:y:a>', element('a', '', [element('b')])],
    [
      'attributes with any quotes, which are passed over',
      `<a x="1 > 0" y='"/>' z = "'"><b\nc="/"/><d e='f' /></a >`,
      element('a', '', [element('b'), element('d')]),
    ],
    [
      'texts as they are, and comments in them',
      '<a>1<![CDATA[<b>&lt;]]>2<!-- <b> -->3</a>',
      element('a', '1<b>&lt;23'),
    ],
    ['characters by name', '<a>&lt;&gt;&amp;&quot;&apos;&other;&lt</a>', element('a', `<>&"'&other;&lt`)],
    ['characters by number', '<a>&#65;&#x42;&#X1f601;&#1114111;</a>', element('a', 'AB\u{1f601}\u{10ffff}')],
    [
      'numbers of no characters',
      '<a>&#1114112;&#x110000;&#12345678;</a>',
      element('a', '&#1114112;&#x110000;&#12345678;'),
    ],
  ])('is read with %s', (_, source, root) => {
    expect(readXml(source)).toEqual(root);
  });

  it.each([
    ['nothing', ''],
    ['no element', 'text'],
    ['two roots', '<a/><b/>'],
    ['an element without an end', '<a><b></b>'],
    ['an end without an element', '<a/></a>'],
    ['an end of another element', '<a></b>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a comment without an end', '<a/><!-- '],
    ['a tag without an end', '<a><b</a>'],
    ['a quote without an end', '<a x="></a>'],
    ['a name of quotes', '<a"b"></a>'],
  ])('is none with %s', (_, source) => {
    expect(readXml(source)).toBeUndefined();
  });

  it('may have elements in 98 others', () => {
    expect(readXml(nested(99))?.name).toBe('a');
    expect(readXml(nested(100))).toBeUndefined();
  });
});
