import type { InstallEntry } from '../../../state/install-journal.js';

/** Whether the journal shows that an action has nothing left to do. It ended well, or its target was found to exist. */
export function isSettled(entries: readonly InstallEntry[], n: number): boolean {
  const last = entries.findLast((entry) => 'n' in entry && entry.n === n && entry.type !== 'fact');
  if (last?.type === 'step') return last.state === 'done';
  return last?.type === 'target' && (last.state === 'created' || last.state === 'found');
}

/** The actions of a run with `--again` that has not come to its end; undefined when there is none. */
function openAgain(entries: readonly InstallEntry[]): readonly number[] | undefined {
  const last = entries.findLast(({ type }) => type === 'again');
  return last?.type === 'again' && last.state === 'begun' ? last.actions : undefined;
}

/**
 * Whether a run with `--again` continues an interrupted one of the same actions. Otherwise it does everything once
 * more.
 */
export function goesOn(entries: readonly InstallEntry[], actions: readonly number[]): boolean {
  const open = openAgain(entries);
  return open?.length === actions.length && open.every((n) => actions.includes(n));
}

/** Whether the end of these actions is the end of a run with `--again` that stopped, too. */
export function endsAgain(entries: readonly InstallEntry[], actions: readonly number[]): boolean {
  const begun = entries.findLastIndex(({ type }) => type === 'again');
  const since = entries.slice(begun + 1);
  return openAgain(entries)?.every((n) => actions.includes(n) || isSettled(since, n)) ?? false;
}
