import { CliError } from '../../core/errors.js';
import { largestOf } from '../../core/collections.js';
import { keyOf, type LedgerItem, type Thing } from '../../state/ledger.js';
import { kindOf } from '../install/things/table.js';
import { isArtifact } from '../install/thing-kind.js';
import { isOurs, type ThingState } from '../install/thing-state.js';

/** All that a decision about one item needs. */
export interface ItemFacts {
  readonly item: LedgerItem;
  readonly standing: ThingState;
  /** The applications that it is, or that are made from its artifact. */
  readonly applications: readonly string[];
  /** Programs that are at work. */
  readonly running: readonly string[];
  /** Those of its applications with an active schedule; an install activates none. */
  readonly scheduled: readonly string[];
  /** Other installs that made or found it. */
  readonly neededBy: readonly string[];
  /** Applications and artifacts that use it. */
  readonly usedBy: readonly Thing[];
}

/** Why something is left. */
export type LeaveReason = 'found' | 'unsure' | 'changed' | 'needed' | 'used' | 'not-known';

/** What becomes of one item. */
export type Decision =
  | { readonly item: LedgerItem; readonly action: 'remove' | 'gone' }
  | { readonly item: LedgerItem; readonly action: 'leave'; readonly reason: LeaveReason; readonly text: string };

/** Kind, name and version in one. */
export const titleOf = ({ kind, name, version }: Thing): string =>
  `${kind} ${name}${version === undefined ? '' : ` ${version}`}`;

function leave(item: LedgerItem, reason: LeaveReason, text: string): Decision {
  return { item, action: 'leave', reason, text };
}

/** The decision from what is known of the item alone. */
function alone({ item, standing, neededBy, scheduled }: ItemFacts, namespace: string): Decision {
  if (standing.state === 'absent') return { item, action: 'gone' };
  if (item.origin === 'found') return leave(item, 'found', 'existed before the install');
  if (standing.state === 'unknown') return leave(item, 'not-known', `this version cannot remove a ${item.kind}`);
  if (item.origin === 'creating')
    return leave(item, 'unsure', 'the install was interrupted while creating it; resume the install first');
  if (item.as === undefined) return leave(item, 'changed', 'its installed state is unknown');
  if (!isOurs(item, standing)) {
    const bare = 'its application no longer exists, so it is unknown whether its artifact is as installed';
    return leave(item, 'changed', standing.bare === true ? bare : 'was changed since the install');
  }
  if (neededBy.length > 0) return leave(item, 'needed', `needed by ${neededBy.join(', ')}`);
  if (scheduled.length > 0) {
    const pipelines = scheduled.map((application) => `${namespace}/${application}`);
    return leave(item, 'used', `has an active schedule; suspend the schedules of ${pipelines.join(', ')} first`);
  }
  return { item, action: 'remove' };
}

/** Whether a user of something goes away itself. */
function goes(user: Thing, going: readonly ItemFacts[]): boolean {
  return going.some(({ item, applications }) => {
    if (user.kind !== 'artifact') return applications.includes(user.name);
    return isArtifact(item.kind) && item.name === user.name && item.version === user.version;
  });
}

/** Takes out, until nothing changes, what is used by something that stays. */
function unused(candidates: readonly ItemFacts[]): readonly ItemFacts[] {
  const kept = candidates.filter(({ usedBy }) => usedBy.every((user) => goes(user, candidates)));
  return kept.length === candidates.length ? kept : unused(kept);
}

function refuseRunning(removals: readonly ItemFacts[], namespace: string): void {
  const running = removals.filter(({ running: programs }) => programs.length > 0);
  if (running.length === 0) return;
  const lines = running.map(({ item, running: programs }) => `${titleOf(item)}: ${programs.join(', ')}`);
  throw new CliError('CONFLICT', `cannot remove what is running; nothing was changed`, {
    lines,
    hints: [
      'stop it first, or wait until it ends:',
      ...running.flatMap(({ running: programs }) =>
        programs.map((program) => `POST /v3/namespaces/${namespace}/apps/${program}/stop`),
      ),
    ],
  });
}

/**
 * Decides what an uninstall removes and what it leaves, in the order in which it will go; pure.
 * @throws CONFLICT when something to be removed is running
 */
export function planUninstall(facts: readonly ItemFacts[], namespace: string): readonly Decision[] {
  const first = new Map(facts.map((one) => [one, alone(one, namespace)]));
  const removals = unused(facts.filter((one) => first.get(one)?.action === 'remove'));
  refuseRunning(removals, namespace);
  const decided = facts.flatMap((one): Decision[] => {
    const decision = first.get(one);
    if (decision?.action !== 'remove' || removals.includes(one)) return decision === undefined ? [] : [decision];
    const users = one.usedBy.filter((user) => !goes(user, removals)).map(titleOf);
    return [leave(one.item, 'used', `used by ${users.join(', ')}`)];
  });
  const rank = ({ item }: Decision): number => kindOf(item.kind)?.order ?? Infinity;
  const last = ({ item }: Decision): number => largestOf(item.actions);
  return decided.sort((a, b) => rank(a) - rank(b) || last(b) - last(a));
}

/** Whether two plans decide the same. */
export const samePlan = (a: readonly Decision[], b: readonly Decision[]): boolean =>
  a.length === b.length && a.every((one, at) => one.action === b[at]?.action && keyOf(one.item) === keyOf(b[at].item));
