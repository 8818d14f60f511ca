import { largestOf } from '../../core/collections.js';
import type { DashboardRecord } from '../../platform/dashboard.js';
import { parseCron, type Cron } from './cron.js';
import { isOver } from './item.js';
import type { ActiveSchedule, SeenSchedules } from './schedules.js';
import type { Window } from './window.js';
import { changesOf, firesIn, zonesIn, type Zone } from './zones.js';

/** How late a start may be, in seconds; younger ones are not judged. */
const GRACE = 300;
/** A start of the platform may carry a time just before its minute. */
const EARLY = 5;
/** Clocks of this machine and of the platform may differ so much, in seconds. */
const SKEW = 60;
/** Around a change of clocks nobody knows what fires. */
const CHANGE = 3 * 3600;
const MONTH = 31 * 86_400;
/** Next starts farther away tell nothing about the zone. */
const FARTHEST = 40 * 86_400;

/** A start that did not happen, in epoch seconds. */
export interface MissedStart {
  readonly schedule: ActiveSchedule;
  readonly at: number;
}

/** A way to read a schedule that agrees with what the platform says about its next start. */
interface ZonedCron {
  readonly zone: Zone;
  readonly cron: Cron;
}

/** A schedule and the ways to read it, of which there is one at least. */
interface ReadSchedule {
  readonly schedule: ActiveSchedule;
  readonly readings: readonly ZonedCron[];
}

/** What is known of the cron expressions of schedules. */
export interface ReadSchedules {
  readonly judged: readonly ReadSchedule[];
  /** Since when, in epoch seconds. */
  readonly from: number;
  /** How many active time schedules cannot be judged; undefined: none of them can. */
  readonly notJudged: number | undefined;
}

function agrees({ zone, cron }: ZonedCron, { next, askedAt }: ActiveSchedule): boolean {
  const [first] = firesIn(cron, zone, { start: Math.min(next, askedAt + SKEW), end: next });
  return first === next;
}

function readingsOf(schedule: ActiveSchedule, zones: readonly Zone[]): readonly ZonedCron[] {
  const crons = ([0, 1] as const).flatMap((sunday) => parseCron(schedule.cron, sunday) ?? []);
  return zones.flatMap((zone) => crons.map((cron) => ({ zone, cron })).filter((reading) => agrees(reading, schedule)));
}

/**
 * Schedules whose cron expression is known, read by the clocks that agree with most of them. A platform has one clock,
 * so a schedule that does not agree with it is not judged.
 */
function judgeable(schedules: readonly ActiveSchedule[], zones: readonly Zone[]): readonly ReadSchedule[] {
  const judged = schedules
    .map((schedule) => ({ schedule, readings: readingsOf(schedule, zones) }))
    .filter(({ readings }) => readings.length > 0);
  const agreeing = new Map<Zone, number>();
  for (const { readings } of judged)
    for (const zone of new Set(readings.map((reading) => reading.zone)))
      agreeing.set(zone, (agreeing.get(zone) ?? 0) + 1);
  const most = largestOf([0, ...agreeing.values()]);
  if (most * 2 <= judged.length) return [];
  const clocks = [...agreeing].flatMap(([zone, count]) => (count === most ? [zone] : []));
  return judged
    .map(({ schedule, readings }) => ({ schedule, readings: readings.filter(({ zone }) => clocks.includes(zone)) }))
    .filter(({ readings }) => clocks.every((clock) => readings.some(({ zone }) => zone === clock)));
}

/** The times at which every reading has the schedule fire. */
function sureFires({ readings }: ReadSchedule, window: Window): readonly number[] {
  const [first, ...others] = readings;
  if (first === undefined || window.end < window.start) return [];
  const changes = new Set(readings.flatMap(({ zone }) => changesOf(zone)));
  const sets = others.map(({ cron, zone }) => new Set(firesIn(cron, zone, window)));
  return [...firesIn(first.cron, first.zone, window)].filter(
    (fire) => sets.every((set) => set.has(fire)) && [...changes].every((change) => Math.abs(change - fire) > CHANGE),
  );
}

const placeOf = (namespace: string, application: string, program: string): string =>
  JSON.stringify([namespace, application, program]);

function runsByPlace(records: readonly DashboardRecord[]): ReadonlyMap<string, readonly DashboardRecord[]> {
  const runs = new Map<string, DashboardRecord[]>();
  for (const record of records) {
    if (record.run === undefined) continue;
    const place = placeOf(record.namespace, record.application.name, record.program);
    const own = runs.get(place);
    if (own === undefined) runs.set(place, [record]);
    else own.push(record);
  }
  return runs;
}

function isStarted(fire: number, next: number | undefined, runs: readonly DashboardRecord[]): boolean {
  const until = Math.min(fire + GRACE, (next ?? Infinity) - EARLY);
  return runs.some(({ startMethod, start }) => startMethod === 'SCHEDULED' && start >= fire - EARLY && start <= until);
}

/** Until when a run was at work. One that is over without having begun has no end, and held nothing back. */
function endOf({ start, running, end, status }: DashboardRecord): number {
  return end ?? (isOver(status) && running === undefined ? start : Infinity);
}

/** Whether so many runs were at work that the schedule had to let this start go. */
function isHeldBack(fire: number, { maxConcurrency }: ActiveSchedule, runs: readonly DashboardRecord[]): boolean {
  const atWork = runs.filter((run) => run.start <= fire && endOf(run) >= fire);
  return atWork.length >= (maxConcurrency ?? Infinity);
}

/**
 * Learns the cron expressions of schedules and counts those that are not certain. For windows that begin at
 * `start` (epoch seconds) or later. Takes some tenths of a second.
 */
export function readSchedules({ active, notJudged }: SeenSchedules, start: number): ReadSchedules {
  const near = active.filter(({ next, askedAt }) => next - askedAt <= FARTHEST);
  const youngest = near.reduce((latest, { askedAt }) => Math.max(latest, askedAt), 0);
  const from = Math.max(start, youngest - MONTH);
  const end = near.reduce((latest, { next }) => Math.max(latest, next), from);
  const judged = near.length === 0 ? [] : judgeable(near, zonesIn({ start: from, end }));
  return { judged, from, notJudged: notJudged === undefined ? undefined : notJudged + active.length - judged.length };
}

/**
 * The past starts in a window that active schedules should have made but did not, if that is certain. A missed start is
 * certain when the schedule was active and unchanged before it, every clock that agrees with the next starts of all
 * schedules makes it fire at that time, no run of a schedule began near it, and no earlier run held it back. The last
 * five minutes, hours around a clock change and anything older than 31 days are left out.
 */
export function missedStarts(
  { judged, from }: Pick<ReadSchedules, 'judged' | 'from'>,
  records: readonly DashboardRecord[],
  { start, end }: Window,
): readonly MissedStart[] {
  const runs = runsByPlace(records);
  return judged.flatMap((one) => {
    const { schedule } = one;
    const past = {
      start: Math.max(start, from, schedule.since + SKEW),
      end: Math.min(end, schedule.askedAt - GRACE),
    };
    const own = runs.get(placeOf(schedule.namespace, schedule.application, schedule.program)) ?? [];
    const fires = sureFires(one, past);
    return fires
      .filter((fire, at) => !isStarted(fire, fires[at + 1], own) && !isHeldBack(fire, schedule, own))
      .map((at) => ({ schedule, at }));
  });
}
