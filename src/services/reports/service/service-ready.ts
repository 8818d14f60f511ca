import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import type { NextStep } from '../../../core/next-step.js';
import type { Emit } from '../../../core/events.js';
import type { Platform } from '../../../platform/client.js';
import { reportServiceState, type ReportServiceState } from './state.js';

/** The clock of a wait, and where progress is reported. */
export interface WaitDeps {
  readonly clock: Clock;
  readonly emit: Emit;
}

/** Milliseconds between looks at a service that is starting, and how long to wait for it. See docs/faults.md P41. */
const NAP = 2000;
const LONGEST_START = 60_000;

const STATES: Readonly<Record<ReportServiceState, string>> = {
  'no-artifact': 'is not available: this platform has no report service',
  absent: 'is not running (application not deployed)',
  stopped: 'is not running (application deployed, program stopped)',
  starting: 'is starting and does not respond yet',
  running: 'does not respond although its program is running',
};
const ENABLE: readonly NextStep[] = [{ next: 'enable-report-service' }];
const STATUS: readonly NextStep[] = [{ next: 'report-service' }];
const HINTS: Readonly<Record<ReportServiceState, readonly NextStep[]>> = {
  'no-artifact': [],
  absent: ENABLE,
  stopped: ENABLE,
  starting: STATUS,
  running: STATUS,
};

/** The error of a report service that does not answer, with its state and the next step. See docs/platform.md 1.1. */
export function reportsOff(state: ReportServiceState, cause?: CliError): CliError {
  return new CliError('REPORTS_OFF', `the report service ${STATES[state]}`, {
    hints: [...HINTS[state], { next: 'make-from-runs' }],
    target: { state },
    ...(cause !== undefined && { cause, request: cause.details.request, serverSaid: cause.details.serverSaid }),
  });
}

/**
 * Wraps a platform for calls to its report service, which is checked before the first one. A service that is starting
 * is waited for.
 * @throws REPORTS_OFF when the service is off, then or later (503)
 */
export function reportService(platform: Platform, deps: WaitDeps): Platform {
  let ready: Promise<void> | undefined;
  async function answering<R>(call: () => Promise<R>, signal: AbortSignal): Promise<R> {
    await (ready ??= untilReady(platform, deps, signal));
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CliError) || !isRouters(error)) throw error;
      throw reportsOff(await reportServiceState(platform, signal), error);
    }
  }
  return {
    base: platform.base,
    call: (endpoint, parameters, signal) => answering(() => platform.call(endpoint, parameters, signal), signal),
    find: (endpoint, parameters, signal) => answering(() => platform.find(endpoint, parameters, signal), signal),
  };
}

/**
 * The answer of the router for a service that is not there: nothing has reached it. A 503 of others may be any proxy's.
 */
function isRouters({ details: { request, serverSaid = '' } }: CliError): boolean {
  return request?.status === 503 && /^No (?:discoverable|endpoint strategy) found/u.test(serverSaid);
}

async function untilReady(platform: Platform, { clock, emit }: WaitDeps, signal: AbortSignal): Promise<void> {
  const from = clock.monotonic();
  for (;;) {
    const state = await stateOf(platform, signal);
    if (state === 'running') return;
    if (state !== 'starting' || clock.monotonic() - from >= LONGEST_START) throw reportsOff(state);
    emit({ type: 'state', what: 'report service', state: 'STARTING' });
    await clock.sleep(NAP, signal);
  }
}

/** Who may not look at the program of the service may still use it. */
async function stateOf(platform: Platform, signal: AbortSignal): Promise<ReportServiceState> {
  try {
    return await reportServiceState(platform, signal);
  } catch (error) {
    if (error instanceof CliError && error.code === 'FORBIDDEN') return 'running';
    throw error;
  }
}
