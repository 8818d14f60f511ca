import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { Summary } from '../../services/dashboard/summary.js';
import { hourText, spanOfTime } from '../clock-text.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';

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

/** The counts, those of a summary that matter: `running 3   completed 118   failed 2   scheduled 14`. */
export function countsText(summary: Summary, look: Look): string {
  return ORDER.filter((name) => summary[name] > 0 || ALWAYS.includes(name))
    .map((name) => countText(name, summary[name], look))
    .join('   ');
}

/** What is looked at and how much there is of it, in one line where it has room. */
export function headLines(title: string, { window, now, summary }: Dashboard, look: Look): readonly string[] {
  const { start, end } = window;
  const isInside = now >= start && now <= end;
  const present = isInside ? ` (now ${hourText(now, look)}${look.utc ? 'Z' : ''})` : '';
  const head = visible(`${title}  ${spanOfTime(start, end, look)}${present}`);
  const plain = `${head}   ${countsText(summary, { ...look, color: false })}`;
  const counts = countsText(summary, look);
  if (look.columns === undefined || plain.length <= look.columns) return [`${head}   ${counts}`];
  return [head, counts];
}
