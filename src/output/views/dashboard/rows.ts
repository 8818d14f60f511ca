import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import type { DashboardItem, Section } from '../../../services/dashboard/item.js';
import { lengthText } from '../../../core/duration.js';
import { dateText, momentText } from '../../clock-text.js';
import { visible } from '../../escape.js';
import type { Look } from '../../look.js';
import { STATE_STYLES } from '../../states.js';
import { kindOf, type MarkKind } from '../../timeline.js';
import type { Column, ListParts, RenderOptions } from '../../view-types.js';
import { cut } from '../../width.js';
import { DashboardItemSchema } from './item.js';

/** Terminals with fewer columns are shown fewer of a table. */
const NARROW = 110;
/** The width needed beside the name of a pipeline, in narrow and wide terminals, and the shortest name. */
const BESIDE = { narrow: 40, wide: 76 };
const LEAST_NAME = 12;

/** Every run and start for itself, exact for programs. */
export const exactRows = {
  kind: 'Dashboard',
  none: 'no runs found',
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
} satisfies ListParts<DashboardItem>;

const seconds = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : lengthText(value);

const BETWEEN: readonly Column<DashboardItem>[] = [
  {
    key: 'waitedSeconds',
    header: 'WAITED',
    value: ({ waitedSeconds }) => seconds(waitedSeconds),
    whole: true,
    spare: 3,
  },
  {
    key: 'durationSeconds',
    header: 'DURATION',
    value: ({ durationSeconds }) => seconds(durationSeconds),
    whole: true,
  },
  { key: 'startMethod', header: 'HOW', value: ({ startMethod }) => startMethod.toLowerCase(), spare: 1 },
  { key: 'user', value: ({ user }) => user, spare: 2 },
];

const DETAILS: readonly Column<DashboardItem>[] = [
  { key: 'type', value: ({ type }) => type, wide: true },
  { key: 'program', value: ({ program }) => program, wide: true },
  { key: 'schedule', value: ({ schedule }) => schedule, wide: true },
];

const SECTIONS: Readonly<Record<MarkKind, Section>> = {
  failed: 'failed',
  missed: 'missed',
  running: 'running',
  waiting: 'running',
  completed: 'completed',
  killed: 'killed',
  scheduled: 'scheduled',
};

/** Where a person looks for an item. */
export const sectionOf = (item: DashboardItem): Section => SECTIONS[kindOf(item)];

/** Whether a time alone would not tell the day. */
function coversDays({ window, items }: Dashboard, look: Look): boolean {
  const first = items.reduce((earliest, { start }) => Math.min(earliest, start), window.start);
  return dateText(first, look) !== dateText(window.end, look);
}

function shortened(name: string, room: number, look: Look): string {
  return cut(visible(name), Math.max(LEAST_NAME, room), look.unicode ? '…' : '...');
}

/** The same as people read it: short times, a run by the beginning of its id. */
export function readableRows(dashboard: Dashboard, { look, format, fields }: RenderOptions): ListParts<DashboardItem> {
  const hasDays = coversDays(dashboard, look);
  const room = look.terminal ? (look.columns ?? Infinity) : Infinity;
  const isNarrow = room < NARROW;
  const beside = isNarrow ? BESIDE.narrow : BESIDE.wide;
  const isOfOne = look.terminal && dashboard.namespaces.length === 1;
  const moment = (at: number | undefined) => (at === undefined ? undefined : momentText(at, look, hasDays));
  const columns: readonly Column<DashboardItem>[] = [
    { key: 'namespace', value: ({ namespace }) => namespace, wide: isOfOne },
    // The first column is never cut by others.
    { key: 'pipeline', value: ({ pipeline }) => (isOfOne ? shortened(pipeline, room - beside, look) : pipeline) },
    {
      key: 'state',
      value: ({ state }) => state,
      whole: true,
      telling: true,
      style: (item) => STATE_STYLES[kindOf(item)],
    },
    { key: 'start', value: ({ start }) => moment(start), whole: true },
    ...BETWEEN,
    { key: 'run', value: ({ run }) => (format === 'wide' ? run : run?.slice(0, 8)) },
    { key: 'end', value: ({ end }) => moment(end), wide: true },
    ...DETAILS,
  ];
  const others = exactRows.columns.filter(({ key }) => !columns.some((column) => column.key === key));
  return { ...exactRows, columns: fields === undefined ? columns : [...columns, ...others] };
}
