import type { Dashboard } from '../services/dashboard/dashboard.js';
import type { Window } from '../services/dashboard/window.js';
import { hourText, lengthText, momentText } from './clock-text.js';
import { htmlText, percent } from './html.js';
import type { Look } from './look.js';
import { STATE_KINDS } from './states.js';
import { timelineRows, type MarkKind, type TimelineMark, type TimelineRow } from './timeline.js';
import { ticksOf } from './timeline-scale.js';

const MOST_TICKS = 9;
/** From here on a name reaches beyond the end of a narrow page, and of any. */
const NARROW_END = 0.9;
const END = 0.96;

interface Place {
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
  return `<i class="run ${kind}" style="left:${percent(drawnFrom)};width:${percent(width)}" ${title}></i>`;
}

function rowHtml({ label, marks }: TimelineRow, place: Place, lines: string): string {
  const counts = STATE_KINDS.flatMap((kind) => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  const name = htmlText(label);
  const told = htmlText(counts.join(', '));
  const drawn = marks.map((mark) => markHtml(mark, place)).join('');
  return `<div class="row"><span title="${name}">${name}</span><div class="track" role="img" aria-label="${told}">${lines}${drawn}</div></div>`;
}

function legendHtml(rows: readonly TimelineRow[], place: Place): string {
  const present = new Set(rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const kinds = STATE_KINDS.filter((kind) => present.has(kind));
  const entries = kinds.map((kind) => `<li><i class="${isDot(kind) ? 'dot' : 'run'} ${kind}"></i>${kind}</li>`);
  const now = hasNow(place) ? [`<li><i class="now"></i>now, ${hourText(place.now, place.look)}</li>`] : [];
  return `<ul class="legend">${[...entries, ...now].join('')}</ul>`;
}

/** The name of a point right of it, where it has room: at the right end only on a wide page, or on none. */
function nameHtml(part: number, label: string): string {
  const last = part < NARROW_END ? '' : ' class="last"';
  return part < END ? `<i${last} style="left:${percent(part)}">${label}</i>` : '';
}

/** The timeline of a page: a scale, a row for each pipeline, a legend; every run is a bar as long as it ran. */
export function timelineHtml({ window, now, ...rest }: Dashboard, look: Pick<Look, 'utc'>): string {
  const place: Place = { window, now, look };
  const rows = timelineRows({ window, now, ...rest });
  const ticks = ticksOf(window, MOST_TICKS, look);
  const names = ticks.map(({ at, label }) => nameHtml(partOf(at, place), label));
  const lines = [
    ...ticks.map(({ at }) => `<i class="grid" style="left:${percent(partOf(at, place))}"></i>`),
    ...(hasNow(place) ? [`<i class="now" style="left:${percent(partOf(now, place))}"></i>`] : []),
  ].join('');
  const scale = `<div class="row scale" aria-hidden="true"><span></span><div class="track">${names.join('')}</div></div>`;
  const drawn = rows.map((row) => rowHtml(row, place, lines)).join('\n');
  return `<div class="time">\n${scale}\n${drawn}\n</div>\n${legendHtml(rows, place)}`;
}
