import { closest } from '../../core/closest.js';
import type { Condition } from '../../core/condition.js';
import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import type { DashboardItem } from './item.js';

/** The counts of a dashboard, by what `--fail-if` and `summary` call them; `total` counts runs, `active` those that have not ended. */
export const COUNTS = [
  'total',
  'active',
  'pending',
  'running',
  'suspended',
  'completed',
  'failed',
  'killed',
  'rejected',
  'scheduled',
  'missed',
] as const;

/** One of the counts of a dashboard. */
export type Count = (typeof COUNTS)[number];

/** How many runs and starts there are of each kind. */
export type Summary = Readonly<Record<Count, number>>;

const BY_STATE: Readonly<Record<string, Exclude<Count, 'total' | 'active'>>> = {
  PENDING: 'pending',
  STARTING: 'pending',
  RUNNING: 'running',
  RESUMING: 'running',
  STOPPING: 'running',
  SUSPENDED: 'suspended',
  COMPLETED: 'completed',
  FAILED: 'failed',
  KILLED: 'killed',
  REJECTED: 'rejected',
  scheduled: 'scheduled',
  missed: 'missed',
};

/** Counts items; a run in a state that is not known counts in `total` alone. */
export function summaryOf(items: Iterable<Pick<DashboardItem, 'state'>>): Summary {
  const counts: Record<Count, number> = {
    total: 0,
    active: 0,
    pending: 0,
    running: 0,
    suspended: 0,
    completed: 0,
    failed: 0,
    killed: 0,
    rejected: 0,
    scheduled: 0,
    missed: 0,
  };
  for (const { state } of items) {
    const count = BY_STATE[state];
    if (count !== undefined) counts[count] += 1;
    if (count !== 'scheduled' && count !== 'missed') counts.total += 1;
    if (count === 'pending' || count === 'running' || count === 'suspended') counts.active += 1;
  }
  return counts;
}

/** The counts that items of some states may change; undefined where all are asked for. */
export function countedOf(states: readonly string[]): readonly Count[] | undefined {
  if (states.length === 0) return undefined;
  const counts = summaryOf(states.map((state) => ({ state })));
  return COUNTS.filter((name) => counts[name] > 0);
}

const isCount = (name: string): name is Count => COUNTS.some((count) => count === name);

/** Refuses conditions about what is not counted, with the nearest name: USAGE. */
export function checkConditions(conditions: readonly Condition[]): void {
  for (const { name, text } of conditions) {
    if (isCount(name)) continue;
    const near = closest(name, COUNTS);
    throw new CliError('USAGE', `--fail-if: a dashboard has no count "${name.slice(0, 40)}"`, {
      lines: [`known: ${COUNTS.join(', ')}`],
      hints: near === undefined ? [] : [`Did you mean --fail-if ${shellWord(text.trim().replace(name, near))}?`],
    });
  }
}

/** What a dashboard shows: states of items and types of programs; none: all. */
interface Shown {
  readonly statuses: readonly string[];
  readonly types: readonly string[];
}

/** Refuses conditions about counts that are always 0, as nothing that they count is shown: USAGE. */
export function refuseUncounted(conditions: readonly Condition[], { statuses, types }: Shown): void {
  const counted = countedOf(statuses);
  const knowsMissed = types.length === 0 || types.includes('WORKFLOW');
  for (const { name, text } of conditions) {
    if (!isCount(name)) continue;
    const leftOut =
      counted?.includes(name) === false ? '--status' : name === 'missed' && !knowsMissed ? '--type' : undefined;
    if (leftOut === undefined) continue;
    throw new CliError('USAGE', `--fail-if ${text.trim()}: "${name}" is always 0, because ${leftOut} leaves it out`, {
      hints: [`the same command without ${leftOut} counts it`],
    });
  }
}

/** Those of the conditions that hold, each as `failed>0 (failed is 2)`. */
export function holdingConditions(conditions: readonly Condition[], summary: Summary): readonly string[] {
  return conditions.flatMap(({ name, text, holds }) =>
    isCount(name) && holds(summary[name]) ? [`${text.trim()} (${name} is ${summary[name]})`] : [],
  );
}
