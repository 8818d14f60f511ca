import { formatTime } from '../../core/time.js';
import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { DashboardGroup, Grouping } from '../../services/dashboard/groups.js';
import type { DashboardItem } from '../../services/dashboard/item.js';
import { dateText, lengthText, momentText } from '../clock-text.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { kindOf, type MarkKind } from '../timeline.js';
import { timelineLines } from '../timeline-lines.js';
import type { Column, ListParts, RenderOptions, View } from '../view.js';
import { cut, hanging } from '../width.js';
import { renderList } from '../writers/list.js';
import { groupParts } from './dashboard-groups.js';
import { DashboardItemSchema } from './dashboard-item.js';
import { headLines } from './dashboard-lines.js';

const KIND = 'Dashboard';
/** Rows of a section, and of a timeline, that people are shown at a terminal unless they ask for all. */
const MOST_ROWS = 10;
const MOST_PIPELINES = 30;
/** Terminals with fewer columns are shown fewer of a table. */
const NARROW = 110;
/** What stands beside the name of a pipeline in any case, and the least that is shown of a name. */
const BESIDE = 40;
const LEAST_NAME = 12;

/** A dashboard and how much of it people want to see. */
export interface ShownDashboard {
  readonly dashboard: Dashboard;
  /** Name of the platform. */
  readonly title: string;
  /** `auto`: both at a terminal, each with the rows that matter most; runs alone elsewhere. */
  readonly parts: 'auto' | 'runs' | 'timeline';
  readonly grouping: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] } | undefined;
}

/** Every run and start for itself, exact for programs. */
const exact: ListParts<DashboardItem> = {
  kind: KIND,
  schema: DashboardItemSchema,
  name: ({ run }) => run ?? '',
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline },
    { key: 'state', value: ({ state }) => state },
    { key: 'startAt', value: ({ startAt }) => startAt },
    { key: 'runningAt', value: ({ runningAt }) => runningAt },
    { key: 'endAt', value: ({ endAt }) => endAt },
    { key: 'waitedSeconds', value: ({ waitedSeconds }) => waitedSeconds },
    { key: 'durationSeconds', value: ({ durationSeconds }) => durationSeconds },
    { key: 'startMethod', value: ({ startMethod }) => startMethod },
    { key: 'user', value: ({ user }) => user },
    { key: 'run', value: ({ run }) => run },
    { key: 'type', value: ({ type }) => type },
    { key: 'program', value: ({ program }) => program },
    { key: 'schedule', value: ({ schedule }) => schedule },
    { key: 'artifact', value: ({ artifact }) => artifact && `${artifact.name} ${artifact.version}` },
    { key: 'start', value: ({ start }) => start },
    { key: 'running', value: ({ running }) => running },
    { key: 'end', value: ({ end }) => end },
  ],
};

const seconds = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : lengthText(value);

const DETAILS: readonly Column<DashboardItem>[] = [
  { key: 'type', value: ({ type }) => type, wide: true },
  { key: 'program', value: ({ program }) => program, wide: true },
  { key: 'schedule', value: ({ schedule }) => schedule, wide: true },
];

const isWrong = (item: DashboardItem): boolean => SECTIONS[kindOf(item)] === 'failed';

/** Whether a time alone would not tell the day. */
function coversDays({ window, items }: Dashboard, look: Look): boolean {
  const first = items.reduce((earliest, { start }) => Math.min(earliest, start), window.start);
  return dateText(first, look) !== dateText(window.end, look);
}

function shortened(name: string, room: number, look: Look): string {
  return cut(visible(name), Math.max(LEAST_NAME, room), look.unicode ? '…' : '...');
}

/** The same as people read it: short times, a run by the beginning of its id. */
function readable(dashboard: Dashboard, { look, format, fields }: RenderOptions): ListParts<DashboardItem> {
  const hasDays = coversDays(dashboard, look);
  const room = look.terminal ? (look.columns ?? Infinity) : Infinity;
  const isNarrow = room < NARROW;
  const isOfOne = look.terminal && dashboard.namespaces.length === 1;
  const moment = (at: number | undefined) => (at === undefined ? undefined : momentText(at, look, hasDays));
  const columns: readonly Column<DashboardItem>[] = [
    { key: 'namespace', value: ({ namespace }) => namespace, wide: isOfOne },
    // The first column is never cut by others.
    { key: 'pipeline', value: ({ pipeline }) => (isOfOne ? shortened(pipeline, room - BESIDE, look) : pipeline) },
    { key: 'state', value: ({ state }) => state, whole: true, alarming: isWrong },
    { key: 'start', value: ({ start }) => moment(start), whole: true },
    {
      key: 'waitedSeconds',
      header: 'WAITED',
      value: ({ waitedSeconds }) => seconds(waitedSeconds),
      whole: true,
      wide: isNarrow,
    },
    {
      key: 'durationSeconds',
      header: 'DURATION',
      value: ({ durationSeconds }) => seconds(durationSeconds),
      whole: true,
    },
    {
      key: 'startMethod',
      header: 'HOW',
      value: ({ startMethod }) => startMethod.toLowerCase(),
      wide: isNarrow && !isOfOne,
    },
    { key: 'user', value: ({ user }) => user, wide: isNarrow },
    { key: 'run', value: ({ run }) => (format === 'wide' ? run : run?.slice(0, 8)) },
    { key: 'end', value: ({ end }) => moment(end), wide: true },
    ...DETAILS,
  ];
  const others = exact.columns.filter(({ key }) => !columns.some((column) => column.key === key));
  return { ...exact, columns: fields === undefined ? columns : [...columns, ...others] };
}

