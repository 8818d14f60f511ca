import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { Summary } from '../../services/dashboard/summary.js';
import { hourText, spanOfTime } from '../clock-text.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { packed } from '../packed.js';

const GAP = '   ';
/** Counts that are always told; the others only where there are any. */
const ALWAYS: readonly (keyof Summary)[] = ['running', 'completed', 'failed', 'scheduled'];
const ORDER: readonly (keyof Summary)[] = [
  ...(['pending', 'running', 'suspended', 'completed', 'failed', 'rejected', 'killed', 'missed', 'scheduled'] as const),
];

function countText(name: keyof Summary, count: number, look: Look): string {
  const text = `${name} ${count}`;
  if (count === 0) return text;
  if (name === 'failed' || name === 'rejected') return paint(look, 'red', text);
  return name === 'missed' ? paint(look, 'yellow', text) : text;
}

const counts = (summary: Summary, look: Look): readonly string[] =>
  ORDER.filter((name) => summary[name] > 0 || ALWAYS.includes(name)).map((name) =>
    countText(name, summary[name], look),
  );

/** The counts, those of a summary that matter: `running 3   completed 118   failed 2   scheduled 14`. */
export const countsText = (summary: Summary, look: Look): string => counts(summary, look).join(GAP);

/** What is looked at and how much there is of it, in as few lines as have room for it. */
export function headLines(title: string, { window, now, summary }: Dashboard, look: Look): readonly string[] {
  const { start, end } = window;
  const isInside = now >= start && now <= end;
  const present = isInside ? ` (now ${hourText(now, look)}${look.utc ? 'Z' : ''})` : '';
  const named = [visible(title), `${spanOfTime(start, end, look)}${present}`];
  const head = named.join('  ');
  const plain = `${head}${GAP}${countsText(summary, { ...look, color: false })}`;
  if (look.columns === undefined || plain.length <= look.columns) return [`${head}${GAP}${countsText(summary, look)}`];
  return [...packed(named, '  ', look), ...packed(counts(summary, look), GAP, look)];
}
