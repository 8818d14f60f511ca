import { CliError } from '../../../../core/errors.js';
import { listEvents, type StreamPlace } from '../../../../platform/streams.js';
import type { Observation, StepContext } from '../../action.js';

const PAGE = 100;

/**
 * The refusal of an action on a platform without streams, INCOMPATIBLE, before anything is written. Undefined where
 * there are some.
 */
export function refuseWithoutStreams(n: number, { capabilities }: StepContext): Observation | undefined {
  if (capabilities.streams) return undefined;
  const error = new CliError('INCOMPATIBLE', `action ${n} needs a stream, but this platform has no streams`, {
    hints: [{ next: 'skip-stream', n }],
  });
  return { state: 'refused', effect: 'no streams on this platform', error };
}

/**
 * The time of the last event of a stream in the platform's milliseconds; undefined when it has none. Asks for few
 * events, however many there are.
 */
export async function lastEventTime(
  place: StreamPlace,
  { platform, signal }: Pick<StepContext, 'platform' | 'signal'>,
): Promise<number | undefined> {
  let [from, low, high, stride]: [number, number, number, number] = [0, 0, Infinity, 1];
  let last: number | undefined;
  for (;;) {
    const events = await platform.call(listEvents, { ...place, start: from, limit: PAGE }, signal);
    const newest = events.at(-1);
    if (newest === undefined) high = from;
    else {
      last = newest.timestamp;
      if (events.length < PAGE) return last;
      low = last + 1;
      stride *= 2;
    }
    if (low >= high) return last;
    from = high === Infinity ? low + stride : low + Math.floor((high - low) / 2);
  }
}
