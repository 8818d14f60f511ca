import { formatTime } from '../../core/time.js';
import type { DashboardItem } from './item.js';
import { summaryOf, type Summary } from './summary.js';

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
      return formatTime((start - (start % 3600)) * 1000);
    case 'pipeline':
      return `${namespace}/${pipeline}`;
    case 'status':
      return state;
  }
}

/** Counts for each group, in the order of their names, which for hours is that of time. */
export function groupItems(items: readonly DashboardItem[], by: Grouping): readonly DashboardGroup[] {
  const groups = new Map<string, DashboardItem[]>();
  for (const item of items) {
    const group = groupOf(item, by);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [item]);
    else members.push(item);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, members]) => {
      const ended = members.flatMap(({ end, durationSeconds }) =>
        end === undefined || durationSeconds === undefined ? [] : [durationSeconds],
      );
      const sum = ended.reduce((total, seconds) => total + seconds, 0);
      return {
        group,
        ...summaryOf(members),
        ...(ended.length > 0 && { meanSeconds: Math.round(sum / ended.length) }),
      };
    });
}
