import type { DashboardItem } from './item.js';

/** How an item differs from the look before. */
export interface DashboardChange {
  readonly change: 'new' | 'changed' | 'gone';
  readonly item: DashboardItem;
}

const keyOf = ({ namespace, pipeline, type, program, run, start, missed, schedule }: DashboardItem): string =>
  JSON.stringify([namespace, pipeline, type, program, run ?? start, missed, schedule]);

/** What can change in a run; its duration grows by itself and tells nothing. */
const markOf = ({ state, running, end, suspend, resume }: DashboardItem): string =>
  JSON.stringify([state, running, end, suspend, resume]);

/** What is new, other or gone since the look before. What only left the window at its old end is not told. */
export function changesBetween(
  before: readonly DashboardItem[],
  after: readonly DashboardItem[],
  windowStart: number,
): readonly DashboardChange[] {
  const old = new Map(before.map((item) => [keyOf(item), item]));
  const changes: DashboardChange[] = [];
  for (const item of after) {
    const key = keyOf(item);
    const previous = old.get(key);
    old.delete(key);
    if (previous === undefined) changes.push({ change: 'new', item });
    else if (markOf(previous) !== markOf(item)) changes.push({ change: 'changed', item });
  }
  for (const item of old.values()) if ((item.end ?? item.start) >= windowStart) changes.push({ change: 'gone', item });
  return changes;
}
