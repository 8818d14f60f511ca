import { setMaxListeners } from 'node:events';

/** Who waits for a signal; one listener serves all of them, as thousands wait in a run. */
const WAITING = new WeakMap<AbortSignal, Set<() => void>>();

/** What a promise gives, or the reason of a signal as soon as it aborts; the work goes on unheard. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whoever aborts chooses the reason
      reject(signal.reason);
    };
    if (signal.aborted) stop();
  });
  const waiting = waitingFor(signal).add(stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    waiting.delete(stop);
  }
}

function waitingFor(signal: AbortSignal): Set<() => void> {
  const known = WAITING.get(signal);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  WAITING.set(signal, waiting);
  setMaxListeners(0, signal);
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of waiting) stop();
    },
    { once: true },
  );
  return waiting;
}
