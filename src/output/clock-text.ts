import type { Look } from './look.js';

/** Seconds that the clock of the reader is ahead of UTC at a time in epoch seconds; none with `--utc`. */
export function clockOffset(seconds: number, { utc }: Pick<Look, 'utc'>): number {
  return utc ? 0 : -new Date(seconds * 1000).getTimezoneOffset() * 60;
}

/** A time in epoch seconds as `2024-05-02T22:01:07` by the clock of the reader. */
function local(seconds: number, look: Pick<Look, 'utc'>): string {
  const date = new Date((seconds + clockOffset(seconds, look)) * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, 19);
}

/** The date of a time in epoch seconds: `2024-05-02`. */
export const dateText = (seconds: number, look: Pick<Look, 'utc'>): string => local(seconds, look).slice(0, 10);

/** Hours and minutes: `22:01`. */
export const hourText = (seconds: number, look: Pick<Look, 'utc'>): string => local(seconds, look).slice(11, 16);

/** With seconds, and with the month where a list covers several days: `05-02 22:01:07`. */
export function momentText(seconds: number, look: Pick<Look, 'utc'>, hasDays: boolean): string {
  return local(seconds, look)
    .slice(hasDays ? 5 : 11, 19)
    .replace('T', ' ');
}

/** From when to when: `2024-05-02 16:00 -> 23:00`, in UTC with a Z. */
export function spanOfTime(start: number, end: number, look: Pick<Look, 'utc'>): string {
  const [from, to] = [dateText(start, look), dateText(end, look)];
  const mark = look.utc ? 'Z' : '';
  return `${from} ${hourText(start, look)}${mark} -> ${from === to ? '' : `${to} `}${hourText(end, look)}${mark}`;
}
