import { describe, expect, it } from 'vitest';
import { packed } from '../../../src/output/pack-line.js';

const look = { terminal: true, color: true, unicode: true, utc: true };
const red = '\u001b[31mfailed 3\u001b[0m';

describe('pieces side by side', () => {
  it.for<[string, number | undefined, readonly string[], readonly string[]]>([
    ['are one line off a terminal', undefined, ['a', 'b', 'c'], ['a   b   c']],
    ['are one line where it has room', 12, ['1234', '12345'], ['1234   12345']],
    ['are two where it has not', 11, ['1234', '12345'], ['1234', '12345']],
    ['are as wide as they are seen', 12, [red, 'b', 'c'], [`${red}   b`, 'c']],
    ['are never broken', 3, ['12345', 'b', 'c'], ['12345', 'b', 'c']],
    ['are nothing without any', 10, [], []],
  ])('%s', ([, columns, pieces, lines]) => {
    expect(packed(pieces, '   ', { ...look, columns })).toEqual(lines);
  });
});
