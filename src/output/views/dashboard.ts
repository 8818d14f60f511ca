import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { DashboardGroup, Grouping } from '../../services/dashboard/groups.js';
import type { RenderOptions, View } from '../view.js';
import { renderList } from '../writers/list.js';
import { groupList } from './dashboard-groups.js';
import { DashboardItemSchema } from './dashboard-item.js';
import { dashboardMembers } from './dashboard-members.js';
import { exactRows, readableRows } from './dashboard-rows.js';
import { dashboardText } from './dashboard-text.js';

/** A dashboard and how much of it people want to see. */
export interface ShownDashboard {
  readonly dashboard: Dashboard;
  /** Name of the platform. */
  readonly title: string;
  /** `auto`: both at a terminal, each with the rows that matter most; runs alone elsewhere. */
  readonly parts: 'auto' | 'runs' | 'timeline';
  readonly grouping: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] } | undefined;
  /** Lines that there is room for; as many as it takes unless given. */
  readonly rows?: number | undefined;
  /** What stands below: when it was looked at, or what may be asked next. */
  readonly footer?: readonly string[] | undefined;
}

/** The dashboard as the document that json has, for an error that holds it. */
export function dashboardDocument({ dashboard, grouping }: ShownDashboard): object {
  return { items: dashboard.items, ...dashboardMembers(dashboard, grouping) };
}

function renderDashboard(shown: ShownDashboard, options: RenderOptions): AsyncIterable<string> {
  const { dashboard, grouping } = shown;
  const { items } = dashboard;
  const grouped = (look?: RenderOptions['look']): AsyncIterable<string> | undefined =>
    grouping && groupList(grouping, dashboard, look, options);
  switch (options.format) {
    case 'json':
    case 'ndjson':
    case 'yaml':
      return renderList(exactRows, { items, members: dashboardMembers(dashboard, grouping) }, options);
    case 'csv':
      return grouped() ?? renderList(exactRows, { items }, options);
    case 'name':
      return renderList(exactRows, { items: items.filter(({ run }) => run !== undefined) }, options);
    case 'wide':
    case 'table':
      if (options.fields === undefined) return dashboardText(shown, options);
      return grouped(options.look) ?? renderList(readableRows(dashboard, options), { items }, options);
  }
}

/** Shows what ran, runs and will run (`cli.md` 4.11): counts, timeline and rows for people, every run and start for programs. */
export const dashboardView: View<ShownDashboard> = {
  kind: 'Dashboard',
  shape: 'list',
  schema: DashboardItemSchema,
  render: renderDashboard,
};
