import type { DashboardItem, Section } from '../../../services/dashboard/item.js';
import { visible } from '../../escape.js';
import { paint, type Look } from '../../look.js';
import { timelineRows } from '../../timeline.js';
import { timelineLines } from '../../timeline-lines.js';
import type { RenderOptions } from '../../view-types.js';
import { hanging } from '../../width.js';
import { renderList } from '../../writers/list.js';
import { groupList } from './groups.js';
import { headLines, namespacesText } from './lines.js';
import type { DashboardTarget } from './members.js';
import { readableRows, sectionOf } from './rows.js';
import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import type { Grouping, DashboardGroup } from '../../../services/dashboard/groups.js';

/** A dashboard and how much of it people want to see. */
export interface ShownDashboard {
  readonly dashboard: Dashboard;
  readonly target: DashboardTarget;
  /** `auto`: both at a terminal, each with the rows that matter most; runs alone elsewhere. */
  readonly parts: 'auto' | 'runs' | 'timeline';
  readonly grouping: { readonly by: Grouping; readonly groups: readonly DashboardGroup[] } | undefined;
  /** Lines that there is room for; as many as it takes unless given. */
  readonly rows?: number | undefined;
  /** What stands below: when it was looked at, or what may be asked next. */
  readonly footer?: readonly string[] | undefined;
}

/** Rows of a section, and of a timeline, that people are shown at a terminal unless they ask for all. */
const MOST_ROWS = 10;
const MOST_PIPELINES = 30;
/**
 * Lines of a timeline beside its rows: one above it, scale, legend, how many are hidden. Where the terminal is narrow
 * the legend has one more.
 */
const AROUND_TIMELINE = 5;
const NARROW = 90;
const LEAST_PIPELINES = 3;

/** How many rows each section may have. */
type Shares = Readonly<Record<Section, number>>;

/** How many rows of a timeline and of a table are shown. */
interface Room {
  readonly pipelines: number;
  readonly items: Shares;
}

const UNLIMITED: Shares = {
  ...{ failed: Infinity, missed: Infinity, running: Infinity },
  ...{ completed: Infinity, killed: Infinity, scheduled: Infinity },
};
/** Of each section but what is urgent the first rows, which are those nearest to now. */
const SHORT: Shares = {
  ...{ failed: 4 * MOST_ROWS, missed: 4 * MOST_ROWS, running: 4 * MOST_ROWS },
  ...{ completed: MOST_ROWS, killed: MOST_ROWS, scheduled: MOST_ROWS },
};
const URGENT: readonly Section[] = ['failed', 'missed', 'running'];
/** The rest of the urgent ones divides what failed runs leave. */
const AFTER_FAILED = URGENT.filter((section) => section !== 'failed');
const OTHERS: readonly Section[] = ['completed', 'killed', 'scheduled'];

/**
 * Divides room among sections in order; each gets at least half of what the earlier ones left. No section gets more
 * than it needs.
 */
function shared(room: number, sections: readonly Section[], counts: Shares): readonly [Section, number][] {
  let left = room;
  return sections.map((section, at) => {
    const rest = sections.slice(at + 1).reduce((sum, other) => sum + counts[other], 0);
    const own = Math.min(counts[section], Math.max(Math.ceil(left / 2), left - rest));
    left -= own;
    return [section, own];
  });
}

/**
 * Divides a frame of `lines` lines below the counts: failed runs first, then mostly the timeline. Other urgent items
 * come between the two. Leaves the timeline out when its share is next to nothing.
 */
function roomIn(lines: number, { dashboard, parts }: ShownDashboard, { columns = Infinity }: Look): Room {
  const around = AROUND_TIMELINE + (columns < NARROW ? 1 : 0);
  const counts = { failed: 0, missed: 0, running: 0, completed: 0, killed: 0, scheduled: 0 };
  for (const item of dashboard.items) counts[sectionOf(item)] += 1;
  if (parts === 'timeline') return { pipelines: Math.max(1, lines - around), items: UNLIMITED };
  // The heading, and what is not shown; where a timeline may be, a line between the two.
  const room = lines - (parts === 'auto' ? 3 : 2);
  const urgent = URGENT.reduce((sum, section) => sum + counts[section], 0);
  const forTimeline = parts === 'auto' ? room - urgent - around : 0;
  const wanted = Math.max(LEAST_PIPELINES, Math.floor((forTimeline * 2) / 3));
  const pipelines = forTimeline < LEAST_PIPELINES ? 0 : Math.min(timelineRows(dashboard).length, wanted);
  const rows = Math.max(1, room - (pipelines === 0 ? 0 : pipelines + around));
  const failed = Math.min(rows, counts.failed);
  const first: readonly [Section, number][] = [['failed', failed], ...shared(rows - failed, AFTER_FAILED, counts)];
  const rest = rows - first.reduce((sum, [, own]) => sum + own, 0);
  return { pipelines, items: { ...UNLIMITED, ...Object.fromEntries([...first, ...shared(rest, OTHERS, counts)]) } };
}

