import { smallestOf } from '../../core/collections.js';
import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { DashboardItem } from '../../services/dashboard/item.js';
import type { Window } from '../../services/dashboard/window.js';
import { lengthText } from '../../core/duration.js';
import { hourText, momentText } from '../clock-text.js';
import { htmlText, percent } from './html.js';
import type { Look } from '../look.js';
import { STATE_KINDS } from '../states.js';
import { timelineRows, type MarkKind, type TimelineMark, type TimelineRow } from '../timeline.js';
import { ticksOf } from '../timeline-scale.js';

const MOST_TICKS = 9;
/** From here on a name reaches beyond the end of a narrow page, and of any. */
const NARROW_END = 0.9;
const END = 0.96;

/** The address of a run, where there is one. */
export type RunLink = (item: DashboardItem) => string | undefined;

interface Place {
  readonly link: RunLink;
  readonly window: Window;
  readonly now: number;
  readonly look: Pick<Look, 'utc'>;
}

const partOf = (at: number, { window: { start, end } }: Place): number => (at - start) / (end - start);
const hasNow = ({ window: { start, end }, now }: Place): boolean => now >= start && now <= end;
const isDot = (kind: MarkKind): boolean => kind === 'scheduled' || kind === 'missed';

function markHtml({ kind, from, to, item }: TimelineMark, place: Place): string {
  const { state, start, durationSeconds, user } = item;
  const told = [
    state,
    momentText(start, place.look, true),
    ...(durationSeconds === undefined ? [] : [lengthText(durationSeconds)]),
    ...(user === undefined ? [] : [user]),
  ];
  const title = `title="${htmlText(told.join('  '))}"`;
  const left = Math.min(1, Math.max(0, partOf(from, place)));
  if (isDot(kind)) return `<i class="dot ${kind}" style="left:${percent(left)}" ${title}></i>`;
  const width = Math.min(1, partOf(to, place)) - left;
  // A run at the right end would be drawn outside, as it has a least width.
  const drawnFrom = Math.min(left, 0.995);
  const style = `style="left:${percent(drawnFrom)};width:${percent(width)}"`;
  const address = place.link(item);
  if (address === undefined) return `<i class="run ${kind}" ${style} ${title}></i>`;
  return `<a class="run ${kind}" href="${htmlText(address)}" rel="noreferrer" ${style} ${title}></a>`;
}

/** How long the runs of a row took that have ended: the mean, and the youngest. */
function lengths({ marks }: TimelineRow): readonly [string, string] {
  const ended = marks.flatMap(({ item: { start, end, durationSeconds } }) =>
    end === undefined || durationSeconds === undefined ? [] : [{ start, took: durationSeconds }],
  );
  if (ended.length === 0) return ['-', '-'];
  const mean = ended.reduce((sum, { took }) => sum + took, 0) / ended.length;
  const last = ended.reduce((youngest, one) => (one.start > youngest.start ? one : youngest));
  return [lengthText(mean), lengthText(last.took)];
}

/** Worse rows have smaller numbers; what did not go wrong is all the same. */
const troubleOf = ({ marks }: TimelineRow): number => {
  const kinds = new Set(marks.map(({ kind }) => kind));
  return kinds.has('failed') ? 0 : kinds.has('missed') ? 1 : 2;
};

/** The rows of each namespace, those in trouble first; so are the namespaces. */
function groupsOf(rows: readonly TimelineRow[]): readonly (readonly [string, readonly TimelineRow[]])[] {
  const groups = new Map<string, TimelineRow[]>();
  for (const row of rows) {
    const group = groups.get(row.namespace);
    if (group === undefined) groups.set(row.namespace, [row]);
    else group.push(row);
  }
  const worst = (group: readonly TimelineRow[]): number => smallestOf(group.map(troubleOf));
  for (const group of groups.values()) group.sort((a, b) => troubleOf(a) - troubleOf(b));
  return [...groups].sort(([, a], [, b]) => worst(a) - worst(b));
}

function rowHtml(row: TimelineRow, place: Place, lines: string): string {
  const { pipeline, marks } = row;
  const counts = STATE_KINDS.flatMap((kind) => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  const name = htmlText(pipeline);
  const [mean, last] = lengths(row);
  const told = htmlText(counts.join(', '));
  const drawn = marks.map((mark) => markHtml(mark, place)).join('');
  return `<div class="row"><span title="${name}">${name}</span><div class="track" role="img" aria-label="${told}">${lines}${drawn}</div><span class="took">${mean}</span><span class="took">${last}</span></div>`;
}

function legendHtml(rows: readonly TimelineRow[], place: Place): string {
  const present = new Set(rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const kinds = STATE_KINDS.filter((kind) => present.has(kind));
  const entries = kinds.map((kind) => `<li><i class="${isDot(kind) ? 'dot' : 'run'} ${kind}"></i>${kind}</li>`);
  const now = hasNow(place) ? [`<li><i class="now"></i>now, ${hourText(place.now, place.look)}</li>`] : [];
  return `<ul class="legend">${[...entries, ...now].join('')}</ul>`;
}

/** The label to the right of a point, if there is room: at the right end only on a wide page, or never. */
function nameHtml(part: number, label: string): string {
  const last = part < NARROW_END ? '' : ' class="last"';
  return part < END ? `<i${last} style="left:${percent(part)}">${label}</i>` : '';
}

/**
 * The timeline of a page: a legend, a scale that stays in view and a row per pipeline, by namespace. Each run is a bar
 * as long as it ran.
 */
export function timelineHtml(
  dashboard: Dashboard,
  { look, link }: { readonly look: Pick<Look, 'utc'>; readonly link: RunLink },
): string {
  const { window, now } = dashboard;
  const place: Place = { window, now, look, link };
  const rows = timelineRows(dashboard);
  const ticks = ticksOf(window, MOST_TICKS, look);
  const names = ticks.map(({ at, label }) => nameHtml(partOf(at, place), label));
  const lines = [
    ...ticks.map(({ at }) => `<i class="grid" style="left:${percent(partOf(at, place))}"></i>`),
    ...(hasNow(place) ? [`<i class="now" style="left:${percent(partOf(now, place))}"></i>`] : []),
  ].join('');
  const scale = `<div class="row scale" aria-hidden="true"><span></span><div class="track">${names.join('')}</div><span class="took">mean</span><span class="took">last</span></div>`;
  const drawn = groupsOf(rows).flatMap(([namespace, group]) => [
    ...(dashboard.namespaces.length > 1
      ? [`<div class="row namespace"><span>${htmlText(namespace)}</span></div>`]
      : []),
    ...group.map((row) => rowHtml(row, place, lines)),
  ]);
  return `${legendHtml(rows, place)}\n<div class="time">\n${scale}\n${drawn.join('\n')}\n</div>`;
}
