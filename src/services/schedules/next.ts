import { formatTime } from '../../core/time.js';
import { parseCron } from '../dashboard/cron.js';
import { firesIn, zonesIn } from '../dashboard/zones.js';
import type { FoundSchedule } from './find.js';

const DAY = 86_400;
/** Lengths of the windows that are looked through, in days. */
const WINDOWS = [2, 40, 370];

/** A start to come; `platform` told the first one, the others follow from its cron entry. */
export interface NextStart {
  readonly namespace: string;
  readonly pipeline: string;
  readonly schedule: string;
  /** Milliseconds since the epoch. */
  readonly nextRun: number;
  readonly nextRunAt: string;
  readonly from: 'platform' | 'cron';
}

/** The first `count` of a sequence. */
function take(times: Iterable<number>, count: number): readonly number[] {
  const taken: number[] = [];
  for (const time of times) {
    if (taken.length === count) break;
    taken.push(time);
  }
  return taken;
}

/**
 * The starts that follow one, epoch seconds, as far as there is no doubt. The platform tells neither its time zone nor
 * how it counts weekdays, so that only what holds for all that fit the first start is told.
 */
export function startsFrom(cron: string, first: number, count: number): readonly number[] {
  const readings = [0, 1].flatMap((sunday) => parseCron(cron, sunday === 0 ? 0 : 1) ?? []);
  let sure: readonly number[] = [first];
  for (const days of WINDOWS) {
    const window = { start: first, end: first + days * DAY };
    const zones = zonesIn(window);
    const candidates = readings
      .flatMap((reading) => zones.map((zone) => take(firesIn(reading, zone, window), count)))
      .filter(([start]) => start === first);
    const [one = [first], ...others] = candidates;
    const doubt = one.findIndex((time, at) => others.some((other) => other[at] !== time));
    sure = doubt === -1 ? one : one.slice(0, doubt);
    const isShort = candidates.some(({ length }) => length < count);
    if (!isShort || (doubt !== -1 && candidates.every(({ length }) => length > doubt))) break;
  }
  return sure;
}

/** The next starts of schedules, the soonest first: those that are active and have a time trigger. */
export function nextStartsOf(schedules: readonly FoundSchedule[], count: number): readonly NextStart[] {
  return schedules
    .flatMap(({ namespace, pipeline, schedule, cron, nextRun }) => {
      if (nextRun === undefined) return [];
      const starts = cron === undefined ? [nextRun / 1000] : startsFrom(cron, Math.floor(nextRun / 1000), count);
      return starts.map((start, at) => ({
        ...{ namespace, pipeline, schedule, nextRun: start * 1000, nextRunAt: formatTime(start * 1000) },
        from: at === 0 ? ('platform' as const) : ('cron' as const),
      }));
    })
    .sort((one, other) => one.nextRun - other.nextRun)
    .slice(0, count);
}
