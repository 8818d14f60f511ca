import { asError, CliError, isPassing } from '../../../core/errors.js';
import type { Clock } from '../../../core/clock.js';
import type { Emit, Warnings } from '../../../core/events.js';
import { joinSignals } from '../../../core/join-signals.js';
import type { Platform } from '../../../platform/client.js';
import { FailureLimit } from '../failure-limit.js';
import { patientPlatform } from '../../writing/patient-platform.js';

/** So many reads in a row that get no answer in time mean the platform and not a pipeline. */
const MOST_SLOW = 8;

/** Where warnings of an upgrade go: once what many pipelines meet. */
export function upgradeWarnings(emit: Emit): Warnings {
  const said = new Set<string>();
  return {
    warnAs: 'UPGRADE',
    emit: (event) => {
      if (event.type === 'warning' && said.has(event.message)) return;
      if (event.type === 'warning') said.add(event.message);
      emit(event);
    },
  };
}

/** What planning reads with. */
export interface PlanDeps {
  readonly platform: Platform;
  /** Ends with the one that was given, or with the error of a platform that cannot be reached. */
  readonly signal: AbortSignal;
}

/**
 * Wraps a platform for planning: its reads wait about a minute for it to come back. See docs/faults.md P16. A read that
 * waited in vain, or several timeouts in a row, end all the others.
 */
export function planReading(
  platform: Platform,
  { clock, signal: asked }: { readonly clock: Clock; readonly signal: AbortSignal },
  emit: Emit,
): PlanDeps {
  const { signal, abort } = joinSignals(asked);
  const warnings = upgradeWarnings(emit);
  const patient = patientPlatform(platform, (milliseconds) => clock.sleep(milliseconds, signal), warnings);
  const limit = new FailureLimit({
    stop: signal,
    maxFailures: Infinity,
    emit: () => undefined,
    warnAs: '',
  });
  let slow = 0;
  async function ending<R>(read: Promise<R>): Promise<R> {
    try {
      const answer = await read;
      slow = 0;
      return answer;
    } catch (cause) {
      const error = asError(cause);
      const isSlow = error.code === 'NET_TIMEOUT' || error.code === 'NET_SLOW';
      if (!isSlow || ++slow === MOST_SLOW) limit.see(error);
      if (limit.cause !== undefined) abort(limit.cause);
      throw cause;
    }
  }
  return {
    platform: {
      base: patient.base,
      find: (endpoint, parameters, given) => ending(patient.find(endpoint, parameters, given)),
      call: (endpoint, parameters, given) => ending(patient.call(endpoint, parameters, given)),
    },
    signal,
  };
}

/** It may be down, slow, or have named a time to come back at. */
const AGAIN = 'run the same command again later';

/** Work that only reads; an error of a signal or the network adds that nothing was changed. */
export async function changingNothing<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const unchanged = ({ code, message, details }: CliError, ...more: readonly string[]): CliError =>
    new CliError(code, `${message}; nothing was changed`, { ...details, hints: [...(details.hints ?? []), ...more] });
  try {
    return await work;
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (!(reason instanceof CliError)) throw error;
    if (signal.aborted) throw unchanged(reason);
    if (isPassing(reason)) throw unchanged(reason, AGAIN);
    throw error;
  }
}
