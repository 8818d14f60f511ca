import { timestamp, type Clock } from '../../../core/clock.js';
import type { InstallEntry } from '../../../state/install-journal.js';
import type { Journal } from '../../../state/journal.js';
import { itemsOf, keyOf, type LedgerItem } from '../../../state/ledger.js';
import type { Observation, PreparedAction } from '../action.js';
import { hasNoAnswer, type RequestRecord } from '../../writing/record-writes.js';
import { standingOf } from '../things/table.js';
import type { LookDeps } from '../thing-kind.js';

/** What a step tells the ledger about its target. */
export interface Claims {
  /** Before the first write. */
  begin(observation: Observation): Promise<void>;
  /** The target is there as wanted; `applied` where this run wrote. */
  settle(applied: boolean): Promise<void>;
  /** The step failed; `open` where its writes may have had an effect. */
  fail(open: boolean): Promise<void>;
}

/** The journal that records targets, and the requests sent so far. */
export interface ClaimDeps extends LookDeps {
  readonly journal: Journal<InstallEntry>;
  readonly clock: Clock;
  readonly requests: readonly RequestRecord[];
}

type State = Extract<InstallEntry, { type: 'target' }>['state'];

const NOTHING: Claims = { begin: async () => undefined, settle: async () => undefined, fail: async () => undefined };

/**
 * Answers to a deploy that may have been applied all the same. The step has looked, or it would have failed
 * (docs/platform.md 5).
 */
const MAYBE = [400, 500];

/**
 * Whether the first request of a step made the target, or may have. The target was absent just before, so it is then
 * ours.
 */
const made = ([first]: readonly RequestRecord[]): boolean =>
  first !== undefined && (first.status === 200 || MAYBE.includes(first.status) || hasNoAnswer(first));

/**
 * Keeps the ledger correct while a step works. An absent target is claimed before it is made, so that a kill loses
 * nothing. It counts as made only once it was.
 */
export function claimsOf({ n, step }: PreparedAction, deps: ClaimDeps): Claims {
  if (step === undefined || step.target.kind === 'none') return NOTHING;
  const { kind, name, version } = step.target;
  const { journal, clock, requests } = deps;
  const known = (): LedgerItem | undefined => itemsOf(journal.entries).get(keyOf(step.target));
  const note = (state: State, as?: string): Promise<void> => {
    const target = { n, kind, name, ...(version !== undefined && { version }) };
    const at = timestamp(clock);
    return journal.append({ v: 1, type: 'target', ...target, state, ...(as !== undefined && { as }), at });
  };
  const noteCreated = async (): Promise<void> => {
    // A kill here leaves `creating`, which the next run of the install settles.
    const standing = await standingOf(step.target, deps);
    await note('created', standing.state === 'present' ? standing.as : undefined);
  };
  let announced = false;
  let appends = false;
  return {
    async begin(observation) {
      const item = known();
      announced = observation.state === 'absent';
      appends = observation.state === 'differs' && observation.appends === true;
      if (announced) await note('creating');
      else if (item === undefined || (item.origin === 'found' && item.standing !== 'live')) await note('found');
    },
    async settle(applied) {
      const item = known();
      if (item === undefined || item.origin === 'found') {
        if (item?.standing !== 'live') await note('found');
      } else if (announced && !made(requests)) await note('found');
      else if ((applied && !appends) || item.origin === 'creating') await noteCreated();
      // What somebody changed since, or added before we added to it, stays theirs: it is compared with what the install once made.
      else if (item.standing !== 'live') await note('created', item.as);
    },
    async fail(open) {
      const item = known();
      if (!announced || item?.origin !== 'creating') return;
      if (requests[0]?.status === 200) await noteCreated();
      else if (!open) await note('absent');
    },
  };
}
