import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { warn, type Warnings } from '../../core/events.js';

const READ_BACKS = 3;
const PAUSE = 1000;
/** Milliseconds after which a write whose answer is lost may be at work for longer than anybody looks. */
const LONG = 5000;
const GO_ON = 'run the same command again when the platform responds: it checks first and sends only what is missing';
const LOST = new Set(['NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW', 'NET_PROTO', 'NET_REFUSED', 'UNAVAILABLE']);

/** Statuses of a gateway whose time ran out; 524 is that of a well-known one. */
const RAN_OUT: readonly (number | undefined)[] = [408, 504, 524];
/** What a response is rejected with that cannot be read, whatever it says. */
const UNREADABLE: readonly string[] = ['BAD_ENCODING', 'TOO_LARGE'];

/** Whether an error of a write leaves open whether the write was applied. */
export function answerLost(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const status = error.details.request?.status ?? 0;
  // Above 504, no platform speaks.
  return (
    LOST.has(error.code) ||
    status === 408 ||
    status > 504 ||
    (status >= 200 && status < 300 && UNREADABLE.includes(error.code))
  );
}

/** Whether a time limit ended the wait: ours, or that of a gateway. */
const ranOut = ({ code, details }: CliError): boolean =>
  code === 'NET_TIMEOUT' || code === 'NET_SLOW' || RAN_OUT.includes(details.request?.status);

/** Whether a write failed before a byte of it left. */
export const neverSent = (error: unknown): boolean => error instanceof CliError && error.details.sent === 'no';

/** Whether a look found that what is there is neither what was sent nor what was there before. */
const isOthers = (error: unknown): boolean =>
  error instanceof CliError && (error.code === 'GONE' || error.code === 'CHANGED_MEANWHILE');

async function seenApplied(applied: () => Promise<boolean>, context: SendDeps): Promise<boolean> {
  for (let attempt = 1; attempt <= READ_BACKS; attempt++) {
    if (await applied()) return true;
    if (attempt < READ_BACKS) await context.wait(PAUSE);
  }
  return false;
}

function unknown(what: string, failed: CliError, why: string, cause: unknown, goOn = GO_ON): CliError {
  const { request, serverSaid } = failed.details;
  return new CliError('UNKNOWN_OUTCOME', `${what} was sent, but it is unknown whether the platform applied it`, {
    cause,
    request,
    serverSaid,
    lines: [`${why}: ${failed.message}`],
    hints: [goOn],
  });
}

const lostAnswer = (what: string, lost: CliError, cause: unknown, { goOn }: SendDeps): CliError =>
  unknown(what, lost, 'the response was lost', cause, goOn);

/**
 * Sends a deploy. What answers 400 or 500 may have been applied all the same (docs/platform.md 5), so that one look
 * decides.
 * @throws UNKNOWN_OUTCOME, with the hint `goOn`, when that fails
 */
export async function sendDeploy(
  what: string,
  send: () => Promise<unknown>,
  applied: () => Promise<boolean>,
  goOn?: string,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof CliError) || ![400, 500].includes(error.details.request?.status ?? 0)) throw error;
    const done = await applied().catch((cause: unknown) => {
      if (isOthers(cause)) return false;
      throw unknown(what, error, 'the response was an error, and checking the result failed', cause, goOn);
    });
    if (!done) throw error;
  }
}

/** How a write is checked after a lost response, and what hints name. */
export interface SendDeps extends Warnings {
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Waits between read-backs, in milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** What to do where the outcome stays unknown, for hints; undefined: the same command again. */
  readonly goOn?: string;
}

/** Looks until the platform answers again after a write that never left; whether it is applied already. */
async function seenAgain(unsent: CliError, applied: () => Promise<boolean>): Promise<boolean> {
  try {
    return await applied();
  } catch (error) {
    throw isOthers(error) ? error : unsent;
  }
}

/**
 * Sends a write once. When it did not leave or its answer is lost, reads back and sends it a second and last time only
 * where the platform showed that the first had no effect (docs/faults.md T22, N38 to N40, P16). What `applied` throws
 * as GONE or CHANGED_MEANWHILE ends it: there is nothing of ours to send over.
 * @throws UNKNOWN_OUTCOME where nothing shows that: after a time limit, after more than seconds, and after a second
 * loss
 */
export async function sendOnce(
  what: string,
  context: SendDeps,
  send: () => Promise<unknown>,
  applied: () => Promise<boolean>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const from = context.clock.monotonic();
    try {
      await send();
      return;
    } catch (error) {
      // After a lost answer a conflict can be our own first request, which was applied late.
      const late = attempt === 2 && error instanceof CliError && error.code === 'CONFLICT';
      if (!late && !answerLost(error)) throw error;
      const wasLong = context.clock.monotonic() - from > LONG;
      context.signal.throwIfAborted();
      if (neverSent(error)) {
        if (attempt === 2) throw error;
        if (await seenAgain(error, applied)) return;
        continue;
      }
      let done: boolean;
      try {
        done = await seenApplied(applied, context);
      } catch (cause) {
        throw isOthers(cause) ? cause : lostAnswer(what, error, cause, context);
      }
      if (done) return;
      if (late) throw error;
      // What took long may still be at work on the platform; what is lost twice is not sent a third time.
      if (ranOut(error) || wasLong || attempt === 2) throw lostAnswer(what, error, error, context);
      warn(context, `${what}: the response was lost and nothing was applied; sending it again`);
    }
  }
}
