import { CliError, type ErrorCode } from '../../../core/errors.js';
import { largestOf } from '../../../core/collections.js';
import type { InstalledAction, InstallResult } from '../plan/install-result.js';
import { hasNoAnswer, type RequestRecord } from '../../writing/record-writes.js';
import { answerLost } from '../../writing/send.js';

/** How one action ended. */
export interface ActionOutcome {
  readonly n: number;
  readonly state: 'done' | 'already-present' | 'failed' | 'not-run';
  readonly requests: readonly RequestRecord[];
  readonly durationMs: number;
  readonly message?: string;
  readonly error?: CliError;
}

/** What an execution came to. */
export interface ExecutionResult {
  readonly outcomes: readonly ActionOutcome[];
  /** Why the journal does not know that all is done. */
  readonly unwritten?: CliError;
}

function installed(planned: InstalledAction, outcome: ActionOutcome | undefined): InstalledAction {
  if (outcome === undefined) return planned;
  const { texts, ...rest } = planned;
  const { state, requests, durationMs, message } = outcome;
  return {
    ...{ ...rest, state, requests, durationMs },
    ...(message !== undefined && { message }),
    ...(texts !== undefined && { texts }),
  };
}

/** Whether a write itself made the step fail, without effect. One whose effect is unknown ends as UNKNOWN_OUTCOME. */
function failedOfWrite(error: CliError | undefined): boolean {
  const method = error?.details.request?.method;
  return method === undefined ? answerLost(error) : method !== 'GET';
}

/**
 * Whether a request of a failed step changed something, or may have. Without an answer it may have, unless it was sent
 * again or its own failure ended the step.
 */
function mayHaveActed({ requests, error }: Pick<ActionOutcome, 'requests' | 'error'>, at: number): boolean {
  const [request, next] = requests.slice(at, at + 2);
  if (request === undefined || request.status === 200) return request !== undefined;
  if (!hasNoAnswer(request)) return false;
  return next === undefined ? !failedOfWrite(error) : next.method !== request.method || next.path !== request.path;
}

/** Whether an action changed the platform, or may have. A refused write changed nothing (docs/faults.md P05). */
export function mayHaveChanged(outcome: Pick<ActionOutcome, 'state' | 'requests' | 'error'>): boolean {
  const { state, requests, error } = outcome;
  if (state !== 'failed') return requests.length > 0;
  return error?.code === 'UNKNOWN_OUTCOME' || requests.some((_, at) => mayHaveActed(outcome, at));
}

function stateOf(outcomes: readonly ActionOutcome[]): InstallResult['state'] {
  const has = (state: ActionOutcome['state']): boolean => outcomes.some((outcome) => outcome.state === state);
  if (outcomes.length === 0) return 'skipped';
  const changed = outcomes.some(mayHaveChanged);
  if (has('failed')) return changed ? 'partial' : 'failed';
  if (has('not-run')) return changed ? 'partial' : 'cancelled';
  return changed || !has('already-present') ? 'installed' : 'already-present';
}

/** Codes of causes that are kept whatever was changed before (docs/faults.md N40, L02). */
const OWN_CODES: readonly ErrorCode[] = ['UNKNOWN_OUTCOME', 'DISK_FULL', 'LOCAL_IO'];

/** The result of a plan that was carried out. */
export function resultOf(planned: InstallResult, outcomes: readonly ActionOutcome[], retry: string): InstallResult {
  const state = stateOf(outcomes);
  const isFinal = outcomes.some(({ error }) => error?.details.final === true);
  const actions = planned.actions.map((action) =>
    installed(
      action,
      outcomes.find(({ n }) => n === action.n),
    ),
  );
  return {
    ...{ ...planned, state, actions },
    ...(['partial', 'failed', 'cancelled'].includes(state) && !isFinal && { retry }),
  };
}

const STANDS: Readonly<Record<InstalledAction['state'], string>> = {
  planned: 'not tried',
  done: 'done',
  'already-present': 'exists',
  skipped: 'skipped',
  failed: 'failed',
  'not-run': 'not tried',
};

/** What became of each action when the install was stopped, a line each. */
function standLines(actions: readonly InstalledAction[]): readonly string[] {
  const width = largestOf(actions.map(({ state }) => STANDS[state].length));
  return actions.map(({ n, state, label, target: { kind, name, version = '' } }) => {
    const what = kind === 'none' ? label : `${kind} ${name} ${version}`.trimEnd();
    return `${n}  ${STANDS[state].padEnd(width)}  ${what}`;
  });
}

/** An install that was stopped between two actions, in words of its own. */
function stoppedInstall(
  { message }: CliError,
  { state, actions }: InstallResult,
): readonly [string, readonly string[]] {
  if (state !== 'partial') return [`${message}; nothing was changed`, []];
  return [`${message}; completed actions stay applied`, standLines(actions)];
}

/** The error of an install that did everything, which its journal could not take. */
function unwrittenInstall(cause: CliError, result: InstallResult, retry: string): CliError {
  return new CliError(cause.code, `${cause.message}; completed actions stay applied`, {
    ...cause.details,
    lines: standLines(result.actions),
    hints: [...(cause.details.hints ?? []), retry],
    item: result,
    cause,
  });
}

/**
 * The error of an install that did not end well (docs/conventions.md 2.4). It is INSTALL_PARTIAL once something was
 * changed, else that of the cause.
 */
export function failureOfInstall(
  result: InstallResult,
  { outcomes, unwritten }: ExecutionResult,
  retry: string,
  interrupted: unknown,
): CliError | undefined {
  if (unwritten !== undefined) return unwrittenInstall(unwritten, result, retry);
  const failed = outcomes.find(({ state }) => state === 'failed');
  const cause = failed?.error ?? (interrupted instanceof CliError ? interrupted : undefined);
  if (cause === undefined || result.state === 'installed' || result.state === 'already-present') return undefined;
  const { hints = [], lines = [] } = cause.details;
  const details = {
    ...cause.details,
    hints: [...hints, ...(result.retry === undefined ? [] : [result.retry])],
    item: result,
    cause,
  };
  if (failed === undefined) {
    const [message, stands] = stoppedInstall(cause, result);
    return new CliError(cause.code, message, { ...details, lines: stands, cause: undefined });
  }
  if (result.state !== 'partial' || OWN_CODES.includes(cause.code))
    return new CliError(cause.code, cause.message, { ...details, lines });
  const before = outcomes.filter(({ state }) => state === 'done' || state === 'already-present').length;
  const after = outcomes.filter(({ state }) => state === 'not-run').length;
  const stays = before === 0 ? '' : '; completed actions stay applied';
  const message = `stopped at action ${failed.n}: ${before} done, 1 failed, ${after} not tried${stays}`;
  return new CliError('INSTALL_PARTIAL', message, { ...details, lines });
}
