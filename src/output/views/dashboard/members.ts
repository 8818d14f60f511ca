import { formatTime } from '../../../core/time.js';
import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import type { DashboardGroup, Grouping } from '../../../services/dashboard/groups.js';
import type { Count, Summary } from '../../../services/dashboard/summary.js';

const COUNTS: readonly Count[] = [
  ...(['total', 'active', 'pending', 'running', 'suspended', 'completed'] as const),
  ...(['failed', 'killed', 'rejected', 'scheduled', 'missed'] as const),
];

/**
 * Counts as they are shown; null is a count that is not known. That is one that `--status` leaves out, or the missed
 * starts where the platform does not tell enough.
 */
export type ShownCounts<C> = Omit<C, Count> & Readonly<Record<Count, number | null>>;

/** Counts as programs get them. */
export function shownCounts<C extends Summary>(
  counts: C,
  { notJudged, counted }: Pick<Dashboard, 'notJudged' | 'counted'>,
): ShownCounts<C> {
  const isUnknown = (name: Count): boolean =>
    counted?.includes(name) === false || (name === 'missed' && notJudged === undefined);
  const unknown: Partial<Record<Count, null>> = {};
  for (const name of COUNTS) if (isUnknown(name)) unknown[name] = null;
  return { ...counts, ...unknown };
}

/** The platform that a dashboard is of. */
export interface DashboardTarget {
  readonly url: string;
  /** Name of the context that has this address. */
  readonly context?: string | undefined;
}

/** What json has beside the items of a dashboard. */
export function dashboardMembers({
  dashboard,
  target: { url, context },
  grouping,
}: {
  readonly dashboard: Dashboard;
  readonly target: DashboardTarget;
  readonly grouping: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] } | undefined;
}): Readonly<Record<string, unknown>> {
  const { now, window, namespaces, summary, notJudged } = dashboard;
  const at = (time: number): string => formatTime(time * 1000);
  return {
    target: { url, ...(context !== undefined && { context }) },
    summary: shownCounts(summary, dashboard),
    ...(grouping !== undefined && {
      groupedBy: grouping.by,
      groups: grouping.groups.map((group) => shownCounts(group, dashboard)),
    }),
    window: { start: window.start, startAt: at(window.start), end: window.end, endAt: at(window.end) },
    now,
    nowAt: at(now),
    namespaces,
    schedulesNotJudged: notJudged ?? null,
  };
}
