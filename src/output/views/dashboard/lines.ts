import type { Dashboard } from '../../../services/dashboard/dashboard.js';
import type { Summary } from '../../../services/dashboard/summary.js';
import { hourText, spanOfTime } from '../../clock-text.js';
import { visible } from '../../escape.js';
import type { Look } from '../../look.js';
import { packed } from '../../pack-line.js';
import { displayWidth } from '../../width.js';
import { paintState } from '../../states.js';

const GAP = '   ';
const MOST_NAMED = 4;
/** Counts that are always told; the others only where there are any. */
const ALWAYS: readonly (keyof Summary)[] = ['failed', 'running', 'completed', 'scheduled'];
const ORDER: readonly (keyof Summary)[] = [
  ...(['failed', 'rejected', 'missed', 'running', 'pending', 'suspended', 'completed', 'killed', 'scheduled'] as const),
];

function countText(name: keyof Summary, count: number, look: Look): string {
  const text = `${name} ${count}`;
  return count === 0 ? text : paintState(look, name, text);
}

type CountedSummary = Pick<Dashboard, 'summary' | 'counted'>;

/** What was not asked for was not counted, which is not 0. */
function counts({ summary, counted = ALWAYS }: CountedSummary, look: Look): readonly string[] {
  const isShown = (name: keyof Summary): boolean => summary[name] > 0 || counted.includes(name);
  return ORDER.filter(isShown).map((name) => countText(name, summary[name], look));
}

/** The counts that matter: `failed 2 running 3 completed 118 scheduled 14`. */
export const countsText = (countedSummary: CountedSummary, look: Look): string =>
  counts(countedSummary, look).join(GAP);

/** The namespaces in words, as many as have room. */
export function namespacesText(namespaces: readonly string[]): string {
  if (namespaces.length > MOST_NAMED) return `${namespaces.length} namespaces`;
  return namespaces.length === 0 ? 'no namespace' : namespaces.join(', ');
}

/** What is looked at and how much there is of it, in as few lines as have room for it. */
export function headLines(title: string, dashboard: Dashboard, look: Look): readonly string[] {
  const { window, now, namespaces } = dashboard;
  const { start, end } = window;
  const isInside = now >= start && now <= end;
  const present = isInside ? ` (now ${hourText(now, look)}${look.utc ? 'Z' : ''})` : '';
  const named = [visible(title), visible(namespacesText(namespaces)), `${spanOfTime(start, end, look)}${present}`];
  const head = named.join('  ');
  const plain = `${head}${GAP}${countsText(dashboard, { ...look, color: false })}`;
  if (look.columns === undefined || displayWidth(plain) <= look.columns)
    return [`${head}${GAP}${countsText(dashboard, look)}`];
  return [...packed(named, '  ', look), ...packed(counts(dashboard, look), GAP, look)];
}
