import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedLines, LineCounter, NO_LINES, sameLines, type LineBag } from '../../../src/core/line-digest.js';

const ofFile = (...pieces: readonly (string | Uint8Array)[]): LineBag => {
  const counter = new LineCounter();
  for (const piece of pieces) counter.feed(Buffer.from(piece));
  return counter.bag();
};
const ofEvents = (...events: readonly string[]): LineBag => {
  const counter = new LineCounter();
  for (const event of events) counter.event(event);
  return counter.bag();
};

describe('a bag of lines', () => {
  it.for([
    ['', []],
    ['\n\r\n\r\r\n', []],
    ['a', ['a']],
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb\r\n\r\nc', ['a', 'b', 'c']],
    ['a\rb', ['a', 'b']],
    [' \n', [' ']],
    ['é\t', [String.raw`\xC3\xA9\x09`]],
    [String.raw`\x41`, [String.raw`\x41`]],
  ] as const)('of the file %j is that of the events %j', ([file, events]) => {
    expect(ofFile(file)).toEqual(ofEvents(...events));
    expect(ofFile(file).lines).toBe(events.length);
  });

  it('does not depend on how the file is cut into pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), (bytes, at) => {
        expect(ofFile(bytes.subarray(0, at), bytes.subarray(at))).toEqual(ofFile(bytes));
      }),
    );
  });

  it('does not depend on the order of the lines, but on each of them', () => {
    const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', '1', ' ', ',') });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), word, fc.nat(7), (lines, other, at) => {
        const bag = ofEvents(...lines);
        expect(sameLines(ofEvents(...lines.toReversed()), bag)).toBe(true);
        const index = at % lines.length;
        expect(sameLines(ofEvents(...lines.with(index, other)), bag)).toBe(lines[index] === other);
        expect(sameLines(ofEvents(...lines, other), bag)).toBe(false);
      }),
    );
  });

  it('tells lines apart that are moved from one to another', () => {
    expect(sameLines(ofEvents('ab', 'c'), ofEvents('a', 'bc'))).toBe(false);
    expect(sameLines(ofEvents('a', 'a', 'b'), ofEvents('a', 'b', 'b'))).toBe(false);
  });

  it('tells what was added to it', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (before, more) => {
        const added = addedLines(ofEvents(...before), ofEvents(...more, ...before));
        expect(added).toEqual(ofEvents(...more));
      }),
    );
    expect(addedLines(ofEvents('a'), ofEvents('a'))).toEqual(NO_LINES);
  });
});
