import type { Clock } from '../../../core/clock.js';
import type { HubSource } from '../../../hub/source.js';

const SECOND = 1000;

/** A hub whose files come no faster than so many bytes a second, however many are read at a time. */
export function slowed<S extends Pick<HubSource, 'open'>>(
  source: S,
  rate: number,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): S {
  let free = clock.monotonic();
  const pace = async (bytes: number, signal: AbortSignal): Promise<void> => {
    const now = clock.monotonic();
    free = Math.max(free, now) + (bytes / rate) * SECOND;
    await clock.sleep(free - now, signal);
  };
  const open: HubSource['open'] = async (place, options, signal) => {
    const file = await source.open(place, options, signal);
    if (file === undefined) return undefined;
    const body = async function* (): AsyncGenerator<Uint8Array, void, void> {
      for await (const piece of file.body) {
        yield piece;
        await pace(piece.length, signal);
      }
    };
    return { ...file, body: body() };
  };
  return { ...source, open };
}
