import { setMaxListeners } from 'node:events';

/** A signal that ends with the first of several others, or when it is told to. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Ends it, with the reason that is given. */
  readonly abort: (reason?: unknown) => void;
  /** Lets go of the others: they outlive what it was made for. */
  readonly release: () => void;
}

/**
 * Joins signals. In place of `AbortSignal.any` and `AbortSignal.timeout`, which hold each other weakly: there a limit
 * can be collected together with its timer before it fires. Here each signal holds what it ends, and a timer holds whom
 * it aborts.
 */
export function joinSignals(...signals: readonly AbortSignal[]): JoinedSignal {
  const joined = new AbortController();
  const listeners = signals.map((signal) => ({
    signal,
    end: () => {
      joined.abort(signal.reason);
    },
  }));
  for (const { signal, end } of listeners) {
    // One signal serves many waits at a time.
    setMaxListeners(0, signal);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }
  return {
    signal: joined.signal,
    abort: (reason) => {
      joined.abort(reason);
    },
    release: () => {
      for (const { signal, end } of listeners) signal.removeEventListener('abort', end);
    },
  };
}
