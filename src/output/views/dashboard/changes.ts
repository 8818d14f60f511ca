import type { DashboardChange } from '../../../services/dashboard/changes.js';
import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import { lengthText } from '../../../core/duration.js';
import { momentText } from '../../clock-text.js';
import { visible } from '../../escape.js';
import type { Look } from '../../look.js';
import { countsText } from './lines.js';

function changeLine({ change, item }: DashboardChange, now: number, look: Look): string {
  const { namespace, pipeline, state, start, durationSeconds, run } = item;
  const words = [
    momentText(now, look, true),
    change,
    `${namespace}/${pipeline}`,
    state,
    `${run === undefined ? 'start' : 'started'} ${momentText(start, look, true)}`,
    ...(durationSeconds === undefined ? [] : [lengthText(durationSeconds)]),
    ...(run === undefined ? [] : [run.slice(0, 8)]),
  ];
  return visible(words.join('  '));
}

/** A line for each change, with the time at which it was seen, and where there are any the counts. */
export function changeLines(
  changes: readonly DashboardChange[],
  { now, ...counted }: Pick<Dashboard, 'now' | 'summary' | 'counted'>,
  look: Look,
): readonly string[] {
  if (changes.length === 0) return [];
  const counts = `${momentText(now, look, true)}  ${countsText(counted, look)}`;
  return [...changes.map((change) => changeLine(change, now, look)), counts];
}
