import { mapConcurrent } from '../../core/concurrency.js';
import { asError, CliError } from '../../core/errors.js';
import { getScheduleStatus, resumeSchedule, suspendSchedule, type SchedulePlace } from '../../platform/schedules.js';
import { sendOnce, type SendDeps } from '../writing/send.js';
import type { FoundSchedule, ScheduleReader } from './find.js';

const CONCURRENCY = 4;
/** Exit codes of errors after which no other schedule would fare better. */
const NO_USE: readonly number[] = [3, 7, 8, 16];

/** What a schedule is to be. */
export type ScheduleState = FoundSchedule['status'];

/** Which schedule, and what it was. */
export interface SwitchTarget extends Pick<FoundSchedule, 'namespace' | 'pipeline' | 'schedule'> {
  readonly before: ScheduleState;
}

/** What became of a schedule; `not-run`: nothing was sent. */
export interface SwitchOutcome extends SwitchTarget {
  readonly after?: ScheduleState | undefined;
  readonly state: 'changed' | 'unchanged' | 'failed' | 'not-run';
  readonly error?: CliError | undefined;
}

/** A platform whose schedules are suspended or resumed, and the signals that end this. */
export interface SwitchDeps extends ScheduleReader, SendDeps {
  readonly signal: AbortSignal;
  /** Lets what is in flight end and begins nothing new. */
  readonly stop: AbortSignal;
}

const WORDS = { active: 'resume', suspended: 'suspend' } as const;

/** Sends one switch and looks whether it is so. A 409 says that it was so already (docs/platform.md 8.4). */
async function switchOne(target: SwitchTarget, wanted: ScheduleState, deps: SwitchDeps): Promise<boolean> {
  const { platform, signal } = deps;
  const { namespace, pipeline: application, schedule } = target;
  const place: SchedulePlace = { namespace, application, schedule };
  const isDone = async (): Promise<boolean> => {
    const { status } = await platform.call(getScheduleStatus, place, signal);
    return (status === 'SCHEDULED') === (wanted === 'active');
  };
  let isChanged = true;
  const send = (): Promise<string> =>
    platform.call(wanted === 'active' ? resumeSchedule : suspendSchedule, place, signal);
  try {
    await sendOnce(`the request to ${WORDS[wanted]} ${schedule} of ${application}`, deps, send, isDone);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'CONFLICT') throw error;
    isChanged = false;
  }
  if (await (isChanged ? seenDone(target, isDone, deps) : isDone())) return isChanged;
  throw new CliError('REMOTE_FAILED', `schedule ${schedule} of pipeline ${application} is still not ${wanted}`, {
    target: { namespace, pipeline: application },
  });
}

/** Looks once more after a switch that was sent; what cannot be looked at may be so or not. */
async function seenDone(
  { namespace, pipeline, schedule }: SwitchTarget,
  isDone: () => Promise<boolean>,
  { signal }: SwitchDeps,
): Promise<boolean> {
  try {
    return await isDone();
  } catch (cause) {
    if (!(cause instanceof CliError) || signal.aborted) throw cause;
    const message = `the request for schedule ${schedule} of pipeline ${pipeline} was sent, but its status could not be read`;
    throw new CliError('UNKNOWN_OUTCOME', message, {
      cause,
      request: cause.details.request,
      lines: [cause.message],
      hints: ['to continue, run the same command again'],
      target: { namespace, pipeline },
    });
  }
}

/**
 * Suspends or resumes schedules, a few at a time; those that are so already are left. The failure of one stops the
 * others only where they would fail as well.
 */
export async function switchSchedules(
  targets: readonly SwitchTarget[],
  wanted: ScheduleState,
  deps: SwitchDeps,
): Promise<readonly SwitchOutcome[]> {
  const outcomes: SwitchOutcome[] = [];
  let isUseless = false;
  const run = async (target: SwitchTarget): Promise<SwitchOutcome> => {
    if (target.before === wanted) return { ...target, after: wanted, state: 'unchanged' };
    if (isUseless || deps.stop.aborted) return { ...target, state: 'not-run' };
    try {
      const isChanged = await switchOne(target, wanted, deps);
      return { ...target, after: wanted, state: isChanged ? 'changed' : 'unchanged' };
    } catch (cause) {
      const error = asError(cause);
      isUseless ||= NO_USE.includes(error.exitCode);
      return { ...target, state: 'failed', error };
    }
  };
  for await (const outcome of mapConcurrent(targets, CONCURRENCY, run, deps.signal)) outcomes.push(outcome);
  return outcomes;
}

/**
 * The error that switching ends with; undefined when all is as wanted. Not knowing and being stopped keep their codes.
 */
export function failureOfSwitches(
  outcomes: readonly SwitchOutcome[],
  wanted: ScheduleState,
  stopped: unknown,
): CliError | undefined {
  const failed = outcomes.flatMap(({ error }) => error ?? []);
  const open = outcomes.filter(({ state }) => state === 'not-run').length;
  const [first] = failed;
  if (first === undefined && open === 0) return undefined;
  const done = outcomes.length - failed.length - open;
  const lines = [`${done} of ${outcomes.length} schedules are ${wanted}`, ...failed.map(({ message }) => message)];
  const hints = ['to continue, run the same command again'];
  if (open > 0 && stopped instanceof CliError) return new CliError(stopped.code, stopped.message, { lines, hints });
  const unknown = failed.find(({ code }) => code === 'UNKNOWN_OUTCOME');
  if (first === undefined) return undefined;
  if (outcomes.length === 1) return first;
  const isNothing = !outcomes.some(({ state }) => state === 'changed');
  const isCommon = NO_USE.includes(first.exitCode) || failed.every(({ code }) => code === first.code);
  const whole = unknown ?? (isNothing && isCommon ? first : undefined);
  if (whole !== undefined)
    return new CliError(whole.code, whole.message, { ...whole.details, lines: [...lines.slice(0, 1)], hints });
  return new CliError('PARTIAL', lines[0] ?? '', { lines: lines.slice(1), hints });
}
