import { asError, CliError } from '../../core/errors.js';
import { timestamp, type Clock } from '../../core/clock.js';
import type { Emit } from '../../core/events.js';
import type { InstallEntry } from '../../state/install-journal.js';
import type { Journal } from '../../state/journal.js';
import type { LedgerItem } from '../../state/ledger.js';
import { patientPlatform } from '../writing/patient-platform.js';
import { recordWrites, type RequestRecord } from '../writing/record-writes.js';
import { isOurs } from '../install/thing-state.js';
import { kindOf } from '../install/things/table.js';
import type { LookDeps } from '../install/thing-kind.js';
import type { Decision } from './plan.js';

/** The platform, the journal that records removals, and the signals that end an uninstall. */
export interface UninstallDeps extends LookDeps {
  readonly journal: Journal<InstallEntry>;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Lets what is in flight end and begins nothing new. */
  readonly stop: AbortSignal;
}

/** How one decision ended. */
export interface RemovalOutcome {
  readonly decision: Decision;
  readonly state: 'removed' | 'gone' | 'left' | 'failed' | 'not-run';
  readonly requests: readonly RequestRecord[];
  readonly error?: CliError;
}

/** Writes into the journal, for every action that is about the item, what becomes of it. */
async function note(
  { kind, name, version, actions }: LedgerItem,
  state: 'removing' | 'left' | 'absent',
  { journal, clock }: UninstallDeps,
  why?: string,
): Promise<void> {
  for (const n of actions) {
    const target = { n, kind, name, ...(version !== undefined && { version }), ...(why !== undefined && { why }) };
    await journal.append({ v: 1, type: 'target', ...target, state, at: timestamp(clock) });
  }
}

async function removeItem(item: LedgerItem, requests: RequestRecord[], deps: UninstallDeps): Promise<boolean> {
  const { clock, emit, stop, signal } = deps;
  const warnings = { emit, warnAs: 'UNINSTALL' };
  const patient = patientPlatform(deps.platform, (milliseconds) => clock.sleep(milliseconds, stop), warnings);
  const removing = {
    ...deps,
    platform: recordWrites(patient, clock, requests),
    wait: (milliseconds: number) => clock.sleep(milliseconds, signal),
    ...warnings,
  };
  const kind = kindOf(item.kind);
  if (kind === undefined) throw new Error(`a ${item.kind} cannot be removed`);
  const now = await kind.look(item, removing);
  if (now.state === 'absent') return false;
  if (!isOurs(item, now))
    throw new CliError('CONFLICT', `${item.kind} ${item.name} was changed by someone else since the plan was shown`, {
      hints: ['run the same command again to make a new plan'],
      target: { [item.kind]: item.name },
    });
  await note(item, 'removing', deps);
  await kind.remove(item, removing);
  return true;
}

async function runRemoval(
  decision: Decision,
  place: { readonly n: number; readonly of: number },
  deps: UninstallDeps,
): Promise<RemovalOutcome> {
  const { item } = decision;
  const { emit, clock } = deps;
  const title = `${item.kind} ${item.name}${item.version === undefined ? '' : ` ${item.version}`}`;
  const from = clock.monotonic();
  const requests: RequestRecord[] = [];
  emit({ type: 'stepStarted', ...place, title });
  try {
    const removed = await removeItem(item, requests, deps);
    await note(item, 'absent', deps);
    const { n } = place;
    if (removed) emit({ type: 'stepDone', n, title, milliseconds: Math.round(clock.monotonic() - from) });
    else emit({ type: 'stepSkipped', n, title, reason: 'gone already' });
    return { decision, state: removed ? 'removed' : 'gone', requests };
  } catch (cause) {
    if (requests.length === 0 && deps.stop.aborted && cause === deps.stop.reason)
      return { decision, state: 'not-run', requests };
    const error = asError(cause);
    emit({ type: 'stepFailed', n: place.n, title, message: error.message });
    return { decision, state: 'failed', requests, error };
  }
}

/** What carrying out a plan came to. */
export interface UninstallOutcome {
  readonly outcomes: readonly RemovalOutcome[];
  /** Why the journal does not know that it came to its end. */
  readonly unwritten?: CliError;
}

/** Writes into the journal what was left or is gone, and that the uninstall has come to its end. */
async function noteEnd(kept: readonly Decision[], deps: UninstallDeps): Promise<void> {
  for (const decision of kept) {
    const why = decision.action === 'leave' ? decision.text : undefined;
    // What is half removed stays so, or nobody would know it again.
    const stays = decision.item.standing === 'removing' ? 'removing' : 'left';
    await note(decision.item, why === undefined ? 'absent' : stays, deps, why);
  }
  const { journal, clock } = deps;
  await journal.append({ v: 1, type: 'uninstalled', at: timestamp(clock) });
}

/**
 * Carries out a plan in its order and stops at the first failure. The journal knows of each removal before it is sent
 * and after it is seen, so that the same command goes on after a kill.
 */
export async function executeUninstall(decisions: readonly Decision[], deps: UninstallDeps): Promise<UninstallOutcome> {
  const { stop } = deps;
  const removals = decisions.filter(({ action }) => action === 'remove');
  const outcomes: RemovalOutcome[] = [];
  for (const [at, decision] of removals.entries()) {
    const stopped = stop.aborted || outcomes.some(({ state }) => state === 'failed');
    const place = { n: at + 1, of: removals.length };
    outcomes.push(stopped ? { decision, state: 'not-run', requests: [] } : await runRemoval(decision, place, deps));
  }
  const ended = outcomes.every(({ state }) => state === 'removed' || state === 'gone');
  const kept = decisions.filter(({ action }) => action !== 'remove');
  for (const decision of kept)
    outcomes.push({ decision, state: decision.action === 'leave' ? 'left' : 'gone', requests: [] });
  if (!ended || outcomes.length === 0) return { outcomes };
  // What was done is told also where the journal cannot take it.
  return noteEnd(kept, deps).then(
    () => ({ outcomes }),
    (cause: unknown) => ({ outcomes, unwritten: asError(cause) }),
  );
}
