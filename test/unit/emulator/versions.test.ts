import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  inRange,
  parseRange,
  parseVersion,
  parseWanted,
  rangeText,
} from '../../../src/emulator/store/versions.js';

const version = (text: string) => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
};

describe('versions of artifacts in the emulator', () => {
  it.each(['12c', 'v1', 'a', '', '-1', '.1', 'null'])('%j is none', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('stand in the order that a real platform listed', () => {
    const listed = ['1.0.0/2', '1.0.0_x', '1.0.0', '1.0.0-rc1', '1.1.0-2.11', '1.2', '1.2.3.4', '6.0.jre7', '11'];
    expect([...listed].reverse().sort((a, b) => compareVersions(version(a), version(b)))).toEqual(listed);
  });

  it('stand before their release when they are SNAPSHOTs, after a shorter number', () => {
    const listed = ['1.0', '1.0.0-SNAPSHOT', '1.0.0', '1.0.0-rc1'];
    expect([...listed].reverse().sort((a, b) => compareVersions(version(a), version(b)))).toEqual(listed);
  });

  it('are ordered the same way from both sides', () => {
    const texts = fc.stringMatching(/^\d{1,2}(?:\.\d){0,2}(?:[-.](?:SNAPSHOT|rc1|x))?$/u).map(version);
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
      }),
    );
  });
});

describe('ranges in the emulator', () => {
  it.each([
    ['[1.0.0,2.0.0)', '1.0.0', true],
    ['(1.0.0,2.0.0)', '1.0.0', false],
    ['[1.0.0,2.0.0)', '2.0.0', false],
    ['[1.0.0,2.0.0]', '2.0.0', true],
    ['[1.0.0,2.0.0)', '2.0.0-SNAPSHOT', true],
    ['[1.0.0,2.0.0-SNAPSHOT)', '2.0.0-SNAPSHOT', false],
    ['(1.0.0,1.0.0)', '1.0.0', false],
    ['1.2', '1.2', true],
    ['1.2', '1.2.0', false],
  ])('%s holds %s: %s', (range, text, holds) => {
    expect(inRange(version(text), parseWanted(range))).toBe(holds);
  });

  it('are printed without blanks', () => {
    expect(rangeText(parseRange('[6.0.0, 7.0.0)'))).toBe('[6.0.0,7.0.0)');
  });

  it.each([
    ['[2,1]', 'Invalid version range [2,1]. Lower version 2 is greater than upper version 1.'],
    ['[1,1)', 'Invalid version range [1,1).'],
    ['[1]', 'Invalid version range [1].'],
    ['foo', "Could not parse 'null' as an artifact version."],
  ])('%s is refused', (range, sentence) => {
    expect(() => parseWanted(range)).toThrow(sentence);
  });
});
