import type { Clock } from '../../core/clock.js';
import { asError, CliError } from '../../core/errors.js';
import type { Hint } from '../../core/next-step.js';
import { joinSignals } from '../../core/join-signals.js';
import { unlessAborted } from '../../core/unless-aborted.js';

/** What a check found. */
export interface Outcome {
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** A command or sentence that mends it. */
  readonly fix?: Hint | undefined;
}

/** One check; undefined where there is nothing to check, further checks where it only finds these. */
export interface Check {
  readonly id: string;
  run(signal: AbortSignal): Promise<Outcome | { readonly checks: readonly Check[] } | undefined>;
}

/** What a check found, and how long it took in milliseconds. */
export interface CheckedOutcome extends Outcome {
  readonly id: string;
  readonly ms: number;
}

/** The same as it is shown, with its fix in words. */
export interface Finding extends Omit<CheckedOutcome, 'fix'> {
  readonly fix?: string | undefined;
}

/** Milliseconds for one check. */
const LIMIT = 15_000;

/** What an error means for a check: it fails, with the first step that the error names. */
export function failed(error: unknown): Outcome {
  const { message, details } = asError(error);
  const [fix] = details.hints ?? [];
  return { state: 'fail', message, ...(fix !== undefined && { fix }) };
}

async function runCheck(check: Check, clock: Clock, signal: AbortSignal): Promise<readonly CheckedOutcome[]> {
  const started = clock.monotonic();
  const limited = joinSignals(signal);
  const timer = joinSignals(signal);
  clock.sleep(LIMIT, timer.signal).then(
    () => {
      limited.abort(new CliError('NET_TIMEOUT', `no result within ${LIMIT / 1000} s`));
    },
    () => undefined,
  );
  try {
    const outcome = await unlessAborted(check.run(limited.signal), limited.signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return failed(error);
    });
    if (outcome === undefined) return [];
    if ('checks' in outcome) return await runChecks(outcome.checks, { clock, signal });
    return [{ id: check.id, ...outcome, ms: Math.round(clock.monotonic() - started) }];
  } finally {
    timer.abort(new Error('done'));
    timer.release();
    limited.release();
  }
}

/** Runs all checks at once, each with a time limit of its own; findings in the order of the checks. */
export async function runChecks(
  checks: readonly Check[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly CheckedOutcome[]> {
  return (await Promise.all(checks.map((check) => runCheck(check, clock, signal)))).flat();
}
