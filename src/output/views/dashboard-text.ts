import type { DashboardItem, Section } from '../../services/dashboard/item.js';
import { paint, type Look } from '../look.js';
import { timelineRows } from '../timeline.js';
import { timelineLines } from '../timeline-lines.js';
import type { RenderOptions } from '../view.js';
import { hanging } from '../width.js';
import { renderList } from '../writers/list.js';
import type { ShownDashboard } from './dashboard.js';
import { groupParts } from './dashboard-groups.js';
import { headLines } from './dashboard-lines.js';
import { shownCounts } from './dashboard-members.js';
import { readableRows, sectionOf } from './dashboard-rows.js';

/** Rows of a section, and of a timeline, that people are shown at a terminal unless they ask for all. */
const MOST_ROWS = 10;
const MOST_PIPELINES = 30;
/** Lines of a timeline beside its rows: one above it, scale, legend, how many are hidden; where the terminal is narrow the legend has one more. */
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

const UNLIMITED: Shares = { running: Infinity, failed: Infinity, finished: Infinity, scheduled: Infinity };
/** Of each section but what runs and what failed the first rows, which are those nearest to now. */
const SHORT: Shares = {
  running: 4 * MOST_ROWS,
  failed: 4 * MOST_ROWS,
  finished: MOST_ROWS,
  scheduled: MOST_ROWS,
};

/** Room for two, the first of which has half of it at least. */
function shared(room: number, first: number, second: number): readonly [number, number] {
  const own = Math.min(first, Math.max(Math.ceil(room / 2), room - second));
  return [own, Math.min(second, room - own)];
}

/** Room in a frame of so many lines below the counts: for what failed and what runs first, most of the rest for the timeline, unless that is next to nothing. */
function roomIn(lines: number, { dashboard, parts }: ShownDashboard, { columns = Infinity }: Look): Room {
  const around = AROUND_TIMELINE + (columns < NARROW ? 1 : 0);
  const counts = { running: 0, failed: 0, finished: 0, scheduled: 0 };
  for (const item of dashboard.items) counts[sectionOf(item)] += 1;
  if (parts === 'timeline') return { pipelines: Math.max(1, lines - around), items: UNLIMITED };
  // The heading, and what is not shown; where a timeline may be, a line between the two.
  const room = lines - (parts === 'auto' ? 3 : 2);
  const urgent = counts.failed + counts.running;
  const forTimeline = parts === 'auto' ? room - urgent - around : 0;
  const wanted = Math.max(LEAST_PIPELINES, Math.floor((forTimeline * 2) / 3));
  const pipelines = forTimeline < LEAST_PIPELINES ? 0 : Math.min(timelineRows(dashboard).length, wanted);
  const rows = Math.max(1, room - (pipelines === 0 ? 0 : pipelines + around));
  const [failed, running] = shared(rows, counts.failed, counts.running);
  const [finished, scheduled] = shared(rows - failed - running, counts.finished, counts.scheduled);
  return { pipelines, items: { failed, running, finished, scheduled } };
}

interface Chosen {
  readonly items: readonly DashboardItem[];
  /** How many are left out, by where they belong; missed starts apart from what failed. */
  readonly hidden: ReadonlyMap<string, number>;
}

function chosenItems(items: readonly DashboardItem[], shares: Shares): Chosen {
  const counts = new Map<string, number>();
  const hidden = new Map<string, number>();
  const kept = items.filter((item) => {
    const section = sectionOf(item);
    const count = (counts.get(section) ?? 0) + 1;
    counts.set(section, count);
    const kind = item.missed ? 'missed' : section;
    if (count > shares[section]) hidden.set(kind, (hidden.get(kind) ?? 0) + 1);
    return count <= shares[section];
  });
  return { items: kept, hidden };
}

/** A dashboard for people: counts, timeline and rows; with `rows` no more lines than that, what is most urgent first. */
export async function* dashboardText(shown: ShownDashboard, options: RenderOptions): AsyncGenerator<string> {
  const { dashboard, title, parts, grouping, rows } = shown;
  const { look } = options;
  const head = headLines(title, dashboard, look);
  yield `${head.join('\n')}\n`;
  if (grouping !== undefined) {
    const items = grouping.groups.map((group) => shownCounts(group, dashboard));
    yield* renderList(groupParts(grouping.by, look), { items }, options);
    return;
  }
  const isShort = parts === 'auto' && look.terminal;
  const usual: Room = { pipelines: isShort ? MOST_PIPELINES : Infinity, items: isShort ? SHORT : UNLIMITED };
  const room = rows === undefined ? usual : roomIn(rows - head.length, shown, look);
  if ((isShort || parts === 'timeline') && room.pipelines > 0) {
    const hint = parts === 'timeline' || rows !== undefined ? '' : ': --timeline shows all';
    const timeline = timelineLines(dashboard, look, { most: room.pipelines, hint });
    if (timeline.length > 0) yield `\n${timeline.join('\n')}\n`;
  }
  if (parts === 'timeline' || dashboard.items.length === 0) return;
  if (isShort) yield '\n';
  const { items, hidden } = chosenItems(dashboard.items, room.items);
  yield* renderList(readableRows(dashboard, options), { items }, options);
  for (const line of hiddenLines(hidden, shown, look)) yield `${paint(look, 'dim', line)}\n`;
}

/** What is not shown; in a frame of so many lines one line, which the terminal cuts. */
function hiddenLines(
  hidden: ReadonlyMap<string, number>,
  { parts, rows }: ShownDashboard,
  look: Look,
): readonly string[] {
  const more = [...hidden].map(([section, count]) => `${count} ${section}`).join(', ');
  if (more === '') return [];
  if (rows !== undefined) return [`not shown: ${more}`];
  return hanging('not shown: ', `${more}${parts === 'runs' ? '' : ' (--runs shows all)'}`, look);
}
