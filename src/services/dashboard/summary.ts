import type { Condition } from '../../core/condition.js';
import type { DashboardItem } from './item.js';

/**
 * The counts of a dashboard, by what conditions and `summary` call them. `total` counts runs, `active` those that have
 * not ended.
 */
export const COUNTS = [
  'total',
  'active',
  'pending',
  'running',
  'suspended',
  'completed',
  'failed',
  'killed',
  'rejected',
  'scheduled',
  'missed',
] as const;

/** One of the counts of a dashboard. */
export type Count = (typeof COUNTS)[number];

/** How many runs and starts there are of each kind. */
export type Summary = Readonly<Record<Count, number>>;

const BY_STATE: Readonly<Record<string, Exclude<Count, 'total' | 'active'>>> = {
  PENDING: 'pending',
  STARTING: 'pending',
  RUNNING: 'running',
  RESUMING: 'running',
  STOPPING: 'running',
  SUSPENDED: 'suspended',
  COMPLETED: 'completed',
  FAILED: 'failed',
  KILLED: 'killed',
  REJECTED: 'rejected',
  scheduled: 'scheduled',
  missed: 'missed',
};

/** Counts items; a run in a state that is not known counts in `total` alone. */
export function summaryOf(items: Iterable<Pick<DashboardItem, 'state'>>): Summary {
  const counts: Record<Count, number> = {
    total: 0,
    active: 0,
    pending: 0,
    running: 0,
    suspended: 0,
    completed: 0,
    failed: 0,
    killed: 0,
    rejected: 0,
    scheduled: 0,
    missed: 0,
  };
  for (const { state } of items) {
    const count = BY_STATE[state];
    if (count !== undefined) counts[count] += 1;
    if (count !== 'scheduled' && count !== 'missed') counts.total += 1;
    if (count === 'pending' || count === 'running' || count === 'suspended') counts.active += 1;
  }
  return counts;
}

/** The counts that items of some states may change; undefined where all are asked for. */
export function countedOf(states: readonly string[]): readonly Count[] | undefined {
  if (states.length === 0) return undefined;
  const counts = summaryOf(states.map((state) => ({ state })));
  return COUNTS.filter((name) => counts[name] > 0);
}

/** Whether a word names a count. */
export const isCount = (name: string): name is Count => COUNTS.some((count) => count === name);

/** Those of the conditions that hold, each as `failed>0 (failed is 2)`. */
export function holdingConditions(conditions: readonly Condition[], summary: Summary): readonly string[] {
  return conditions.flatMap(({ name, text, holds }) =>
    isCount(name) && holds(summary[name]) ? [`${text.trim()} (${name} is ${summary[name]})`] : [],
  );
}
