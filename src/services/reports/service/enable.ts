import { formatDuration } from '../../../core/duration.js';
import type { Clock } from '../../../core/clock.js';
import { CliError, isPassing } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { getApplication, getProgramStatus, putApplication } from '../../../platform/apps.js';
import { capabilitiesOf } from '../../../platform/capabilities.js';
import { startProgram, stopProgram } from '../../../platform/programs.js';
import { answerLost, neverSent, sendDeploy, sendOnce, type SendDeps } from '../../writing/send.js';
import { reportsOff } from './service-ready.js';
import { REPORT_ARTIFACT, REPORT_PROGRAM, reportArtifact, reportServiceState } from './state.js';
import type { ServicePlace } from './status.js';
import { newestServiceRun, stoppedAgain } from './stopped.js';

/** The report service of a platform, the clock of the wait, and where progress is reported. */
export interface EnableDeps extends ServicePlace {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

const NAP = 2000;
/**
 * A new run does not show for up to two seconds before 6.11 (docs/platform.md 8.1). A lost start for longer at most.
 */
const INVISIBLE = 10_000;
/** How long to watch a platform that stops system programs, in milliseconds (docs/platform.md 1.1). */
const WATCH = 20_000;
const WHAT = 'report service';

/**
 * What is missing for a running service; nothing when it runs or starts.
 * @throws REPORTS_OFF where it cannot be had
 */
export async function planEnable(
  { platform }: ServicePlace,
  signal: AbortSignal,
): Promise<readonly ('deploy' | 'start')[]> {
  const state = await reportServiceState(platform, signal);
  if (state === 'no-artifact') throw reportsOff(state);
  if (state === 'absent') return ['deploy', 'start'];
  return state === 'stopped' ? ['start'] : [];
}

/**
 * Deploys and starts what is missing; what was done. The program is started at most once: a second start would be a
 * second run (docs/faults.md P41), so the next one to ask must see the first. `stop` ends it between two requests.
 */
export async function enableService(work: EnableDeps, stop: AbortSignal): Promise<readonly ('deploy' | 'start')[]> {
  // One that somebody else has begun meanwhile is his.
  const steps = await planEnable(work, work.signal);
  if (steps.includes('deploy')) await deploy(work);
  if (!steps.includes('start')) return steps;
  stop.throwIfAborted();
  await start(work);
  await showsUp(work, stop);
  return steps;
}

async function deploy({ platform, clock, emit, signal }: EnableDeps): Promise<void> {
  const artifact = await reportArtifact(platform, signal);
  if (artifact === undefined) throw reportsOff('no-artifact');
  const { name, version } = artifact;
  emit({ type: 'state', what: WHAT, state: 'deploying', detail: `${name} ${version}` });
  const request = JSON.stringify({ artifact: { name, version, scope: 'SYSTEM' } });
  const applied = async (): Promise<boolean> =>
    (await platform.find(getApplication, REPORT_PROGRAM, signal))?.artifact.name === REPORT_ARTIFACT;
  const send = (): Promise<string> => platform.call(putApplication, { ...REPORT_PROGRAM, request }, signal);
  const what = 'the deploy of the report service';
  const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, signal);
  const sending: SendDeps = { signal, clock, wait, emit, warnAs: 'RETRY' };
  await sendOnce(what, sending, () => sendDeploy(what, send, applied), applied);
}

async function start(work: EnableDeps): Promise<void> {
  const { platform, emit, signal } = work;
  emit({ type: 'state', what: WHAT, state: 'starting' });
  try {
    await platform.call(startProgram, REPORT_PROGRAM, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!answerLost(error) || neverSent(error)) throw error;
    const failed = await showsUp(work).then(
      (isThere) => (isThere ? 'none' : undefined),
      (cause: unknown) => {
        if (cause instanceof CliError && !signal.aborted) return cause;
        throw cause;
      },
    );
    if (failed === 'none') return;
    const { request, serverSaid } = error.details;
    throw new CliError('UNKNOWN_OUTCOME', 'the start of the report service was sent, but there is no sign of it', {
      cause: error,
      request,
      serverSaid,
      lines: [
        `the response was lost: ${error.message}`,
        ...(failed === undefined ? [] : [`its status cannot be read: ${failed.message}`]),
      ],
      hints: [{ next: 'report-service', later: true }, 'starting it again could start a second run'],
    });
  }
}

