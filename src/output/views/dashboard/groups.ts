import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import type { DashboardGroup, Grouping } from '../../../services/dashboard/groups.js';
import type { Summary } from '../../../services/dashboard/summary.js';
import { lengthText } from '../../../core/duration.js';
import { dateText, hourText } from '../../clock-text.js';
import type { Look } from '../../look.js';
import { stateStyle } from '../../states.js';
import type { Column, ListParts, RenderOptions } from '../../view-types.js';
import { renderList } from '../../writers/list.js';
import { DashboardItemSchema } from './item.js';
import { shownCounts, type ShownCounts } from './members.js';

type Group = ShownCounts<DashboardGroup>;

const meanText = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : lengthText(seconds);

/** Groups of a dashboard as rows: for programs exact, for people, who have a `look`, in their time. */
function groupParts(by: Grouping, look: Look | undefined, groups: readonly Group[]): ListParts<Group> {
  // A column of zeros tells nothing, and of states each has only its own.
  const isEmpty = (key: keyof Summary): boolean =>
    look !== undefined && groups.every((group) => (group[key] ?? 0) === 0);
  const ofState = by === 'status' && look !== undefined;
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
    wide: isEmpty(key) || (ofState && key !== 'total'),
    align: 'right',
    style: (group) => ((group[key] ?? 0) > 0 && key !== 'total' ? stateStyle(key) : undefined),
  });
  return {
    kind: 'Dashboard',
    schema: DashboardItemSchema,
    name: ({ group }) => group,
    columns: [
      { key: 'group', header: by.toUpperCase(), value: groupText },
      ofState
        ? {
            key: 'total',
            header: 'COUNT',
            align: 'right',
            value: ({ total, scheduled, missed }) => (total ?? 0) + (scheduled ?? 0) + (missed ?? 0),
          }
        : { ...count('total', 'RUNS'), wide: false },
      ...(['failed', 'rejected', 'missed', 'active', 'completed', 'killed', 'scheduled'] as const).map((key) =>
        count(key, key.toUpperCase()),
      ),
      { key: 'meanSeconds', header: 'MEAN', value: mean, align: 'right' },
    ],
  };
}

/** The rows of groups, with what they count as it is shown. */
export function groupList(
  { by, groups }: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] },
  dashboard: Pick<Dashboard, 'notJudged' | 'counted'>,
  look: Look | undefined,
  options: RenderOptions,
): AsyncIterable<string> {
  const items = groups.map((group) => shownCounts(group, dashboard));
  return renderList(groupParts(by, look, items), { items }, options);
}
