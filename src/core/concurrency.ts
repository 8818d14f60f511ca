import { joinSignals, type JoinedSignal } from './join-signals.js';

const AHEAD = 16;

/**
 * Runs `fn` over items, at most `n` at a time, and yields the results in the order of the items. A slow item does not
 * hold up the others, which run ahead by at most `ahead` times `n`. The first failure aborts the signal the others were
 * given, waits for them and is thrown; an early end of the consumer does the same.
 */
export async function* mapConcurrent<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  n: number,
  fn: Work<T, R>,
  signal: AbortSignal,
  ahead = AHEAD,
): AsyncGenerator<R, void, void> {
  const both = joinSignals(signal);
  const source = iteratorOf(items);
  const work = pool(source, fn, both);
  let yielded = 0;
  try {
    for (;;) {
      both.signal.throwIfAborted();
      if (work.running.size < n && work.asked() - yielded < n * ahead) work.pull();
      const ready = work.results.get(yielded);
      if (ready !== undefined) {
        work.results.delete(yielded++);
        yield ready.value;
      } else if (work.idle()) {
        return;
      } else {
        await work.next();
      }
    }
  } finally {
    both.abort();
    both.release();
    await Promise.all(work.running);
    await source.return?.();
  }
}

type Work<T, R> = (item: T, signal: AbortSignal) => Promise<R>;

function pool<T, R>(source: Iterator<T> | AsyncIterator<T>, fn: Work<T, R>, { signal, abort }: JoinedSignal) {
  const running = new Set<Promise<void>>();
  const results = new Map<number, { readonly value: R }>();
  let asked = 0;
  let ended = false;
  let isPulling = false;
  let wake = (): void => undefined;
  const start = (item: T): void => {
    const index = asked++;
    const task = (async () => fn(item, signal))()
      .then((value) => void results.set(index, { value }), abort)
      .finally(() => {
        running.delete(task);
        wake();
      });
    running.add(task);
  };
  const pull = async (): Promise<void> => {
    isPulling = true;
    try {
      const next = await source.next();
      if (next.done === true) ended = true;
      else if (!signal.aborted) start(next.value);
    } catch (error) {
      abort(error);
    }
    isPulling = false;
    wake();
  };
  return {
    running,
    results,
    asked: () => asked,
    idle: () => ended && running.size === 0 && results.size === 0,
    pull: () => {
      if (!ended && !isPulling) void pull();
    },
    // Whoever waits has just seen that nothing is ready, so nothing can be missed.
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
