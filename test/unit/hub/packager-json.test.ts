import { describe, expect, it } from 'vitest';
import { categoryList } from '../../../src/services/hosting/build/make-catalog.js';
import { inCatalogOrder, orderedLabel } from '../../../src/hub/catalog-order.js';
import { packagerElement, packagerList } from '../../../src/hub/packager-json.js';

const listOf = (...values: readonly unknown[]): string => [...packagerList(values.map(packagerElement))].join('');

describe('a list as the packager writes it', () => {
  it('has two spaces a level and one line end at the end', () => {
    expect(listOf({ a: 'x', b: [], c: {}, d: ['y', 'z'], e: undefined, f: 1, g: true }, { a: '' })).toBe(
      `[
  {
    "a": "x",
    "b": [],
    "c": {},
    "d": [
      "y",
      "z"
    ],
    "f": 1,
    "g": true
  },
  {
    "a": ""
  }
]
`,
    );
    expect(listOf()).toBe('[]\n');
  });

  it.each([
    [`<>&='`, String.raw`\u003c\u003e\u0026\u003d\u0027`],
    ['\u2028\u2029', String.raw`\u2028\u2029`],
    ['"\\/', String.raw`\"\\/`],
    ['\b\f\n\r\t', String.raw`\b\f\n\r\t`],
    ['\u0000\u001f\u000b', String.raw`\u0000\u001f\u000b`],
    ['\u007f\u0080\u00e9\u2027\u{1f600}', '\u007f\u0080\u00e9\u2027\u{1f600}'],
    ['\ud83d-\ude00\ud83d\ude00', '?-?\u{1f600}'],
    [String.raw`\u003c`, String.raw`\\u003c`],
  ])('has %j as "%s"', (text, written) => {
    expect(listOf({ text })).toBe(`[\n  {\n    "text": "${written}"\n  }\n]\n`);
  });
});

describe('the order of a catalog', () => {
  it('is that of label, name and version by UTF-16 units', () => {
    const place = (label: unknown, name: string, version: string) => ({ label: orderedLabel(label), name, version });
    const sorted = [
      place(undefined, 'z', '1'),
      place('A', 'b', '1.10.0'),
      place('a', 'b', '1.6.0'),
      place('A', 'c', '1.0.0'),
      place('a b', 'a', '1.0.0'),
      place('\u{1f600}', 'a', '1'),
      place('\uff5e', 'a', '1'),
    ];
    expect(sorted.toReversed().sort(inCatalogOrder)).toEqual(sorted);
  });
});

describe('the list of categories', () => {
  const found = new Set(['gcp', 'AWS', 'b c']);

  it('is in the order of UTF-16 units', () => {
    expect(categoryList(found, new Set(['gcp', 'unused']), [])).toEqual([
      { name: 'AWS', hasIcon: false },
      { name: 'b c', hasIcon: false },
      { name: 'gcp', hasIcon: true },
    ]);
  });

  it('is in the order of a whitelist, each once, without those that no package has', () => {
    const names = categoryList(found, new Set(), ['gcp', 'none', 'AWS', 'gcp']).map(({ name }) => name);
    expect(names).toEqual(['gcp', 'AWS']);
  });
});
