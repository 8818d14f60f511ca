import { formatDuration } from '../../core/duration.js';
import { CliError } from '../../core/errors.js';
import { hintText } from '../../output/next-steps.js';
import { visible } from '../../output/escape.js';
import {
  awaitService,
  enableService,
  planEnable,
  stopService,
  type EnableDeps,
} from '../../services/reports/service/enable.js';
import { lateWords } from '../../services/reports/choose-engine.js';
import { collects, isUpToDate, type ReportFreshness } from '../../services/reports/service/freshness.js';
import { reportArtifact, reportServiceState } from '../../services/reports/service/state.js';
import {
  serviceStatus,
  type ReportService,
  type ServiceChange,
  type ServicePlace,
} from '../../services/reports/service/status.js';
import { capabilityFile } from '../../services/reports/service/stopped.js';
import type { Capabilities } from '../../platform/capabilities.js';
import { createStaged, writeAtomically } from '../../state/atomic-write.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { namespaceLock, takeLocks, type HeldLocks } from '../../services/writing/run-lock.js';
import { beginWrite, lockDeps } from '../writing.js';
import type { Session } from '../../cli/session.js';

const NAP = 1000;
const DAY = 86_400_000;

/** The platform of the report service, and the flags of its commands. */
export interface ServiceOptions {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'consent' | 'emit' | 'stateFolder'>;
  readonly target: PlatformPlace;
  readonly dryRun: boolean;
  /** Longest wait, in milliseconds. */
  readonly timeout: number;
}

/** What `enable` was asked for besides. */
export interface EnableOptions extends ServiceOptions {
  readonly wait: boolean;
  readonly capabilityFile: string | undefined;
}

function workOf({ session, context, target }: ServiceOptions, signal: AbortSignal): EnableDeps {
  const { clock } = session;
  return { ...target, clock, emit: context.emit, signal };
}

/**
 * The service as it is. Warns when it runs and has collected nothing, as its reports are empty then whatever ran, or
 * nothing for long.
 */
export async function showService(
  target: ServicePlace & { readonly capabilities: Pick<Capabilities, 'stopsSystemPrograms'> },
  session: Pick<Session, 'clock' | 'signal' | 'terminal'>,
  changes: readonly ServiceChange[] = [],
): Promise<ReportService> {
  const found = await serviceStatus(target, session.signal);
  const isNew = changes.some(({ state }) => state === 'done') && !target.capabilities.stopsSystemPrograms;
  if (found.state === 'running' && !isNew && found.freshness !== undefined) warnOfLack(found.freshness, session);
  if (found.healthy && found.freshness === undefined)
    session.terminal.warn('METRICS_UNKNOWN', 'cannot tell what the report service has collected: it has no metrics');
  return { ...found, changes };
}

function warnOfLack(freshness: ReportFreshness, { terminal, clock }: Pick<Session, 'clock' | 'terminal'>): void {
  const now = clock.now();
  if (!collects(freshness))
    terminal.warn(
      'COLLECTS_NOTHING',
      `the report service has collected nothing: its reports are empty, as on 6.11.0; ${hintText({ next: 'make-from-runs' })}`,
    );
  // A platform may well run nothing from one night to the next.
  else if (!isUpToDate(freshness, (now - DAY) / 1000, now))
    terminal.warn(
      'REPORTS_LATE',
      `${lateWords(freshness.lastSync, now)}: its reports may not include later runs; ${hintText({ next: 'make-from-runs' })}`,
    );
}

const consent = ({ context, target }: ServiceOptions, deed: string): Promise<void> =>
  context.consent.ask({ deed, target });

/** Takes the lock of the service. Waits for a run that has it, which most likely does the same (docs/faults.md P41). */
async function lockService({ session, context, target, timeout }: ServiceOptions): Promise<HeldLocks> {
  const { clock, signal } = session;
  for (const from = clock.monotonic(); ;) {
    try {
      return await takeLocks([namespaceLock(target.url, 'system')], lockDeps(context, session));
    } catch (error) {
      const isOthers = error instanceof CliError && error.code === 'LOCKED';
      if (!isOthers || clock.monotonic() - from > timeout) throw error;
      context.emit({ type: 'state', what: 'report service', state: 'waiting', detail: 'another run is changing it' });
      await clock.sleep(NAP, signal);
    }
  }
}

/** Does work while no other run of this machine changes the service. */
async function alone<T>(run: ServiceOptions, work: () => Promise<T>): Promise<T> {
  const locks = await lockService(run);
  const write = beginWrite(run.session, commandLine(run.session.argv));
  try {
    return await work();
  } finally {
    write.end();
    await locks.release();
  }
}

async function writeCapability(file: string, { session, target }: EnableOptions): Promise<void> {
  const { version } = (await reportArtifact(target.platform, session.signal)) ?? target;
  await writeAtomically(file, capabilityFile(version), { mode: 0o644 });
  session.terminal.tell(`wrote ${visible(file)}`);
}

async function waitForIt(run: EnableOptions): Promise<void> {
  const { session, target, capabilityFile: file } = run;
  try {
    await awaitService(workOf(run, session.signal), run.timeout);
  } catch (error) {
    const isStopped = error instanceof CliError && error.code === 'REPORTS_STOPPED';
    if (isStopped && file !== undefined && target.capabilities.stopsSystemPrograms) await writeCapability(file, run);
    throw error;
  }
}

/**
 * Deploys and starts the report service where it does not run, and waits for it. Says what it would do, and asks,
 * before.
 */
export async function runEnable(run: EnableOptions): Promise<ReportService> {
  const { session, target, capabilityFile: file } = run;
  // EXISTS and the like are told before anything is changed.
  if (file !== undefined) await createStaged(file).abort();
  const steps = await planEnable(target, session.signal);
  if (run.dryRun) {
    if (file !== undefined) await writeCapability(file, run);
    if (steps.length > 0 && target.capabilities.stopsSystemPrograms)
      session.terminal.warn(
        'CAPABILITY_NEEDED',
        'platform 6.3 and later stop the service unless a capability file lists it; to write the file: --capability-file FILE',
      );
    return showService(
      target,
      session,
      steps.map((what) => ({ what, state: 'planned' })),
    );
  }
  if (steps.length > 0) await consent(run, `${steps.join(' and ')} the report service`);
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
  const { signal } = new AbortController();
  const done = steps.length === 0 ? [] : await alone(run, () => enableService(workOf(run, signal), session.signal));
  if (run.wait) await waitForIt(run);
  return showService(
    target,
    session,
    done.map((what) => ({ what, state: 'done' })),
  );
}

/** Stops the report service where it runs; reports stay. */
export async function runStop(run: ServiceOptions): Promise<ReportService> {
  const { session, target } = run;
  const state = await reportServiceState(target.platform, session.signal);
  const isUp = state === 'running' || state === 'starting';
  if (!isUp && !run.dryRun) session.terminal.tell('the report service is not running; nothing changed');
  if (!isUp || run.dryRun) return showService(target, session, isUp ? [{ what: 'stop', state: 'planned' }] : []);
  await consent(run, 'stop the report service');
  const stopped = await alone(run, () => stopService(workOf(run, session.signal), run.timeout));
  const shown = await showService(target, session, stopped ? [{ what: 'stop', state: 'done' }] : []);
  if (shown.state === 'stopped' || shown.state === 'absent') session.terminal.tell('the report service was stopped');
  else if (stopped)
    session.terminal.warn(
      'STARTED_AGAIN',
      `the platform restarts the service (capability file); it was stopped for less than ${formatDuration(run.timeout)}`,
    );
  return shown;
}
