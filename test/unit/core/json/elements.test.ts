import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectsIn } from '../../../../src/core/json/elements.js';
import { codeOf } from '../../../support/errors.js';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function objectsOf(text: string, size = 7): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const object of objectsIn(inPieces(Buffer.from(text), size), 'the list')) found.push(object);
  return found;
}

describe('the objects of an array in pieces', () => {
  it('are those of the whole document, however it is written and cut', async () => {
    const object = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
    const size = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 5 }), size, fc.boolean(), async (list, pieces, isWide) => {
        const text = isWide ? JSON.stringify(list, undefined, 2) : JSON.stringify(list);
        expect(await objectsOf(text, pieces)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('may hold brackets, quotes and backslashes in texts', async () => {
    const list = [{ body: String.raw`"]}[{\" \\` }, { body: 'ü"' }];
    expect(await objectsOf(JSON.stringify(list), 1)).toEqual(list);
  });

  it.for(['', '[', '[{"a":1}', '[{"a":1},', '[{"a":"]}'])('are not all there in %j: BAD_JSON', async (text) => {
    expect(await codeOf(objectsOf(text))).toBe('BAD_JSON');
  });

  it('are refused where one is no JSON', async () => {
    expect(await codeOf(objectsOf('[{"a":1},{a:2}]'))).toBe('BAD_JSON');
  });

  it('are refused where one is of more than 16 MB', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{"a":"');
      for (;;) yield piece;
    }
    expect(await codeOf(objectsIn(endless(), 'the list').next())).toBe('TOO_LARGE');
  });
});