/**
 * Whether a start shows, after moments (docs/platform.md 17) or not at all. `stop` ends the looking.
 * @throws what does not pass, as FORBIDDEN
 */
async function showsUp({ platform, clock, signal }: EnableDeps, stop = signal): Promise<boolean> {
  const from = clock.monotonic();
  for (;;) {
    const program = await platform.find(getProgramStatus, REPORT_PROGRAM, signal).catch((error: unknown) => {
      if (isPassing(error)) return undefined;
      throw error;
    });
    if (program !== undefined && program.status !== 'STOPPED') return true;
    if (clock.monotonic() - from > INVISIBLE) return false;
    await clock.sleep(NAP, stop);
  }
}

/**
 * Waits until the service answers, and where the platform may stop it again for 20 seconds more.
 * @throws REPORTS_STOPPED, STILL_RUNNING after `timeout` milliseconds
 */
export async function awaitService(work: EnableDeps, timeout: number): Promise<void> {
  const { platform, version, clock, emit, signal } = work;
  const from = clock.monotonic();
  let wasSeen = false;
  for (;;) {
    const state = await reportServiceState(platform, signal);
    if (state === 'running') break;
    const passed = clock.monotonic() - from;
    wasSeen ||= state === 'starting';
    if (state !== 'starting' && (wasSeen || passed > INVISIBLE)) throw await stoppedAgain(platform, version, signal);
    if (passed >= timeout) throw stillStarting(timeout);
    emit({ type: 'state', what: WHAT, state: 'STARTING' });
    await clock.sleep(Math.min(NAP, timeout - passed), signal);
  }
  if (capabilitiesOf(version).stopsSystemPrograms && (await isYoung(work))) await watch(work);
}

/** Whether the run of the service began so lately that the platform may not have looked at it yet. */
async function isYoung({ platform, clock, signal }: EnableDeps): Promise<boolean> {
  const run = await newestServiceRun(platform, signal);
  return run?.starting === undefined || clock.now() - run.starting * 1000 < 2 * WATCH;
}

async function watch({ platform, version, clock, emit, signal }: EnableDeps): Promise<void> {
  const detail = 'watching that it keeps running';
  const end = clock.monotonic() + WATCH;
  for (let left = WATCH; left > 0; left = end - clock.monotonic()) {
    emit({ type: 'state', what: WHAT, state: 'RUNNING', detail, left });
    await clock.sleep(NAP, signal);
    const program = await platform.find(getProgramStatus, REPORT_PROGRAM, signal);
    if (program?.status !== 'RUNNING') throw await stoppedAgain(platform, version, signal);
  }
}

function stillStarting(timeout: number): CliError {
  return new CliError(
    'STILL_RUNNING',
    `the report service was started, but does not respond after ${formatDuration(timeout)}`,
    {
      hints: [{ next: 'report-service' }, { next: 'enable-report-service', longer: true }],
    },
  );
}

/**
 * Stops the service and waits until it has stopped, at most `timeout` milliseconds (STILL_RUNNING). False when it did
 * not run.
 */
export async function stopService({ platform, clock, emit, signal }: EnableDeps, timeout: number): Promise<boolean> {
  const status = async (): Promise<string | undefined> =>
    (await platform.find(getProgramStatus, REPORT_PROGRAM, signal))?.status;
  const isStopped = async (): Promise<boolean> => ['STOPPED', undefined].includes(await status());
  if (await isStopped()) return false;
  try {
    await platform.call(stopProgram, REPORT_PROGRAM, signal);
  } catch (error) {
    // It ended by itself meanwhile (400), or the answer was lost: looking decides, and asking twice would be harmless.
    if (!(error instanceof CliError) || signal.aborted) throw error;
    const isLost = answerLost(error) && !neverSent(error);
    if (!isLost && !(await isStopped())) throw error;
  }
  for (const from = clock.monotonic(); !(await isStopped());) {
    if (clock.monotonic() - from >= timeout)
      throw new CliError('STILL_RUNNING', `the report service has not stopped after ${formatDuration(timeout)}`, {
        hints: [{ next: 'report-service' }],
      });
    emit({ type: 'state', what: WHAT, state: 'STOPPING' });
    await clock.sleep(NAP, signal);
  }
  return true;
}
