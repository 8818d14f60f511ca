import { beforeAll, describe, expect, it } from 'vitest';
import type { DashboardRecord } from '../../../../src/platform/dashboard.js';
import { missedStarts, readSchedules } from '../../../../src/services/dashboard/missed.js';
import type { ActiveSchedule } from '../../../../src/services/dashboard/schedules.js';
import { DAY, HOUR, NOW, record } from './support.js';

/** An active schedule of a platform in UTC, seen at 22:00. */
function schedule(cron: string, next: number, given: Partial<ActiveSchedule> = {}): ActiveSchedule {
  return {
    ...{
      namespace: 'etl',
      application: 'orders-hourly',
      program: 'DataPipelineWorkflow',
      name: 'dataPipelineSchedule',
    },
    ...{ cron, next, since: NOW - 40 * DAY, askedAt: NOW, maxConcurrency: 1 },
    ...given,
  };
}

const window = { start: NOW - 12 * HOUR, end: NOW + 12 * HOUR };
const hourly = (given: Partial<ActiveSchedule> = {}) => schedule('30 * * * *', NOW + HOUR / 2, given);
const run = (start: number, given: Partial<DashboardRecord> = {}) =>
  record({ run: String(start), start, running: start + 3, end: start + 60, ...given });
const hours = Array.from({ length: 12 }, (_, at) => NOW - HOUR / 2 - (11 - at) * HOUR);

const missedOf = (schedules: readonly ActiveSchedule[], records: readonly DashboardRecord[], within = window) =>
  missedStarts(readSchedules({ active: schedules, notJudged: 0 }, within.start), records, within);
/** When starts were missed, in minutes before now. */
const missedAt = (schedules: readonly ActiveSchedule[], records: readonly DashboardRecord[], within = window) =>
  missedOf(schedules, records, within).map(({ at }) => (at - NOW) / 60);

