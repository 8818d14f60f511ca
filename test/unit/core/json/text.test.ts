import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText, replaceTexts, valueAt, type JsonNode } from '../../../../src/core/json/text.js';
import { thrownBy } from '../../../support/errors.js';

/** What the nodes say, without the places. */
function meaning(node: JsonNode, text: string): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, part]) => [name, meaning(part, text)]));
    case 'array':
      return node.items.map((item) => meaning(item, text));
    case 'string':
      return node.value;
    default:
      return valueAt(text, node);
  }
}

/** Every node, the outer ones first. */
function nodesOf(node: JsonNode): readonly JsonNode[] {
  const parts = node.kind === 'object' ? [...node.members.values()] : node.kind === 'array' ? node.items : [];
  return [node, ...parts.flatMap(nodesOf)];
}

/** The text of the value at a path of member names and indexes. */
function textAt(text: string, ...path: readonly (string | number)[]): string | undefined {
  let node: JsonNode | undefined = parseJsonText(text, 'it');
  for (const step of path)
    node =
      node?.kind === 'object'
        ? node.members.get(String(step))
        : node?.kind === 'array'
          ? node.items[Number(step)]
          : undefined;
  return node && text.slice(node.start, node.end);
}

describe('the places of a JSON text', () => {
  it.for([
    ['a number as it was written', '{"a": 1.0 ,"b":2}', ['a'], '1.0'],
    ['a number of many digits', '[12345678901234567890]', [0], '12345678901234567890'],
    ['the last member of one name', '{"a":1,"a":{"b":2},"a" : 3 }', ['a'], '3'],
    ['a member whose name is escaped', String.raw`{"\u0073tages":[ true ]}`, ['stages', 0], 'true'],
    ['an escaped text', String.raw`["\"\\", "a\\\"]," ,null]`, [1], String.raw`"a\\\"],"`],
    ['a text that ends with a backslash', String.raw`["a\\",  "b"]`, [1], '"b"'],
    ['a member called like the prototype', '{"__proto__":{"a":1}}', ['__proto__', 'a'], '1'],
    ['a member without a name', '{"":0}', [''], '0'],
    ['behind a byte order mark', '\ufeff {"a":null}', ['a'], 'null'],
    ['an empty object', ' { } ', [], '{ }'],
    ['an empty array', '[[\n]]', [0], '[\n]'],
    ['a lone surrogate', '{"\ud800":"\udc00"}', ['\ud800'], '"\udc00"'],
  ] as const)('are those of %s', ([, text, path, expected]) => {
    expect(textAt(text, ...path)).toBe(expected);
  });

  it('mean what the text means, for any value and any blanks', () => {
    const blanks = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.jsonValue(), blanks, (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const root = parseJsonText(text, 'it');
        expect(meaning(root, text)).toEqual(JSON.parse(text));
        for (const node of nodesOf(root)) expect(meaning(node, text)).toEqual(valueAt(text, node));
      }),
    );
  });

  it.for([
    ['BAD_JSON', '{"a":secret}', 'the thing is not valid JSON (error at byte 5)'],
    ['BAD_JSON', '', 'the thing is not valid JSON (it ends too early, at byte 0)'],
    ['BAD_JSON', '{"a":1} {', 'the thing is not valid JSON (error at byte 8)'],
    ['TOO_DEEP', '['.repeat(65) + ']'.repeat(65), 'the thing is nested deeper than 64 levels (at byte 64)'],
    ['TOO_DEEP', '{"a":'.repeat(100_000), 'the thing is nested deeper than 64 levels (at byte 320)'],
  ] as const)('are refused with %s for %s', ([code, text, message]) => {
    expect(thrownBy(() => parseJsonText(text, 'the thing'))).toMatchObject({ code, message });
  });

  it('are read down to 64 levels', () => {
    expect(nodesOf(parseJsonText('['.repeat(64) + ']'.repeat(64), 'it'))).toHaveLength(64);
  });
});

describe('a text with parts replaced', () => {
  it.for([
    ['nothing', [], 'abcdef'],
    [
      'two parts, whatever their order',
      [
        [4, 5, 'Y'],
        [1, 3, ''],
      ],
      'adYf',
    ],
    [
      'neighbours',
      [
        [0, 1, 'X'],
        [1, 2, 'Y'],
      ],
      'XYcdef',
    ],
    [
      'a place between two characters',
      [
        [6, 6, '!'],
        [0, 0, '!'],
      ],
      '!abcdef!',
    ],
  ] as const)('has %s replaced', ([, edits, expected]) => {
    expect(
      replaceTexts(
        'abcdef',
        edits.map(([start, end, text]) => ({ start, end, text })),
      ),
    ).toBe(expected);
  });

  it.for([
    [
      'overlap',
      [
        [0, 2],
        [1, 3],
      ],
    ],
    [
      'are one and the same',
      [
        [0, 2],
        [0, 2],
      ],
    ],
    ['leave the text', [[5, 7]]],
    ['begin before it', [[-1, 1]]],
    ['end before they begin', [[2, 1]]],
  ] as const)('is refused when edits %s', ([, edits]) => {
    const work = (): string =>
      replaceTexts(
        'abcdef',
        edits.map(([start, end]) => ({ start, end, text: 'x' })),
      );
    expect(thrownBy(work)).toMatchObject({ code: 'INTERNAL' });
  });

  it('changes what the nodes address, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, pick) => {
        const text = JSON.stringify(value, undefined, 1);
        const nodes = nodesOf(parseJsonText(text, 'it'));
        const node = nodes[pick % nodes.length];
        const { start, end } = node ?? { start: 0, end: 0 };
        const changed = replaceTexts(text, [{ start, end, text: '"new"' }]);
        expect(changed).toBe(`${text.slice(0, start)}"new"${text.slice(end)}`);
        const after = nodesOf(parseJsonText(changed, 'it')).find((one) => one.start === start);
        expect(changed.slice(start, after?.end)).toBe('"new"');
      }),
    );
  });
});
