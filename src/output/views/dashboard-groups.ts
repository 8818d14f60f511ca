import type { DashboardGroup, Grouping } from '../../services/dashboard/groups.js';
import type { Summary } from '../../services/dashboard/summary.js';
import { dateText, hourText, lengthText } from '../clock-text.js';
import type { Look } from '../look.js';
import { stateStyle } from '../states.js';
import type { Column, ListParts } from '../view.js';
import { DashboardItemSchema } from './dashboard-item.js';
import type { ShownCounts } from './dashboard-members.js';

type Group = ShownCounts<DashboardGroup>;

const meanText = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : lengthText(seconds);

/** Groups of a dashboard as rows: for programs exact, for people, who have a `look`, in their time. */
export function groupParts(by: Grouping, look: Look | undefined): ListParts<Group> {
  const groupText = ({ group }: Group): string => {
    if (look === undefined || by !== 'hour') return group;
    const at = Date.parse(group) / 1000;
    return `${dateText(at, look)} ${hourText(at, look)}${look.utc ? 'Z' : ''}`;
  };
  const mean = ({ meanSeconds }: Group) => (look === undefined ? meanSeconds : meanText(meanSeconds));
  const count = (key: keyof Summary, header: string): Column<Group> => ({
    key,
    header,
    value: (group) => group[key],
    align: 'right',
    style: (group) => ((group[key] ?? 0) > 0 && key !== 'total' ? stateStyle(key) : undefined),
  });
  return {
    kind: 'Dashboard',
    schema: DashboardItemSchema,
    name: ({ group }) => group,
    columns: [
      { key: 'group', header: by.toUpperCase(), value: groupText },
      count('total', 'RUNS'),
      count('active', 'ACTIVE'),
      ...(['completed', 'failed', 'killed', 'rejected', 'scheduled', 'missed'] as const).map((key) =>
        count(key, key.toUpperCase()),
      ),
      { key: 'meanSeconds', header: 'MEAN', value: mean, align: 'right' },
    ],
  };
}