describe('starts that schedules missed', () => {
  it('are none where each was made', () => {
    expect(
      missedAt(
        [hourly()],
        hours.map((at) => run(at + 3)),
      ),
    ).toEqual([]);
  });

  it('are those without a run of a schedule near them', () => {
    const [first = 0, second = 0, ...others] = hours;
    const runs = [run(first + 2), run(second + 600), ...others.map((at) => run(at))];
    expect(missedAt([hourly()], runs)).toEqual([(second - NOW) / 60]);
  });

  it('are not made up for by a run that somebody started, nor by one of another pipeline', () => {
    const others = hours.slice(1).map((at) => run(at));
    const [first = 0] = hours;
    expect(missedAt([hourly()], [run(first + 2, { startMethod: 'MANUAL' }), ...others])).toHaveLength(1);
    const stranger = run(first + 2, { application: { name: 'clicks', version: '-SNAPSHOT' } });
    expect(missedAt([hourly()], [stranger, ...others])).toHaveLength(1);
    expect(missedAt([hourly()], [run(first + 2, { namespace: 'other' }), ...others])).toHaveLength(1);
  });

  it('are not those of the time before the schedule was active', () => {
    expect(missedAt([hourly({ since: NOW - 3 * HOUR })], [])).toEqual([-150, -90, -30]);
  });

  it('are not those of the last minutes, which may only be late', () => {
    const young = schedule('58 21 * * *', NOW - 120 + DAY);
    expect(missedAt([young], [])).toEqual([]);
    expect(missedAt([{ ...young, askedAt: NOW + 300 }], [])).toEqual([-2]);
  });

  it('are not those that an earlier run held back', () => {
    const [first = 0, second = 0] = hours;
    const long = run(first + 2, { end: second + 600, startMethod: 'MANUAL' });
    const others = hours.slice(2).map((at) => run(at));
    const runs = [run(first + 1, { run: 'own' }), long, ...others];
    expect(missedAt([hourly()], runs)).toEqual([]);
    expect(missedAt([hourly({ maxConcurrency: 2 })], runs)).toEqual([(second - NOW) / 60]);
  });

  const [, late = 0] = hours;
  const others = hours.filter((at) => at !== late).map((at) => run(at));
  let read: ReturnType<typeof readSchedules>;
  beforeAll(() => {
    read = readSchedules({ active: [hourly()], notJudged: 0 }, NOW - 40 * DAY);
  });
  /** The same for a schedule that is read once. */
  const toldOf = (records: readonly DashboardRecord[], given: Partial<ActiveSchedule> = {}, within = window) => {
    const judged = read.judged.map((one) => ({ ...one, schedule: { ...one.schedule, ...given } }));
    return missedStarts({ ...read, judged }, records, within).map(({ at }) => (at - NOW) / 60);
  };
  const byHand = { startMethod: 'MANUAL' };
  it.each<[boolean, string, Partial<DashboardRecord>]>([
    [false, 'began five seconds early', { start: late - 5, end: late - 1 }],
    [true, 'began six seconds early', { start: late - 6, end: late - 1 }],
    [false, 'began five minutes late', { start: late + 300 }],
    [true, 'began later than that', { start: late + 301 }],
    [false, 'somebody started at that second', { start: late, startMethod: 'MANUAL' }],
    [true, 'somebody started a second later', { start: late + 1, startMethod: 'MANUAL' }],
    [false, 'ended at that second', { start: late - 9, end: late, startMethod: 'MANUAL' }],
    [true, 'ended a second before', { start: late - 9, end: late - 1, startMethod: 'MANUAL' }],
    [false, 'has no end', { start: late - 9, end: undefined, startMethod: 'MANUAL' }],
    [true, 'was rejected', { start: late - 9, running: undefined, end: undefined, status: 'REJECTED', ...byHand }],
    [true, 'was killed early', { start: late - 9, running: undefined, end: undefined, status: 'KILLED', ...byHand }],
    [false, 'is pending', { start: late - 9, running: undefined, end: undefined, status: 'PENDING', ...byHand }],
    [false, 'ended at an unknown time', { start: late - 9, end: undefined, status: 'KILLED', ...byHand }],
    [true, 'is only planned', { start: late, run: undefined }],
    [true, 'is that of another program', { start: late, program: 'Other' }],
  ])('are (%s) told of beside a run that %s', (isMissed, _, given) => {
    const { start = 0 } = given;
    expect(toldOf([...others, run(start, given)])).toEqual(isMissed ? [(late - NOW) / 60] : []);
  });

  it('are told of whatever runs where nothing limits the runs', () => {
    const free = { maxConcurrency: undefined };
    expect(toldOf([...others, run(late - 9, { end: undefined })], free)).toEqual([(late - NOW) / 60]);
  });

  it.each([
    ['a minute after the schedule was changed', { since: late - 60 }, { start: late, end: late }, 1],
    ['less than that', { since: late - 59 }, { start: late, end: late }, 0],
    ['at the end of the window', {}, { start: late - 9, end: late }, 1],
    ['behind the window', {}, { start: late - 9, end: late - 1 }, 0],
    ['before the window', {}, { start: late + 1, end: late + 9 }, 0],
    ['in a window without a second', {}, { start: late + 1, end: late - 1 }, 0],
    ['31 days ago', {}, { start: NOW - 31 * DAY - HOUR, end: NOW - 31 * DAY + HOUR }, 1],
  ])('%s', (_, given, within, count) => {
    expect(toldOf([], given, within)).toHaveLength(count);
  });

  it('are judged of what starts within forty days', () => {
    const far = (next: number) => readSchedules({ active: [schedule('0 22 * * *', next)], notJudged: 3 }, NOW);
    expect(far(NOW + 41 * DAY)).toEqual({ judged: [], from: NOW, notJudged: 4 });
    expect(far(NOW + DAY)).toMatchObject({ judged: [{}], from: NOW, notJudged: 3 });
    expect(readSchedules({ active: [], notJudged: undefined }, NOW).notJudged).toBeUndefined();
  });

  it('are known of every minute, one by one', () => {
    const minutely = schedule('* * * * *', NOW + 30, { since: NOW - 3600 });
    const minutes = Array.from({ length: 60 }, (_, at) => NOW - 3600 + at * 60);
    const runs = minutes.map((at) => run(at + 1, { end: at + 9 }));
    // No clock has a minute that begins at half a minute.
    expect(missedAt([minutely], [])).toEqual([]);
    const sure = { ...minutely, askedAt: NOW - 30, next: NOW };
    expect(missedAt([sure], runs)).toEqual([]);
    expect(
      missedAt(
        [sure],
        runs.filter((_, at) => at !== 30),
      ),
    ).toEqual([-30]);
  });

  it('are of a platform in any zone, learned from the next start', () => {
    const night = (next: number) => schedule('0 2 * * *', next);
    // At 02:00 in a place five hours behind UTC, which is 07:00.
    expect(missedAt([night(NOW + 9 * HOUR)], [], { start: NOW - 2 * DAY, end: NOW })).toEqual([-39 * 60, -15 * 60]);
    expect(missedAt([night(NOW + 9 * HOUR)], [run(NOW - 15 * HOUR), run(NOW - 39 * HOUR)])).toEqual([]);
  });

  it('are not told of where no clock agrees with the next start', () => {
    expect(missedAt([schedule('0 2 * * *', NOW + 9 * HOUR + 7)], [])).toEqual([]);
    expect(missedAt([schedule('0 2 L * *', NOW + 9 * HOUR)], [])).toEqual([]);
    expect(missedAt([schedule('0 2 1 1 *', NOW + 200 * DAY)], [], { start: NOW - 20 * DAY, end: NOW })).toEqual([]);
  });

  it('are told of where two readings agree only: who counts days of the week from where?', () => {
    // Quartz: 2-6 is Monday to Friday; Unix: Tuesday to Saturday. Now is Thursday.
    const weekly = schedule('0 6 * * 2-6', NOW + 8 * HOUR);
    const week = { start: NOW - 6 * DAY, end: NOW };
    const days = missedOf([weekly], [], week).map(({ at }) => new Date(at * 1000).getUTCDay());
    expect(days).toEqual([2, 3, 4]);
    // The next start is on a Monday: nobody counts like Unix then.
    const friday = NOW + DAY;
    const sure = schedule('0 6 * * 2-6', friday + 2 * DAY + 8 * HOUR, { askedAt: friday });
    const known = missedOf([sure], [], { start: friday - 6 * DAY, end: friday });
    expect(known.map(({ at }) => new Date(at * 1000).getUTCDay())).toEqual([1, 2, 3, 4, 5]);
  });

  it('are not told of near a change of clocks', () => {
    const change = Date.UTC(2024, 2, 31, 1) / 1000;
    const askedAt = change + 12 * HOUR;
    const hourlyThen = schedule('0 * * * *', askedAt + HOUR, { askedAt, since: change - DAY });
    const around = missedOf([hourlyThen], [], { start: change - DAY, end: askedAt }).map(({ at }) => at - change);
    expect(around.some((distance) => Math.abs(distance) <= 3 * HOUR)).toBe(false);
    expect(around.length).toBeGreaterThan(5);
  });

  it('are read by one clock for all schedules of a platform', () => {
    // 0 */6 fits four zones a day; the other schedule says which one it is.
    const vague = schedule('0 0/6 * * *', NOW + 2 * HOUR, { name: 'vague' });
    const clear = schedule('15 3 * * *', NOW + 5 * HOUR + 900, { name: 'clear', application: 'other' });
    const found = missedOf([vague, clear], [], window).map((missed) => missed.schedule.name);
    expect(found.filter((name) => name === 'vague')).toHaveLength(2);
    expect(found.filter((name) => name === 'clear')).toHaveLength(0);
  });

  it('are told of all schedules but one that goes by a clock of its own', () => {
    const night = schedule('0 2 * * *', NOW + 4 * HOUR, { name: 'night' });
    const noon = schedule('30 12 * * *', NOW + 14.5 * HOUR, { name: 'noon', application: 'other' });
    const odd = schedule('0 3 * * *', NOW + 9 * HOUR, { name: 'odd', application: 'third' });
    const day = { start: NOW - DAY, end: NOW };
    const found = missedOf([night, noon, odd], [], day).map((missed) => missed.schedule.name);
    expect(found).toEqual(['night', 'noon']);
    expect(readSchedules({ active: [night, noon, odd], notJudged: 0 }, day.start).notJudged).toBe(1);
  });

  it.for<[string, readonly ActiveSchedule[], number]>([
    ['all can be read', [hourly(), schedule('15 3 * * *', NOW + 5 * HOUR + 900)], 0],
    ['an entry has more than one reading', [hourly(), schedule('0 2 L * *', NOW + 9 * HOUR)], 1],
    ['a next start is far away', [hourly(), schedule('0 2 1 1 *', NOW + 200 * DAY)], 1],
    ['no clock agrees', [hourly(), schedule('0 2 * * *', NOW + 9 * HOUR + 7)], 1],
    ['no clock agrees with both', [schedule('0 2 * * *', NOW + 9 * HOUR), schedule('0 2 * * *', NOW + 3 * HOUR)], 2],
  ])('are unknown of schedules that are counted: %s', ([, active, notJudged]) => {
    expect(readSchedules({ active, notJudged: 0 }, window.start).notJudged).toBe(notJudged);
    expect(readSchedules({ active, notJudged: 3 }, window.start).notJudged).toBe(3 + notJudged);
    expect(readSchedules({ active, notJudged: undefined }, window.start).notJudged).toBeUndefined();
  });
});
