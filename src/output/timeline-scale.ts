import type { Window } from '../services/dashboard/window.js';
import { clockOffset, dateText, hourText } from './clock-text.js';
import type { Look } from './look.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 1820, 3640].map((days) => days * DAY),
];

/** A named point of a scale, in epoch seconds: a time of the day, or from midnight on a date. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** Points of a scale at round times of the reader's clock, at most `most` of them. */
export function ticksOf({ start, end }: Window, most: number, look: Pick<Look, 'utc'>): readonly Tick[] {
  const step = STEPS.find((seconds) => (end - start) / seconds <= most) ?? end - start;
  const first = Math.ceil((start + clockOffset(start, look)) / step);
  const ticks: Tick[] = [];
  for (let number = first; ; number += 1) {
    const guess = number * step - clockOffset(start, look);
    const at = number * step - clockOffset(guess, look);
    if (at > end) return ticks;
    const time = hourText(at, look);
    if (at >= start) ticks.push({ at, label: time === '00:00' ? dayText(at, step, look) : time });
  }
}

/** A date of a scale: with the year where its points lie a year apart. */
function dayText(at: number, step: number, look: Pick<Look, 'utc'>): string {
  return step >= 364 * DAY ? dateText(at, look).slice(0, 7) : dateText(at, look).slice(5);
}
