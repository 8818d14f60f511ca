import { CliError } from './errors.js';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;
/** A year is never written: it has 365 days. */
const READ = [['y', 365 * 86_400_000], ...UNITS] as const;
const SHAPE = new RegExp(`^${READ.map(([unit]) => `(?:(\\d+(?:\\.\\d+)?)${unit}(?![a-z]))?`).join('')}$`, 'u');
const LONGEST = 3650 * 86_400_000;

/**
 * Milliseconds of a duration such as `90s`, `2h30m` or `7d` (docs/conventions.md 2.1).
 * @throws USAGE without a unit, except for `0`, and beyond ten years
 */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  const shown = JSON.stringify(text.slice(0, 40));
  if (/^\d+(?:\.\d+)?$/u.test(text.slice(0, 40))) {
    throw new CliError('USAGE', `the duration ${shown} needs a unit`, {
      hints: ['write 90s, 15m, 2h30m or 7d; only 0 needs no unit'],
    });
  }
  const match = text === '' || text.length > 40 ? null : SHAPE.exec(text);
  if (match === null) {
    throw new CliError('USAGE', `${shown} is not a duration`, {
      hints: ['use 90s, 15m, 2h30m, 7d or 1y; units are y, d, h, m, s and ms, in this order'],
    });
  }
  const sum = READ.reduce((total, [, milliseconds], index) => total + Number(match[index + 1] ?? 0) * milliseconds, 0);
  if (sum > LONGEST) throw new CliError('USAGE', `the duration ${shown} is longer than ten years`);
  return Math.round(sum);
}

/** The shortest text that `parseDuration` reads back as the same whole number of milliseconds. `0s` for nothing. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds));
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}

/** Seconds in their two largest units: `4 s`, `1m 35s`, `7h 57m`, `2d 03h`. */
export function lengthText(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86_400)}d ${two(Math.floor((whole % 86_400) / 3600))}h`;
}
