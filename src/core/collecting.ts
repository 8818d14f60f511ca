import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that may wait for the collection of garbage. */
const LEFT = 8_000_000;

/**
 * Hands on the pieces of a body of any size in bounded memory. V8 collects when its own memory is full, and pieces lie
 * outside of it, so that it is told to.
 */
export async function* collecting(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  let left = 0;
  for await (const piece of body) {
    left += piece.length;
    if (left > LEFT && typeof collect === 'function') {
      Reflect.apply(collect, undefined, [{ type: 'minor' }]);
      left = 0;
    }
    yield piece;
  }
}
