import * as z from 'zod/mini';
import { collecting } from '../../core/collecting.js';
import { CliError, isPassing } from '../../core/errors.js';
import { objectsIn } from '../../core/json/elements.js';
import {
  jsonParts,
  LogItem,
  readLogJson,
  readLogText,
  textParts,
  type LogMembers,
  type LogParts,
  type LogPlace,
} from '../../platform/logs.js';
import { getRun } from '../../platform/runs.js';
import { isOver } from './run-record.js';
import type { RunDeps } from './wait.js';

/** Lines of a log that are asked for at once while it is followed. */
const AT_ONCE = 1000;
/** More than so many lines of one millisecond are not asked for. */
export const MOST_AT_ONCE = 64_000;
/** How long lines may come after the end of their run, in milliseconds. */
const SETTLE = 5000;
/** How long a platform may be away while a log is followed, in milliseconds. */
const LONGEST_OUTAGE = 3_600_000;

/** Which lines of the log of a run; times in milliseconds. */
export interface LogWish {
  readonly place: LogPlace;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** So many of the last lines only. */
  readonly tail?: number | undefined;
}

/** A line with the place where it is in the log. */
export interface Line<T> {
  readonly log: T;
  readonly offset: string;
}

const windowOf = ({ place, since, until }: LogWish) => ({
  ...place,
  ...(since !== undefined && { start: Math.floor(since / 1000) }),
  ...(until !== undefined && { stop: Math.ceil(until / 1000) }),
});

/** The log of a run as the platform writes it, in pieces as they come. */
export async function* logText(wish: LogWish, { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>) {
  if (wish.tail === undefined) yield* collecting(await platform.call(readLogText, windowOf(wish), signal));
  else
    for (const { log } of await platform.call(textParts.previous, { ...wish.place, max: wish.tail }, signal))
      yield Buffer.from(log);
}

/** The lines of the log of a run, one by one as they come. `most` is how many bytes of them are read, TOO_LARGE. */
export async function* logLines(
  wish: LogWish,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
  most = Infinity,
): AsyncGenerator<Line<LogMembers>> {
  if (wish.tail !== undefined) {
    yield* await platform.call(jsonParts.previous, { ...wish.place, max: wish.tail }, signal);
    return;
  }
  const body = await platform.call({ ...readLogJson, maxBytes: most }, windowOf(wish), signal);
  for await (const object of objectsIn(body, 'the log of the run')) {
    const item = z.safeParse(LogItem, object);
    if (!item.success) throw new CliError('BAD_ANSWER', 'the log of the run has a line that cannot be read');
    yield item.data;
  }
}

/** Follows a log as text until the run is over and nothing more comes. */
export const followText = (wish: LogWish, interval: number, deps: RunDeps) => follow(textParts, wish, interval, deps);

/** Follows a log as JSON until the run is over and nothing more comes. */
export const followJson = (wish: LogWish, interval: number, deps: RunDeps) => follow(jsonParts, wish, interval, deps);

/**
 * The lines of a log as they are written. None is left out or comes twice: an offset has milliseconds only, so that
 * the last one is read again, and what was had of it is skipped.
 */
async function* follow<T>(
  { next, previous }: LogParts<T>,
  { place, since, tail }: LogWish,
  interval: number,
  deps: RunDeps,
): AsyncGenerator<readonly Line<T>[]> {
  const { platform, clock, signal } = deps;
  const patiently = outages(deps);
  let mark: Mark = { at: since ?? 0, count: 0 };
  if (tail !== undefined) {
    const last = await lastLines(tail, async (max) => platform.call(previous, { ...place, max }, signal));
    mark = markAfter(last, mark);
    yield last.slice(-tail);
  }
  let size = AT_ONCE;
  for (let overSince: number | undefined; ;) {
    const fromOffset = mark.at > 0 ? `-10000.${mark.at - 1}` : undefined;
    const page = await patiently(async () => platform.call(next, { ...place, fromOffset, max: size }, signal));
    const fresh = beyond(page ?? [], mark);
    if (fresh.length > 0) yield fresh;
    mark = markAfter(fresh, mark);
    const isFull = page !== undefined && page.length >= size;
    size = isFull && fresh.length === 0 ? larger(size, mark) : AT_ONCE;
    if (isFull) continue;
    if (fresh.length === 0 && overSince !== undefined && clock.monotonic() - overSince >= SETTLE) return;
    if (overSince === undefined && (await patiently(async () => isOverNow(place, deps))) === true)
      overSince = clock.monotonic();
    await clock.sleep(interval, signal);
  }
}

/** The last lines of a log, and as many more as it has of the millisecond of the last one. */
async function lastLines<T>(
  tail: number,
  read: (max: number) => Promise<readonly Line<T>[]>,
): Promise<readonly Line<T>[]> {
  for (let max = tail; ;) {
    const lines = await read(max);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined || lines.length < max || timeOf(first) < timeOf(last)) return lines;
    max = larger(max, { at: timeOf(last), count: 0 });
  }
}

/** The millisecond up to which lines were had, and how many of it. */
interface Mark {
  readonly at: number;
  readonly count: number;
}

/** The millisecond that an offset has. */
export function timeOf({ offset }: { readonly offset: string }): number {
  const time = Number(/^-?\d+\.(\d{1,15})$/u.exec(offset)?.[1]);
  if (Number.isNaN(time)) throw new CliError('BAD_ANSWER', 'a line of the log has an invalid offset');
  return time;
}

/** The lines of a page that were not had yet. */
function beyond<T extends { readonly offset: string }>(page: readonly T[], { at, count }: Mark): readonly T[] {
  let skipped = 0;
  return page.filter((line) => {
    const time = timeOf(line);
    return time > at || (time === at && ++skipped > count);
  });
}

function markAfter(lines: readonly { readonly offset: string }[], mark: Mark): Mark {
  const last = lines.at(-1);
  if (last === undefined) return mark;
  const at = Math.max(mark.at, timeOf(last));
  const count = lines.filter((line) => timeOf(line) === at).length;
  return { at, count: at === mark.at ? mark.count + count : count };
}

function larger(size: number, { at }: Mark): number {
  if (size < MOST_AT_ONCE) return size * 4;
  throw new CliError('TOO_LARGE', `more than ${size} lines of one millisecond (${at}) cannot be followed`, {
    hints: ['the whole log can be read without following it'],
  });
}

async function isOverNow(place: LogPlace, { platform, signal }: RunDeps): Promise<boolean> {
  const run = await platform.find(getRun, place, signal);
  return run !== undefined && isOver(run.status);
}

/** Asks, and lives with an outage, which it tells of once. Undefined where the platform does not answer. */
function outages({ clock, emit, signal }: RunDeps) {
  let away: number | undefined;
  return async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      const answer = await ask();
      away = undefined;
      return answer;
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      if (away === undefined)
        emit({ type: 'warning', code: 'AWAY', message: `platform not responding, retrying: ${error.message}` });
      away ??= clock.monotonic();
      if (clock.monotonic() - away >= LONGEST_OUTAGE) throw error;
      return undefined;
    }
  };
}
