import { parseDuration } from './duration.js';
import { CliError } from './errors.js';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d))?$/u;
const LATEST = 8_640_000_000_000_000;

/**
 * Milliseconds since the epoch of a time on the command line (cli.md 2.1): `now`, `now-2h`, `now+2h`, `2h` (ago), RFC 3339, `2026-07-01`
 * (midnight UTC) or ten digits of epoch seconds; USAGE for anything else.
 */
export function parseTime(text: string, now: number): number {
  if (text === 'now') return now;
  if (/^\d{10}$/u.test(text)) return Number(text) * 1000;
  const relative = /^now([+-])(.+)$/u.exec(text);
  if (relative !== null) return now + (relative[1] === '+' ? 1 : -1) * parseDuration(relative[2] ?? '');
  const date = RFC_3339.exec(text);
  if (date !== null) return absolute(date, text);
  if (/^\d+(?:\.\d+)?[a-z]/u.test(text.slice(0, 40))) return now - parseDuration(text);
  throw notATime(text);
}

function absolute(match: RegExpExecArray, text: string): number {
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const days = new Date(0);
  days.setUTCFullYear(year, month, 0);
  const zone = /^([+-])(\d\d):(\d\d)$/u.exec(match[8] ?? 'Z');
  const [zoneHours, zoneMinutes] = [Number(zone?.[2] ?? 0), Number(zone?.[3] ?? 0)];
  const good =
    month >= 1 && month <= 12 && day >= 1 && day <= days.getUTCDate() && hour < 24 && minute < 60 && second < 60;
  if (!good || zoneHours > 23 || zoneMinutes > 59) throw notATime(text);
  const result = new Date(0);
  result.setUTCFullYear(year, month - 1, day);
  result.setUTCHours(hour, minute, second, Number((match[7] ?? '.').slice(1, 4).padEnd(3, '0')));
  return result.getTime() - (zone?.[1] === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes) * 60_000;
}

function notATime(text: string): CliError {
  return new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is not a time`, {
    hints: ['write now, now-2h, 2h (two hours ago), 2026-07-01, 2026-07-01T12:00:00Z or epoch seconds (10 digits)'],
  });
}

/** RFC 3339 in UTC, without a fraction for whole seconds; a number that no calendar holds is returned as digits. */
export function formatTime(milliseconds: number): string {
  if (!(Math.abs(milliseconds) <= LATEST)) return String(milliseconds);
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
