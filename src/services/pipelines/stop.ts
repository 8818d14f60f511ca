import { CliError } from '../../core/errors.js';
import { stopRun } from '../../platform/programs.js';
import { getRun, type RunRecord } from '../../platform/runs.js';
import { sendOnce } from '../writing/send.js';
import type { FoundPipeline } from './find.js';
import { isOver } from './run-record.js';
import type { RunDeps } from './wait.js';

/** What became of a run that was to stop: it had ended by itself, or it was asked to. */
export interface StoppedRun {
  readonly runid: string;
  readonly state: 'stopping' | 'already-ended';
}

/**
 * Asks a run to stop. Sent once, and a second time only where a look shows that the first had no effect.
 * @throws UNKNOWN_OUTCOME where that cannot be seen
 */
export async function stopOneRun(
  runid: string,
  { place, name, namespace }: FoundPipeline,
  { platform, clock, emit, signal }: RunDeps,
): Promise<StoppedRun> {
  const look = (): Promise<RunRecord | undefined> => platform.find(getRun, { ...place, run: runid }, signal);
  const isStopping = async (): Promise<boolean> => {
    const run = await look();
    return run !== undefined && (isOver(run.status) || run.status === 'STOPPING');
  };
  const sending = {
    ...{ signal, clock, emit, warnAs: 'RESPONSE_LOST' },
    wait: (milliseconds: number): Promise<void> => clock.sleep(milliseconds, signal),
  };
  try {
    const send = (): Promise<string> => platform.call(stopRun, { ...place, run: runid }, signal);
    await sendOnce(`the stop of run ${runid}`, sending, send, isStopping);
    return { runid, state: 'stopping' };
  } catch (error) {
    if (!(error instanceof CliError) || error.details.request?.status !== 400) throw error;
    // 400 says "is not running": it ended by itself, or does not show yet (docs/platform.md 8.1).
    const run = await look();
    if (run !== undefined && isOver(run.status)) return { runid, state: 'already-ended' };
    throw new CliError('REMOTE_FAILED', `the platform did not stop run ${runid} of pipeline "${name}"`, {
      ...error.details,
      target: { namespace, pipeline: name, run: runid },
    });
  }
}
