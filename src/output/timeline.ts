import { largestOf } from '../core/collections.js';
import type { Dashboard } from '../services/dashboard/dashboard.js';
import type { DashboardItem } from '../services/dashboard/item.js';
import { STATE_KINDS, type StateKind } from './states.js';

/** What a mark on a timeline tells: where two meet, what is more urgent is seen. */
export type MarkKind = StateKind;

/** A run or a start as it lies on a timeline, in epoch seconds; a start has no length. */
export interface TimelineMark {
  readonly kind: MarkKind;
  readonly from: number;
  readonly to: number;
  readonly item: DashboardItem;
}

/** The marks of one pipeline, in the order of their importance. */
export interface TimelineRow {
  readonly namespace: string;
  readonly pipeline: string;
  readonly label: string;
  readonly marks: readonly TimelineMark[];
}

/** What the mark of an item tells; a state that is not known counts as running while it has no end. */
export function kindOf({ state, end }: DashboardItem): MarkKind {
  switch (state) {
    case 'scheduled':
    case 'missed':
      return state;
    case 'FAILED':
    case 'REJECTED':
      return 'failed';
    case 'KILLED':
      return 'killed';
    case 'COMPLETED':
      return 'completed';
    case 'PENDING':
    case 'STARTING':
    case 'SUSPENDED':
      return 'waiting';
    default:
      return end === undefined ? 'running' : 'completed';
  }
}

function markOf(item: DashboardItem, now: number): TimelineMark {
  const kind = kindOf(item);
  const isOpen = kind === 'running' || kind === 'waiting';
  const to = item.end ?? (isOpen ? Math.max(now, item.start) : item.start);
  return { kind, from: item.start, to, item };
}

const rankOf = ({ kind }: TimelineMark): number => STATE_KINDS.length - STATE_KINDS.indexOf(kind);

/** One row for each pipeline, by name; with the namespace where there are several. */
export function timelineRows({ items, namespaces, now }: Dashboard): readonly TimelineRow[] {
  const rows = new Map<string, TimelineRow & { readonly marks: TimelineMark[] }>();
  for (const item of items) {
    const { namespace, pipeline } = item;
    const place = `${namespace}/${pipeline}`;
    const row = rows.get(place) ?? {
      namespace,
      pipeline,
      label: namespaces.length === 1 ? pipeline : place,
      marks: [],
    };
    row.marks.push(markOf(item, now));
    rows.set(place, row);
  }
  for (const { marks } of rows.values()) marks.sort((a, b) => rankOf(a) - rankOf(b));
  return [...rows.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
}

/**
 * The most important rows when there is room for only `most`, in their original order. Failed ones come first, then
 * active ones, then the busiest.
 */
export function chosenRows(rows: readonly TimelineRow[], most: number): readonly TimelineRow[] {
  if (rows.length <= most) return rows;
  const worst = ({ marks }: TimelineRow): number => largestOf(marks.slice(-1).map(rankOf));
  const chosen = [...rows].sort((a, b) => worst(b) - worst(a) || b.marks.length - a.marks.length).slice(0, most);
  const kept = new Set(chosen);
  return rows.filter((row) => kept.has(row));
}
