import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapConcurrent } from '../../../src/core/concurrency.js';

const never = new AbortController().signal;

async function all<R>(results: AsyncIterable<R>): Promise<R[]> {
  const list: R[] = [];
  for await (const result of results) list.push(result);
  return list;
}

async function* pages(n: number): AsyncGenerator<number> {
  for (let i = 0; i < n; i++) {
    await setImmediate();
    yield i;
  }
}

describe('mapConcurrent', () => {
  it('yields every result in the order of the items, whichever ends first', async () => {
    const results = mapConcurrent(
      [...Array(50).keys()],
      8,
      async (i) => {
        for (let turn = 0; turn < (i * 7) % 11; turn++) await setImmediate();
        return i;
      },
      never,
    );
    expect(await all(results)).toEqual([...Array(50).keys()]);
  });

  it('takes items from a stream, and results that are undefined', async () => {
    expect(await all(mapConcurrent(pages(5), 2, async () => undefined, never))).toHaveLength(5);
    expect(await all(mapConcurrent([], 2, async () => 1, never))).toEqual([]);
  });

  it('keeps n and no more at work', async () => {
    let now = 0;
    let most = 0;
    await all(
      mapConcurrent(
        pages(40),
        4,
        async () => {
          most = Math.max(most, ++now);
          for (let turn = 0; turn < 10; turn++) await setImmediate();
          now--;
        },
        never,
      ),
    );
    expect(most).toBe(4);
  });

  it('does not let a slow item hold up the others', async () => {
    let done = 0;
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const results = mapConcurrent(
      [...Array(20).keys()],
      2,
      async (i) => {
        if (i === 0) await slow;
        else if (++done === 19) release();
        return i;
      },
      never,
    );
    expect(await all(results)).toHaveLength(20);
  });

  it('reads no further ahead of the consumer than needed', async () => {
    let taken = 0;
    const items = (function* () {
      for (;;) yield taken++;
    })();
    const results = mapConcurrent(items, 2, async (i) => i, never);
    for (let i = 0; i < 3; i++) await results.next();
    await results.return();
    expect(taken).toBeLessThan(3 + 2 * 16 + 2);
  });

  it('aborts the others on the first failure, waits for them and throws it', async () => {
    let stopped = 0;
    const results = mapConcurrent(
      [1, 2, 3, 4, 5, 6],
      3,
      async (i, signal) => {
        if (i === 2) {
          await setImmediate();
          throw new Error('second');
        }
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        await setImmediate();
        stopped++;
        throw new Error('later');
      },
      never,
    );
    await expect(all(results)).rejects.toThrow('second');
    expect(stopped).toBe(2);
  });

  it('throws what the source throws', async () => {
    const broken = (async function* () {
      yield 1;
      throw new Error('page 2');
    })();
    await expect(all(mapConcurrent(broken, 3, async (i) => i, never))).rejects.toThrow('page 2');
  });

  it('stops when its signal is aborted, and closes the source', async () => {
    const control = new AbortController();
    let closed = false;
    const source = (function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    })();
    const results = mapConcurrent(
      source,
      2,
      async (i) => {
        if (i === 5) control.abort(new Error('enough'));
        return i;
      },
      control.signal,
    );
    await expect(all(results)).rejects.toThrow('enough');
    expect(closed).toBe(true);
  });
});
