import { setMaxListeners } from 'node:events';

/** What a promise gives, or the reason of a signal as soon as it aborts; the work goes on unheard. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whoever aborts chooses the reason
      reject(signal.reason);
    };
    // One signal serves many waits at a time.
    setMaxListeners(0, signal);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
