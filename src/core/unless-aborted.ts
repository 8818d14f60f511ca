import { setMaxListeners } from 'node:events';

/** Who waits for a signal; one listener serves all of them, as thousands wait in a run. */
const waits = new WeakMap<AbortSignal, Waits>();

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
  const here = waits.get(signal) ?? new Waits(signal);
  here.add(stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    here.delete(stop);
  }
}

/** Who waits for one signal. It is listened to only meanwhile: a listener keeps the signal in memory. */
class Waits {
  readonly #signal: AbortSignal;
  readonly #stops = new Set<() => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    waits.set(signal, this);
    setMaxListeners(0, signal);
  }

  add(stop: () => void): void {
    if (this.#stops.size === 0) this.#signal.addEventListener('abort', this.#stopAll);
    this.#stops.add(stop);
  }

  delete(stop: () => void): void {
    this.#stops.delete(stop);
    if (this.#stops.size === 0) this.#signal.removeEventListener('abort', this.#stopAll);
  }

  readonly #stopAll = (): void => {
    for (const stop of this.#stops) stop();
  };
}
