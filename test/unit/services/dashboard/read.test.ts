import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { Platform } from '../../../../src/platform/client.js';
import { getDashboard, type DashboardRecord } from '../../../../src/platform/dashboard.js';
import { readDashboard } from '../../../../src/services/dashboard/read.js';
import { atWork, DAY, HOUR, NEVER, NOW, platformOf, record, recorded, startAt, type Answer } from './support.js';
import { codeOf } from '../../../support/errors.js';

const all = (): boolean => true;

interface Asked {
  readonly start: number;
  readonly end: number;
}

function askedFor(line: string): Asked {
  const [start = NaN, duration = NaN] = [/start=(\d+)/u, /duration=(\d+)/u].map((shape) =>
    Number(shape.exec(line)?.[1]),
  );
  return { start, end: start + duration };
}

/** A platform with these records, which answers as the contract has it: whatever touches the window. */
const having =
  (records: readonly DashboardRecord[]) =>
  (line: string): Answer => {
    const { start, end } = askedFor(line);
    const touches = (one: DashboardRecord): boolean =>
      one.start <= end && (one.run === undefined ? one.start : (one.end ?? Infinity)) >= start;
    return { json: records.filter(touches) };
  };

/** A platform as it is: a run that goes on is listed only where something happened to it, or it gave a sign of life, every half hour. */
const living =
  (records: readonly DashboardRecord[]) =>
  (line: string): Answer => {
    const { start, end } = askedFor(line);
    const isSeen = (one: DashboardRecord): boolean => {
      if (one.run === undefined) return one.start >= Math.max(start, NOW) && one.start <= end;
      const last = Math.min(one.end ?? NOW, end);
      const alive = one.start + Math.floor((last - one.start) / 1800) * 1800;
      return one.start <= end && ((alive >= start && alive <= end) || (one.end !== undefined && one.end >= start));
    };
    return { json: records.filter(isSeen) };
  };