interface Chosen {
  readonly items: readonly DashboardItem[];
  /** How many are left out, by where they belong. */
  readonly hidden: ReadonlyMap<string, number>;
}

function chosenItems(items: readonly DashboardItem[], shares: Shares): Chosen {
  const counts = new Map<string, number>();
  const hidden = new Map<string, number>();
  const kept = items.filter((item) => {
    const section = sectionOf(item);
    const count = (counts.get(section) ?? 0) + 1;
    counts.set(section, count);
    if (count > shares[section]) hidden.set(section, (hidden.get(section) ?? 0) + 1);
    return count <= shares[section];
  });
  return { items: kept, hidden };
}

/**
 * A dashboard for people: counts, timeline and rows. With `rows` no more lines than that, what is most urgent first.
 */
export async function* dashboardText(shown: ShownDashboard, options: RenderOptions): AsyncGenerator<string> {
  const { dashboard, target, grouping, footer = [] } = shown;
  const { look } = options;
  const head = headLines(target.context ?? target.url, dashboard, look);
  yield `${head.join('\n')}\n`;
  if (grouping !== undefined) yield* groupList(grouping, dashboard, look, options);
  else if (dashboard.items.length === 0) yield `\n${emptyLines(dashboard, look).join('\n')}\n`;
  else yield* partsText(shown, options, head.length);
  for (const line of footer) yield `${paint(look, 'dim', visible(line))}\n`;
}

/** Lines of the terminal: a command that is to be pasted is not cut. */
function linesOf(texts: readonly string[], { columns = Infinity }: Look): number {
  return texts.reduce((sum, text) => sum + Math.max(1, Math.ceil(text.length / columns)), 0);
}

/** What a window is told of in which nothing is. */
function emptyLines({ namespaces, counted }: ShownDashboard['dashboard'], look: Look): readonly string[] {
  const what = counted === undefined ? 'no runs or scheduled starts' : 'no runs with this status';
  const where = namespaces.length === 1 ? `namespace ${namespaces[0] ?? ''}` : namespacesText(namespaces);
  return hanging(
    '',
    visible(`${what} in ${where} in this window; try --last 7d${namespaces.length > 1 ? '' : ' or -A'}`),
    look,
  );
}

async function* partsText(shown: ShownDashboard, options: RenderOptions, above: number): AsyncGenerator<string> {
  const { dashboard, parts, rows, footer = [] } = shown;
  const { look } = options;
  const isShort = parts === 'auto' && look.terminal;
  const usual: Room = { pipelines: isShort ? MOST_PIPELINES : Infinity, items: isShort ? SHORT : UNLIMITED };
  const room = rows === undefined ? usual : roomIn(rows - above - linesOf(footer, look), shown, look);
  if ((isShort || parts === 'timeline') && room.pipelines > 0) {
    const hint = parts === 'timeline' || rows !== undefined ? '' : ': --timeline shows all';
    const timeline = timelineLines(dashboard, look, { most: room.pipelines, hint });
    if (timeline.length > 0) yield `\n${timeline.join('\n')}\n`;
  }
  const withTimeline = !isShort || room.pipelines > 0;
  if (parts === 'timeline') return;
  if (isShort) yield '\n';
  const { items, hidden } = chosenItems(dashboard.items, room.items);
  yield* renderList(readableRows(dashboard, options), { items }, options);
  for (const line of hiddenLines(hidden, { ...shown, withTimeline }, look)) yield `${paint(look, 'dim', line)}\n`;
}

/** What is not shown; in a frame of so many lines one line, which the terminal cuts. */
function hiddenLines(
  hidden: ReadonlyMap<string, number>,
  { parts, rows, withTimeline }: ShownDashboard & { readonly withTimeline: boolean },
  look: Look,
): readonly string[] {
  const more = [...hidden].map(([section, count]) => `${count} ${section}`).join(', ');
  const timeline = withTimeline ? [] : ['timeline (--timeline)'];
  if (rows !== undefined) {
    const left = [...(more === '' ? [] : [`${more}${parts === 'runs' ? '' : ' (--runs)'}`]), ...timeline];
    return left.length === 0 ? [] : [`not shown: ${left.join('; ')}`];
  }
  if (more === '') return [];
  return hanging('not shown: ', `${more}${parts === 'runs' ? '' : ' (--runs shows all)'}`, look);
}
