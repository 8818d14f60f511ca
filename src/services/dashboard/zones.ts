import { firesBetween, type Cron } from './cron.js';
import type { Window } from './window.js';

const STEP = 10 * 86_400;

interface Stretch extends Window {
  /** Seconds that clocks are ahead of UTC. */
  readonly offset: number;
}

/** The clocks of a place: stretches of time without a change, one after the other. */
export type Zone = readonly Stretch[];

type OffsetAt = (seconds: number) => number;

function offsetReader(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (seconds) => {
    const text = format.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, rest] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/u.exec(text) ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(rest ?? 0);
    return sign === '-' ? -size : size;
  };
}

/** The first second in `(low, high]` with the offset of `high`, which is not that of `low`. */
function changeBetween(low: number, high: number, offsetAt: OffsetAt): number {
  const later = offsetAt(high);
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === later) after = middle;
    else before = middle;
  }
  return after;
}

function zoneOf(offsetAt: OffsetAt, { start, end }: Window): Zone {
  const zone: Stretch[] = [];
  let [from, offset] = [start, offsetAt(start)];
  for (let at = start; at < end; at += STEP) {
    const next = Math.min(end, at + STEP);
    const later = offsetAt(next);
    if (later === offset) continue;
    const change = changeBetween(at, next, offsetAt);
    zone.push({ start: from, end: change - 1, offset });
    [from, offset] = [change, later];
  }
  return [...zone, { start: from, end, offset }];
}

/** All clocks that a platform may use in a window: known time zones and fixed offsets, each kind once. */
export function zonesIn(window: Window): readonly Zone[] {
  const fixed = Array.from({ length: 27 }, (_, at) => (at - 12) * 3600);
  const zones = [
    ...Intl.supportedValuesOf('timeZone').map((name) => zoneOf(offsetReader(name), window)),
    ...fixed.map((offset): Zone => [{ ...window, offset }]),
  ];
  return [...new Map(zones.map((zone) => [JSON.stringify(zone), zone])).values()];
}

/** The times in a window at which a schedule fires by the clocks of a zone, in order. */
export function* firesIn(cron: Cron, zone: Zone, { start, end }: Window): Generator<number> {
  for (const stretch of zone)
    yield* firesBetween(cron, Math.max(start, stretch.start), Math.min(end, stretch.end), stretch.offset);
}

/** When the clocks of a zone change. */
export const changesOf = (zone: Zone): readonly number[] => zone.slice(1).map(({ start }) => start);
