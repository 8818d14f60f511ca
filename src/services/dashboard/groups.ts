import { formatTime } from '../../core/time.js';
import { SECTIONS, sectionOf, type DashboardItem } from './item.js';
import { summaryOf, type Summary } from './summary.js';
import type { Window } from './window.js';

const HOUR = 3600;

/** What items can be grouped by. */
export const GROUPINGS = ['hour', 'pipeline', 'status'] as const;

/** One of the ways to group. */
export type Grouping = (typeof GROUPINGS)[number];

/** Items that have the hour of their start, their pipeline or their state in common. */
export interface DashboardGroup extends Summary {
  /** Begin of the hour in RFC 3339, `namespace/pipeline`, or the state. */
  readonly group: string;
  /** Mean of the runs that have ended; absent without any. */
  readonly meanSeconds?: number;
}

function groupOf({ start, namespace, pipeline, state }: DashboardItem, by: Grouping): string {
  switch (by) {
    case 'hour':
      return formatTime((start - (start % HOUR)) * 1000);
    case 'pipeline':
      return `${namespace}/${pipeline}`;
    case 'status':
      return state;
  }
}

/** A longer window has only the hours in which something happened. */
const MOST_HOURS = 31 * 24;

/** The hours of a window, also those in which nothing happened; none of a window that is very long. */
function hoursOf({ start, end }: Window): readonly string[] {
  const first = Math.floor(start / HOUR);
  const count = Math.floor(end / HOUR) - first + 1;
  return count > MOST_HOURS ? [] : Array.from({ length: count }, (_, at) => formatTime((first + at) * HOUR * 1000));
}

/** Hours in the order of time, states in that of lists, pipelines by how much of them went wrong. */
function inOrder(by: Grouping): (a: DashboardGroup, b: DashboardGroup) => number {
  const byName = (a: DashboardGroup, b: DashboardGroup): number => (a.group < b.group ? -1 : 1);
  const rank = ({ group: state }: DashboardGroup): number => SECTIONS.indexOf(sectionOf({ state, end: undefined }));
  switch (by) {
    case 'hour':
      return byName;
    case 'status':
      return (a, b) => rank(a) - rank(b) || byName(a, b);
    case 'pipeline':
      return (a, b) => b.failed + b.rejected - a.failed - a.rejected || b.missed - a.missed || byName(a, b);
  }
}

/**
 * Counts for each group: hours in the order of time, also the empty ones of the window. States as in lists; pipelines
 * with what went wrong first.
 */
export function groupItems(items: readonly DashboardItem[], by: Grouping, window: Window): readonly DashboardGroup[] {
  const groups = new Map<string, DashboardItem[]>(by === 'hour' ? hoursOf(window).map((hour) => [hour, []]) : []);
  for (const item of items) {
    const group = groupOf(item, by);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [item]);
    else members.push(item);
  }
  return [...groups]
    .map(([group, members]): DashboardGroup => {
      const ended = members.flatMap(({ end, durationSeconds }) =>
        end === undefined || durationSeconds === undefined ? [] : [durationSeconds],
      );
      const sum = ended.reduce((total, seconds) => total + seconds, 0);
      return {
        group,
        ...summaryOf(members),
        ...(ended.length > 0 && { meanSeconds: Math.round(sum / ended.length) }),
      };
    })
    .sort(inOrder(by));
}
