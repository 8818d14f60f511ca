import { CliError } from '../../core/errors.js';
import type { LedgerInstall } from '../../state/ledger.js';
import type { InstallTarget } from '../install/plan/plan.js';
import { hasNoAnswer, type RequestRecord } from '../writing/record-writes.js';
import type { RemovalOutcome, UninstallOutcome } from './execute.js';
import { titleOf, type Decision, type LeaveReason } from './plan.js';

/** What became of one thing that an install made or found. */
export interface UninstalledItem {
  readonly kind: string;
  readonly name: string;
  readonly version?: string;
  readonly state: 'planned' | RemovalOutcome['state'];
  /** Why it was left. */
  readonly reason?: LeaveReason;
  readonly message?: string;
  readonly requests: readonly RequestRecord[];
}

/** The whole result of an uninstall. */
export interface UninstallResult {
  readonly package: { readonly name: string; readonly version: string; readonly hub: string };
  readonly target: InstallTarget;
  /**
   * `removed`, `nothing`: nothing that the install made is there any more, what it found stays. `left`: all that it
   * made and that is there was left; `partial`: some of it.
   */
  readonly state: 'planned' | 'removed' | 'left' | 'nothing' | 'partial' | 'failed' | 'cancelled';
  readonly items: readonly UninstalledItem[];
  readonly retry?: string;
}

/** What one action made under several names goes all at once, which the plan says. */
function oneOfSeveral({ item, action }: Decision, all: readonly Decision[]): string | undefined {
  if (action !== 'remove') return undefined;
  const same = all.filter(
    (other) =>
      other.action === 'remove' &&
      other.item.kind === item.kind &&
      other.item.actions.join() === item.actions.join() &&
      other.item.name !== item.name,
  );
  return same.length === 0 ? undefined : `one of ${same.length + 1} installs of this package`;
}

function itemOf(decision: Decision, outcome: RemovalOutcome | undefined, all: readonly Decision[]): UninstalledItem {
  const { kind, name, version } = decision.item;
  const planned = decision.action === 'remove' ? 'planned' : decision.action === 'leave' ? 'left' : 'gone';
  const message =
    outcome?.error?.message ?? (decision.action === 'leave' ? decision.text : oneOfSeveral(decision, all));
  return {
    kind,
    name,
    ...(version !== undefined && { version }),
    state: outcome?.state ?? planned,
    ...(decision.action === 'leave' && { reason: decision.reason }),
    ...(message !== undefined && { message }),
    requests: outcome?.requests ?? [],
  };
}

/** Whether a removal took effect: without an answer it did when another one came after it. */
function hadEffect(request: RequestRecord, at: number, all: readonly RequestRecord[]): boolean {
  const next = all[at + 1];
  return request.status === 200 || (hasNoAnswer(request) && next !== undefined && next.path !== request.path);
}

/** Whether an item is the install's own, or may be, and was left. What was there before is not its to remove. */
const isOwnLeft = ({ state, reason }: UninstalledItem): boolean => state === 'left' && reason !== 'found';

function stateOf(items: readonly UninstalledItem[]): UninstallResult['state'] {
  const has = (state: UninstalledItem['state']): boolean => items.some((item) => item.state === state);
  const changed = has('removed') || items.some(({ requests }) => requests.some(hadEffect));
  if (has('failed')) return changed ? 'partial' : 'failed';
  if (has('not-run')) return changed ? 'partial' : 'cancelled';
  if (items.some(isOwnLeft)) return changed ? 'partial' : 'left';
  return has('removed') ? 'removed' : 'nothing';
}

/** Puts plan and outcomes together; without outcomes it is the result of a dry run. */
export function resultOfUninstall(
  install: Pick<LedgerInstall, 'package' | 'version' | 'hubName'>,
  target: InstallTarget,
  decisions: readonly Decision[],
  outcomes: readonly RemovalOutcome[] | undefined,
  retry: string,
): UninstallResult {
  const items = decisions.map((decision) =>
    itemOf(
      decision,
      outcomes?.find((outcome) => outcome.decision === decision),
      decisions,
    ),
  );
  const state = outcomes === undefined ? 'planned' : stateOf(items);
  return {
    package: { name: install.package, version: install.version, hub: install.hubName },
    target,
    state,
    items,
    ...(['left', 'partial', 'failed', 'cancelled'].includes(state) && { retry }),
  };
}

/** The error of a complete uninstall that had to leave something. PARTIAL, or CONFLICT if nothing was removed. */
function failureOfLeaving(result: UninstallResult): CliError {
  const { package: of, target, items, retry = '' } = result;
  const left = items.filter(isOwnLeft);
  const removed = items.filter(({ state }) => state === 'removed').length;
  const lines = left.map(({ message = '', ...item }) => `${titleOf(item)}: ${message}`);
  const hints = [`${retry}  # when the cause is resolved`];
  const details = { lines, hints, target: { package: of.name, namespace: target.namespace }, item: result };
  return removed > 0
    ? new CliError('PARTIAL', `${removed} of ${of.name} ${of.version} removed, ${left.length} left`, details)
    : new CliError('CONFLICT', `nothing of ${of.name} ${of.version} was removed, ${left.length} left`, details);
}

/** The error of an uninstall that came to its end, which its journal could not take. */
function unwrittenUninstall(cause: CliError, result: UninstallResult, retry: string): CliError {
  return new CliError(cause.code, `${cause.message}; removed objects stay removed`, {
    ...cause.details,
    lines: result.items.map((item) => `${item.state}  ${titleOf(item)}`),
    hints: [...(cause.details.hints ?? []), retry],
    item: result,
    cause,
  });
}

/**
 * The error of an uninstall that did not remove everything. PARTIAL once something was removed, before that the cause,
 * or CONFLICT if all was left. An unknown outcome keeps its own code.
 */
export function failureOfUninstall(
  result: UninstallResult,
  { outcomes, unwritten }: UninstallOutcome,
  retry: string,
  interrupted: unknown,
): CliError | undefined {
  if (unwritten !== undefined) return unwrittenUninstall(unwritten, result, retry);
  if (result.retry === undefined) return undefined;
  const failed = outcomes.find(({ state }) => state === 'failed');
  const cause = failed?.error ?? (interrupted instanceof CliError ? interrupted : undefined);
  if (!outcomes.some(({ state }) => state === 'failed' || state === 'not-run')) return failureOfLeaving(result);
  if (cause === undefined) return undefined;
  const { hints = [], ...details } = cause.details;
  const all = { ...details, hints: [...hints, result.retry], item: result, cause };
  const partial = result.state === 'partial' && failed !== undefined;
  if (!partial || ['UNKNOWN_OUTCOME', 'DISK_FULL', 'LOCAL_IO'].includes(cause.code))
    return new CliError(cause.code, cause.message, all);
  const { kind, name } = failed.decision.item;
  const lines = [cause.message, ...(details.lines ?? [])];
  return new CliError('PARTIAL', `stopped at ${kind} ${name}; removed objects stay removed`, {
    ...all,
    lines,
  });
}
