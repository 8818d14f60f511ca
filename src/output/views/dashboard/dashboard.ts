import type { DashboardItem } from '../../../services/dashboard/item.js';
import type { RenderOptions, View } from '../../view-types.js';
import { view } from '../view.js';
import { renderList } from '../../writers/list.js';
import { groupList } from './groups.js';
import { DashboardItemSchema } from './item.js';
import { dashboardMembers } from './members.js';
import { exactRows, readableRows } from './rows.js';
import { dashboardText, type ShownDashboard } from './text.js';

/** The dashboard as the document that json has, for an error that holds it. */
export function dashboardDocument(shown: ShownDashboard): object {
  return { items: shown.dashboard.items, ...dashboardMembers(shown) };
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
      return renderList(exactRows, { items, members: dashboardMembers(shown) }, options);
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

/**
 * Shows what ran, runs and will run: a summary for people, every run and start for programs. People get counts, a
 * timeline and rows.
 */
export const dashboardView: View<ShownDashboard> = {
  ...view<typeof DashboardItemSchema, DashboardItem>(exactRows),
  render: renderDashboard,
};
