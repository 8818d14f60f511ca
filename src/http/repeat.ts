import type { Clock } from '../core/clock.js';
import { CliError } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import { codeOf } from './connect-errors.js';
import type { HttpAnswer, HttpRequest } from './transport.js';

/** How often and how patiently a read is asked again; times in milliseconds. */
export interface RepeatOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly tries: number;
  readonly maxRetryAfter: number;
  readonly emit?: Emit | undefined;
}

type Ask = (attempt: number) => Promise<HttpAnswer>;

/**
 * Retries a request while the answer is 429, 502, 503 or 504, or a retryable error. When tries run out, returns the
 * last answer or throws the last error.
 * @throws RATE_LIMIT when the server wants a longer pause than allowed (docs/faults.md N35)
 */
export async function repeat(options: RepeatOptions, request: HttpRequest, url: URL, ask: Ask): Promise<HttpAnswer> {
  const { clock, random, tries, maxRetryAfter } = options;
  for (let attempt = 1; ; attempt++) {
    const result = await askOnce(ask, attempt);
    if ('answer' in result && !isRepeatable(result.answer.status)) return result.answer;
    let wait = backOff(attempt, random);
    if ('answer' in result) {
      const { answer } = result;
      const asked = retryAfter(answer.headers['retry-after'], clock.now());
      if (asked !== undefined && asked > maxRetryAfter) {
        await answer.discard();
        throw rateLimit(answer, clock.now() + asked, maxRetryAfter);
      }
      if (attempt >= tries) return answer;
      await answer.discard();
      wait = asked ?? wait;
    } else if (attempt >= tries) {
      throw result.error;
    }
    const reason = 'answer' in result ? `status ${result.answer.status}` : result.error.message;
    await pause(options, request, url, { attempt: attempt + 1, wait, reason });
  }
}

/** Says that try `attempt` comes in `wait` milliseconds, and waits. */
export async function pause(
  { clock, emit }: RepeatOptions,
  { method, signal }: HttpRequest,
  url: URL,
  next: { readonly attempt: number; readonly wait: number; readonly reason: string },
): Promise<void> {
  const { attempt, wait, reason } = next;
  emit?.({ type: 'retry', what: `${method} ${url.href}`, attempt, milliseconds: wait, reason });
  await clock.sleep(wait, signal);
  signal.throwIfAborted();
}

async function askOnce(
  ask: Ask,
  attempt: number,
): Promise<{ readonly answer: HttpAnswer } | { readonly error: CliError }> {
  try {
    return { answer: await ask(attempt) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { request } = error.details;
    const counted = new CliError(error.code, error.message, {
      ...error.details,
      ...(request === undefined ? {} : { request: { ...request, attempts: attempt } }),
    });
    if (!isLostConnection(error)) throw counted;
    return { error: counted };
  }
}

function isLostConnection(error: CliError): boolean {
  return error.code === 'NET_RESET' || error.code === 'NET_REFUSED' || codeOf(error.cause) === 'EAI_AGAIN';
}

function rateLimit(answer: HttpAnswer, until: number, most: number): CliError {
  const time = new Date(until).toISOString();
  return new CliError(
    'RATE_LIMIT',
    `${new URL(answer.url).host} asks to retry at ${time}, but the maximum wait is ${most / 1000} s`,
    {
      request: { method: answer.method, url: answer.url, status: answer.status, attempts: answer.attempts },
      target: { until: time },
    },
  );
}

const FIRST = 500;
const LONGEST = 30_000;

/**
 * Milliseconds to wait after try `attempt`, counted from 1. Full jitter below a bound that doubles from 0.5 s to 30 s.
 */
export function backOff(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST, FIRST * 2 ** (attempt - 1)));
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds. Undefined for a text, a negative number or a time in
 * the past (docs/faults.md N36).
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^[0-9]{1,12}$/u.test(header.trim())) return Number(header) * 1000;
  if (!/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/u.test(header.trim())) return undefined;
  const wait = Date.parse(header) - now;
  return wait > 0 ? wait : undefined;
}

const STATUSES: readonly number[] = [429, 502, 503, 504];

/** Whether an answer of this status may be asked for again. */
export function isRepeatable(status: number): boolean {
  return STATUSES.includes(status);
}
