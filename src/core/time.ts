import { parseDuration } from './duration.js';
import { CliError } from './errors.js';

const DAY_NAMES = ['yesterday', 'today', 'tomorrow'] as const;
const WHEN =
  /^(?:(?<date>\d{4}-\d\d-\d\d)|(?<word>yesterday|today|tomorrow))?(?:(?:^|(?<=.)[Tt ])(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?<part>\.\d{1,9})?)?(?<zone>[Zz]|[+-]\d\d:\d\d)?)?$/u;
const LATEST = 8_640_000_000_000_000;

/**
 * Parses a time on the command line into milliseconds since the epoch. Accepts `now`, `now-2h`, `now+2h`, `2h` (ago),
 * `today`, `yesterday 18:00`, `18:00`, `2026-07-01`, `2026-07-01 10:00`, RFC 3339 or ten digits of epoch seconds. A
 * time without a zone is local, or UTC with `utc`.
 * @throws USAGE for anything else
 */
export function parseTime(text: string, now: number, utc = false): number {
  if (text === 'now') return now;
  if (/^\d{10}$/u.test(text)) return Number(text) * 1000;
  const relative = /^now([+-])(.+)$/u.exec(text);
  if (relative !== null) return now + (relative[1] === '+' ? 1 : -1) * parseDuration(relative[2] ?? '');
  const named = text === '' ? undefined : WHEN.exec(text)?.groups;
  if (named !== undefined) return absolute(named, { text, now, utc });
  if (/^\d+(?:\.\d+)?[a-z]/u.test(text.slice(0, 40))) return now - parseDuration(text);
  throw notATime(text);
}

interface TimeContext {
  readonly text: string;
  readonly now: number;
  readonly utc: boolean;
}

function absolute(named: Readonly<Record<string, string | undefined>>, { text, now, utc }: TimeContext): number {
  const number = (name: string): number => Number(named[name] ?? 0);
  const { date, word, zone } = named;
  const isUtc = utc || zone !== undefined;
  const [year, month, day] = date === undefined ? dayOf(word, now, utc) : date.split('-').map(Number);
  const [hour, minute, second] = ['hour', 'minute', 'second'].map(number);
  const [, sign, zoneHours, zoneMinutes] = /^([+-])(\d\d):(\d\d)$/u.exec(zone ?? '') ?? [];
  const good = isDay(year, month, day) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const isNamedDay = date === undefined && zone !== undefined;
  if (!good || isNamedDay || Number(zoneHours ?? 0) > 23 || Number(zoneMinutes ?? 0) > 59) throw notATime(text);
  const milliseconds = Number((named['part'] ?? '.').slice(1, 4).padEnd(3, '0'));
  const clock = [hour ?? 0, minute ?? 0, second ?? 0, milliseconds] as const;
  const result = new Date(2000, 0, 1);
  if (isUtc) {
    result.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
    result.setUTCHours(...clock);
  } else {
    // Where clocks go forward over a time, it is the same time after the change; where they go back, the first of the two.
    result.setFullYear(year ?? 0, (month ?? 0) - 1, day);
    result.setHours(...clock);
  }
  return result.getTime() - (sign === '-' ? -1 : 1) * (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * 60_000;
}

/** Year, month and day of yesterday, today or tomorrow; a time of the day alone is today's. */
function dayOf(word: string | undefined, now: number, utc: boolean): readonly number[] {
  const ahead = word === undefined ? 0 : DAY_NAMES.findIndex((name) => name === word) - 1;
  const today = new Date(now);
  if (utc) today.setUTCDate(today.getUTCDate() + ahead);
  else today.setDate(today.getDate() + ahead);
  return utc
    ? [today.getUTCFullYear(), today.getUTCMonth() + 1, today.getUTCDate()]
    : [today.getFullYear(), today.getMonth() + 1, today.getDate()];
}

function isDay(year = 0, month = 0, day = 0): boolean {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= last.getUTCDate();
}

function notATime(text: string): CliError {
  return new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is not a time`, {
    hints: [{ next: 'write-time' }],
  });
}

/** RFC 3339 in UTC, without a fraction for whole seconds. A number that no calendar holds is returned as digits. */
export function formatTime(milliseconds: number): string {
  const plain = wholeSecond(milliseconds, 'T');
  if (plain !== undefined) return `${plain}Z`;
  if (!(Math.abs(milliseconds) <= LATEST)) return String(milliseconds);
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** Date and time of the day in UTC as spreadsheets read them, up to the second. */
export function formatCell(milliseconds: number): string {
  return wholeSecond(milliseconds, ' ') ?? formatTime(milliseconds).slice(0, 19).replace('T', ' ');
}

/** A large report has millions of times, and Date needs thrice as long for its own text. Undefined for what is rare. */
function wholeSecond(milliseconds: number, between: string): string | undefined {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999) || milliseconds % 1000 !== 0) return undefined;
  const day = `${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return `${day}${between}${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

/** As `formatCell`, for many times that are near each other: the day is formatted once. */
export function cellFormatter(): (milliseconds: number) => string {
  let start = Number.NaN;
  let day = '';
  let last = -1;
  let upToMinute = '';
  return (milliseconds) => {
    const second = (milliseconds - start) / 1000;
    if (second >= 0 && second < 86_400 && Number.isInteger(second)) {
      const minute = Math.floor(second / 60);
      // Records that come one after the other often have the same minute.
      if (minute !== last) upToMinute = `${day}${two(Math.floor(minute / 60))}:${two(minute % 60)}:`;
      last = minute;
      return `${upToMinute}${two(second % 60)}`;
    }
    const text = formatCell(milliseconds);
    // A year of five digits has no day of that length, and parts of a second are cut, not rounded down.
    if (text[10] !== ' ' || !Number.isInteger(milliseconds / 1000)) return text;
    start = Math.floor(milliseconds / 86_400_000) * 86_400_000;
    day = text.slice(0, 11);
    last = -1;
    return text;
  };
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