describe('reading a dashboard', () => {
  it.for<[string, number, number, readonly string[]]>([
    ['the last ten minutes', -600, 0, ['goes on']],
    ['the next two hours', 0, 2 * HOUR, ['goes on', 'to come']],
    ['ten minutes of the past', -12 * HOUR, 600 - 12 * HOUR, ['goes on']],
    ['a part of the past in which runs ended', -1000, -700, ['goes on', 'ended']],
    ['an hour to come', HOUR, 2 * HOUR, ['to come']],
  ])('finds what has been running all the while in %s, and nothing that ended before', async ([, from, to, runs]) => {
    const records = [
      atWork({ run: 'goes on', start: NOW - 20 * HOUR - 900, running: NOW - 20 * HOUR }),
      record({ run: 'ended', start: NOW - 3000, end: NOW - 900 }),
      record({ run: 'rejected', start: NOW - 3000, status: 'REJECTED' }),
      startAt(NOW + HOUR),
    ].map((one) => (one.status === 'REJECTED' ? { ...one, end: undefined } : one));
    const { platform } = platformOf(living(records));
    const found = [
      ...(await readDashboard(['etl'], { start: NOW + from, end: NOW + to, now: NOW }, all, platform, NEVER)),
    ];
    expect(found.map(({ run = 'to come' }) => run)).toEqual(runs);
  });

  it('asks for thousands of namespaces in requests that the router takes, and merges what they tell', async () => {
    const namespaces = Array.from({ length: 2000 }, (_, at) => `team_${at}_of_the_analysts`);
    const { platform, asked } = platformOf((line) => ({
      json: line
        .split('&namespace=')
        .slice(1)
        .map((namespace) => record({ namespace, run: `run of ${namespace}` })),
    }));
    const window = { start: NOW - 12 * HOUR, end: NOW, now: NOW };
    const found = [...(await readDashboard(namespaces, window, all, platform, NEVER))];
    expect(Math.max(...asked.map((line) => line.length))).toBeLessThan(3500);
    expect(new Set(found.map(({ namespace }) => namespace))).toEqual(new Set(namespaces));
    expect(found).toHaveLength(2000);
  });

  it.each<[number, number]>([
    [1, 1],
    [130, 2],
    [2000, 4],
  ])('gives answers about %i namespaces the room of one: %i at once', async (count, atOnce) => {
    const { platform, asked } = platformOf(() => ({ json: [] }));
    const rooms = new Set<number>();
    const call: Platform['call'] = (endpoint, parameters, signal) => {
      rooms.add(endpoint.maxBytes);
      return platform.call(endpoint, parameters, signal);
    };
    const namespaces = Array.from({ length: count }, (_, at) => `team_${at}_of_analysts`);
    await readDashboard(namespaces, { start: NOW, end: NOW + 60, now: 0 }, all, { ...platform, call }, NEVER);
    expect(Math.min(asked.length, 4)).toBe(atOnce);
    expect([...rooms]).toEqual([Math.floor(getDashboard.maxBytes / atOnce)]);
  });

  it('asks for a shorter slice of all namespaces where the answer for some is too large', async () => {
    const namespaces = Array.from({ length: 300 }, (_, at) => `team_${at}_of_the_analysts`);
    let isLarge = true;
    const { platform } = platformOf((line) => {
      const names = line.split('&namespace=').slice(1);
      if (isLarge && names.includes('team_299_of_the_analysts')) {
        isLarge = false;
        throw new CliError('TOO_LARGE', 'an answer is too large');
      }
      return { json: names.map((namespace) => record({ namespace, run: `run of ${namespace}` })) };
    });
    const window = { start: NOW - 12 * HOUR, end: NOW, now: NOW };
    const found = [...(await readDashboard(namespaces, window, all, platform, NEVER))];
    expect(found.map(({ namespace }) => namespace).sort()).toEqual([...namespaces].sort());
  });

  it('repeats the namespaces in the query', async () => {
    const { platform, asked } = platformOf(() => ({ json: [] }));
    await readDashboard(['a', 'b'], { start: NOW, end: NOW + 60, now: 0 }, all, platform, NEVER);
    expect(asked).toEqual([`GET /v3/dashboard?start=${NOW}&duration=60&namespace=a&namespace=b`]);
  });

  it('asks nothing where there is no namespace', async () => {
    const { platform, asked } = platformOf(() => undefined);
    expect([...(await readDashboard([], { start: NOW, end: NOW + 60, now: 0 }, all, platform, NEVER))]).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('drops what 6.1.1 lists twice', async () => {
    const twice = recorded('6.1.1', 'future');
    expect(twice).toHaveLength(2);
    const { platform } = platformOf(() => ({ json: twice }));
    expect([
      ...(await readDashboard(['rec_up'], { start: NOW, end: NOW + 60, now: 0 }, all, platform, NEVER)),
    ]).toHaveLength(1);
  });

  it('asks for a long window in slices that leave no second out, and counts a run that touches two of them once', async () => {
    const long = record({ run: 'long', start: NOW - 200 * DAY, end: NOW - DAY });
    const runs = Array.from({ length: 365 }, (_, day) => record({ run: `r${day}`, start: NOW - day * DAY }));
    const { platform, asked } = platformOf(having([long, ...runs, startAt(NOW + DAY)]));
    const window = { start: NOW - 365 * DAY, end: NOW + 2 * DAY, now: NOW };
    const found = [...(await readDashboard(['etl'], window, all, platform, NEVER))];
    expect(found).toHaveLength(1 + 365 + 1);
    const slices = asked.map(askedFor);
    expect(slices.length).toBeGreaterThan(3);
    expect(slices[0]?.start).toBe(window.start);
    expect(slices.at(-1)?.end).toBe(window.end);
    for (const [at, slice] of slices.entries()) expect(slice.start).toBe((slices[at - 1]?.end ?? window.start - 1) + 1);
  });

  it('asks for less where an answer is too large', async () => {
    const records = Array.from({ length: 1000 }, (_, at) => record({ run: `r${at}`, start: NOW + at, end: NOW + at }));
    const answer = having(records);
    const { platform, asked } = platformOf((line) => {
      const found = answer(line);
      if (found !== undefined && 'json' in found && (found.json as unknown[]).length > 300)
        throw new CliError('TOO_LARGE', 'an answer is too large');
      return found;
    });
    const found = [...(await readDashboard(['etl'], { start: NOW, end: NOW + 2000, now: 0 }, all, platform, NEVER))];
    expect(found).toHaveLength(1000);
    expect(asked.length).toBeGreaterThan(4);
  });

  it('gives up where a single second is too large', async () => {
    const { platform } = platformOf(() => {
      throw new CliError('TOO_LARGE', 'an answer is too large');
    });
    const reading = readDashboard(['etl'], { start: NOW, end: NOW + 100, now: 0 }, all, platform, NEVER);
    expect(await codeOf(reading)).toBe('TOO_LARGE');
  });

  it('keeps nothing that is not wanted', async () => {
    const { platform } = platformOf(having([record(), record({ run: 'inner', type: 'SPARK' })]));
    const wanted = ({ type }: DashboardRecord): boolean => type === 'WORKFLOW';
    const found = [
      ...(await readDashboard(['etl'], { start: NOW - DAY, end: NOW, now: NOW }, wanted, platform, NEVER)),
    ];
    expect(found.map(({ type }) => type)).toEqual(['WORKFLOW']);
  });

  it('keeps what the later slice tells of a run', async () => {
    let asked = 0;
    const { platform } = platformOf(() => {
      asked += 1;
      return { json: [record({ status: asked === 1 ? 'RUNNING' : 'COMPLETED' })] };
    });
    const found = [
      ...(await readDashboard(['etl'], { start: NOW - 5 * DAY, end: NOW, now: NOW }, all, platform, NEVER)),
    ];
    expect(found.map(({ status }) => status)).toEqual(['COMPLETED']);
  });

  it('forgets what a later part shows to be no longer wanted', async () => {
    let asked = 0;
    const { platform } = platformOf(() => ({
      json: [asked++ === 0 ? atWork({ run: 'x' }) : record({ run: 'x', status: 'COMPLETED' })],
    }));
    const isRunning = ({ status }: DashboardRecord): boolean => status === 'RUNNING';
    const window = { start: NOW - 5 * DAY, end: NOW, now: NOW };
    expect([...(await readDashboard(['etl'], window, isRunning, platform, NEVER))]).toEqual([]);
    expect(asked).toBeGreaterThan(1);
  });
});