/** Where a person looks for an item. */
const SECTIONS = {
  running: 'running',
  waiting: 'running',
  failed: 'failed',
  missed: 'failed',
  completed: 'finished',
  killed: 'finished',
  scheduled: 'scheduled',
} as const satisfies Record<MarkKind, string>;

interface Chosen {
  readonly items: readonly DashboardItem[];
  /** How many are left out, by where they belong. */
  readonly hidden: ReadonlyMap<string, number>;
}

/** Of each section but what runs and what failed the first rows, which are those nearest to now. */
function chosenItems(items: readonly DashboardItem[], isShort: boolean): Chosen {
  const counts = new Map<string, number>();
  const hidden = new Map<string, number>();
  if (!isShort) return { items, hidden };
  const kept = items.filter((item) => {
    const section = SECTIONS[kindOf(item)];
    const count = (counts.get(section) ?? 0) + 1;
    counts.set(section, count);
    const most = section === 'finished' || section === 'scheduled' ? MOST_ROWS : 4 * MOST_ROWS;
    if (count > most) hidden.set(section, count - most);
    return count <= most;
  });
  return { items: kept, hidden };
}

async function* lines(shown: ShownDashboard, options: RenderOptions): AsyncGenerator<string> {
  const { dashboard, title, parts, grouping } = shown;
  const { look } = options;
  const isShort = parts === 'auto' && look.terminal;
  yield `${headLines(title, dashboard, look).join('\n')}\n`;
  if (grouping !== undefined) {
    yield* renderList(groupParts(grouping.by, look), { items: grouping.groups }, options);
    return;
  }
  if (isShort || parts === 'timeline') {
    const timeline = timelineLines(dashboard, look, isShort ? { most: MOST_PIPELINES } : {});
    if (timeline.length > 0) yield `\n${timeline.join('\n')}\n`;
  }
  if (parts === 'timeline' || dashboard.items.length === 0) return;
  if (isShort) yield '\n';
  const { items, hidden } = chosenItems(dashboard.items, isShort);
  yield* renderList(readable(dashboard, options), { items }, options);
  const more = [...hidden].map(([section, count]) => `${count} ${section}`);
  if (more.length === 0) return;
  for (const line of hanging('not shown: ', `${more.join(', ')} (--runs shows all)`, look))
    yield `${paint(look, 'dim', line)}\n`;
}

/** What json has beside the items. */
function membersOf({ dashboard, grouping }: ShownDashboard): Readonly<Record<string, unknown>> {
  const { now, window, namespaces, summary, notJudged } = dashboard;
  const at = (time: number): string => formatTime(time * 1000);
  return {
    summary,
    ...(grouping !== undefined && { groupedBy: grouping.by, groups: grouping.groups }),
    window: { start: window.start, startAt: at(window.start), end: window.end, endAt: at(window.end) },
    now,
    nowAt: at(now),
    namespaces,
    schedulesNotJudged: notJudged ?? null,
  };
}

/** The dashboard as the document that json has, for an error that holds it. */
export function dashboardDocument(shown: ShownDashboard): object {
  return { items: shown.dashboard.items, ...membersOf(shown) };
}

function renderDashboard(shown: ShownDashboard, options: RenderOptions): AsyncIterable<string> {
  const { dashboard, grouping } = shown;
  const { items } = dashboard;
  switch (options.format) {
    case 'json':
    case 'ndjson':
    case 'yaml':
      return renderList(exact, { items, members: membersOf(shown) }, options);
    case 'csv':
      return grouping === undefined
        ? renderList(exact, { items }, options)
        : renderList(groupParts(grouping.by, undefined), { items: grouping.groups }, options);
    case 'name':
      return renderList(exact, { items: items.filter(({ run }) => run !== undefined) }, options);
    case 'wide':
    case 'table':
      if (options.fields === undefined) return lines(shown, options);
      return grouping === undefined
        ? renderList(readable(dashboard, options), { items }, options)
        : renderList(groupParts(grouping.by, options.look), { items: grouping.groups }, options);
  }
}

/** Shows what ran, runs and will run (`cli.md` 4.11): counts, timeline and rows for people, every run and start for programs. */
export const dashboardView: View<ShownDashboard> = {
  kind: KIND,
  shape: 'list',
  schema: DashboardItemSchema,
  render: renderDashboard,
};
