import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that may wait for the collection of garbage. */
const LEFT = 8_000_000;

/**
 * Hands on the pieces of a body of any size in bounded memory. V8 collects when its own memory is full, and pieces lie
 * outside of it, so that it is told to.
 */
export async function* collecting(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const collect = collector();
  let left = 0;
  for await (const piece of body) {
    left += piece.length;
    if (left > LEFT) {
      collect({ type: 'minor' });
      left = 0;
    }
    yield piece;
  }
}

/** Collects garbage at once: before much that is let go of is followed by more. */
export function collectNow(): void {
  collector()();
}

function collector(): (options?: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return (...options) => void (typeof collect === 'function' && Reflect.apply(collect, undefined, options));
}

const EARLY = {
  /** A little earlier: 15 MB less, and no more time. */
  transfer: ['--heap-growing-percent=150'],
  /** Slower, with less memory: for catalogs of tens of megabytes. */
  catalog: ['--heap-growing-percent=50', '--semi-space-growth-factor=1'],
} as const;

/** From so many bytes of a document on memory matters more than time. */
export const LARGE = 8_000_000;

/** Lets V8 collect garbage early from now on, as suits the work. */
export function collectEarly(work: keyof typeof EARLY): void {
  for (const flag of EARLY[work]) setFlagsFromString(flag);
}
