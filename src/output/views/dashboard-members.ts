import { formatTime } from '../../core/time.js';
import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { DashboardGroup, Grouping } from '../../services/dashboard/groups.js';

/** Counts as they are shown: what schedules missed is null where the platform does not tell enough to know. */
export type ShownCounts<C> = Omit<C, 'missed'> & { readonly missed: number | null };

/** Counts as programs get them. */
export function shownCounts<C extends { readonly missed: number }>(
  counts: C,
  { notJudged }: Pick<Dashboard, 'notJudged'>,
): ShownCounts<C> {
  return { ...counts, missed: notJudged === undefined ? null : counts.missed };
}

/** What json has beside the items of a dashboard. */
export function dashboardMembers(
  dashboard: Dashboard,
  grouping: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] } | undefined,
): Readonly<Record<string, unknown>> {
  const { now, window, namespaces, summary, notJudged } = dashboard;
  const at = (time: number): string => formatTime(time * 1000);
  return {
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
