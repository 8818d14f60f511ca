import { asError, CliError } from '../../../core/errors.js';
import { timestamp, type Clock } from '../../../core/clock.js';
import { warn, type Warnings } from '../../../core/events.js';
import { putApplication, upgradeApplication, type ApplicationDetail } from '../../../platform/apps.js';
import type { Capabilities } from '../../../platform/capabilities.js';
import type { Platform } from '../../../platform/client.js';
import type { Schedule } from '../../../platform/schedules.js';
import type { EndedEntry, MadePipeline, SendingEntry, UpgradeEntry } from '../../../state/upgrade-journal.js';
import { appRequest } from '../../writing/app-request.js';
import { wasRefused } from '../../writing/was-refused.js';
import { sendDeploy, sendOnce } from '../../writing/send.js';
import { fetchPipeline } from '../applications.js';
import type { Change, PipelinePlace } from '../pipeline.js';
import { afterDeploy, changedMeanwhile, gone, unproved } from '../pipeline-errors.js';
import { hasBecome, isMadeFrom, shownOf } from '../deployed-state.js';
import { readSchedules, restoreSchedules } from './schedules.js';

/** The platform that is written to, the journal, and the commands that hints name. */
export interface WriteDeps extends Warnings {
  /** A platform whose reads are patient. */
  readonly platform: Platform;
  readonly capabilities: Capabilities;
  readonly journal: { append(entry: UpgradeEntry): Promise<void> };
  readonly clock: Clock;
  /** Ends what is in flight. */
  readonly signal: AbortSignal;
  /** The command that tries again what failed, for hints. */
  readonly goOn: string;
  /** The command that settles what is unknown, for hints. */
  readonly resume: string;
}

/** Writes down how a pipeline ended. */
export function noteEnd(
  { namespace, name: pipeline }: PipelinePlace,
  end: Pick<EndedEntry, 'state' | 'after' | 'message' | 'schedules' | 'untouched'>,
  deps: WriteDeps,
): Promise<void> {
  return deps.journal.append({ v: 1, type: 'ended', at: timestamp(deps.clock), namespace, pipeline, ...end });
}

/** What was read back, without a configuration that is word for word what was sent. */
function afterOf(shown: ApplicationDetail, sent: MadePipeline | undefined): EndedEntry['after'] {
  const { artifact, version, configuration } = shownOf(shown);
  return {
    artifact,
    ...(version !== undefined && { version }),
    ...(configuration !== sent?.configuration && { configuration }),
  };
}

async function send(place: PipelinePlace, entry: SendingEntry, change: Change, deps: WriteDeps): Promise<void> {
  const { platform, capabilities, signal, clock, resume: goOn } = deps;
  const { namespace, name: application } = place;
  const write = (): Promise<unknown> => {
    if (change.engine === 'server')
      return platform.call(upgradeApplication, { namespace, application, allowSnapshot: change.snapshots }, signal);
    const deployment = { ...change.made, keepSchedules: true, parentVersion: entry.before.version };
    return platform.call(
      putApplication,
      { namespace, application, request: appRequest(deployment, capabilities) },
      signal,
    );
  };
  const applied = async (): Promise<boolean> => {
    const shown = await fetchPipeline(place, deps);
    if (shown === undefined) throw gone(place);
    if (hasBecome(shown, entry)) return true;
    // What is neither is somebody else's, which nothing but this look protects where deploys name no parent.
    if (isMadeFrom(shown, entry.before)) return false;
    throw changedMeanwhile(place);
  };
  const wait = (milliseconds: number): Promise<void> => clock.sleep(milliseconds, signal);
  const sending = { ...deps, goOn, wait };
  try {
    const what = `the deploy of pipeline ${application}`;
    await sendOnce(what, sending, () => sendDeploy(what, write, applied, goOn), applied);
  } catch (error) {
    if (error instanceof CliError && error.code === 'CONFLICT') throw changedMeanwhile(place, error);
    throw error;
  }
}

async function readBack(place: PipelinePlace, entry: SendingEntry, deps: WriteDeps): Promise<ApplicationDetail> {
  const shown = await fetchPipeline(place, deps).catch((cause: unknown) => {
    throw unproved(place.name, cause, deps.resume);
  });
  if (shown !== undefined && hasBecome(shown, entry)) return shown;
  throw new CliError(
    'BAD_ANSWER',
    `the platform accepted pipeline ${place.name}, but returns ${shown === undefined ? 'none' : 'a different one'}`,
  );
}

/** Proves that the schedules are as they were, or makes them so; what cannot be read proves nothing. */
function restore({ namespace, pipeline, schedules }: SendingEntry, deps: WriteDeps): Promise<void> {
  const { platform: inner, goOn } = deps;
  const platform: Platform = {
    ...inner,
    call: (endpoint, parameters, signal) => {
      const answer = inner.call(endpoint, parameters, signal);
      if (endpoint.method !== 'GET') return answer;
      return answer.catch((cause: unknown) => {
        throw unproved(pipeline, cause, deps.resume);
      });
    },
  };
  return restoreSchedules(pipeline, schedules, { ...deps, platform, namespace, goOn });
}

/**
 * Finishes a pipeline that is proved to be what was sent: only its schedules are checked. What fails then leaves
 * nothing to send.
 */
export async function settlePipeline(entry: SendingEntry, shown: ApplicationDetail, deps: WriteDeps): Promise<void> {
  const { namespace, pipeline: name, sent } = entry;
  try {
    await restore(entry, deps);
    await noteEnd({ namespace, name }, { state: 'done', after: afterOf(shown, sent) }, deps);
  } catch (cause) {
    throw afterDeploy(cause);
  }
}

/**
 * Restores the schedules after a failed deploy that may have had an effect. Also after one that an earlier run `began`
 * and did not end. Returns false if that is left to the next run, which finds the statuses in the journal. Schedules of
 * someone else's change are not touched.
 */
async function settleFailed(entry: SendingEntry, error: CliError, began: boolean, deps: WriteDeps): Promise<boolean> {
  if (error.code === 'GONE') return true;
  if (error.code === 'CHANGED_MEANWHILE') return !began;
  if (!began && wasRefused(error)) return true;
  try {
    await restore(entry, deps);
    return true;
  } catch (cause) {
    warn(deps, `schedules of pipeline ${entry.pipeline}: ${asError(cause).message}`);
    return false;
  }
}

/**
 * Writes down how a write failed. That this cannot be written changes nothing about how it ended, and the next run
 * takes what was sent as unknown.
 */
async function noteFailure(entry: SendingEntry, error: CliError, began: boolean, deps: WriteDeps): Promise<void> {
  const { namespace, pipeline: name } = entry;
  const isUnknown = error.code === 'UNKNOWN_OUTCOME';
  const isDeployed = error.details.isDeployed === true;
  const isSettled = isUnknown || (!isDeployed && (await settleFailed(entry, error, began, deps)));
  const isUntouched =
    !began && !isDeployed && (error.code === 'GONE' || error.code === 'CHANGED_MEANWHILE' || wasRefused(error));
  const end = {
    message: error.message,
    ...(!isSettled && { schedules: 'open' as const }),
    ...(isUntouched && { untouched: true as const }),
  };
  try {
    await noteEnd({ namespace, name }, { state: isUnknown ? 'unknown' : 'failed', ...end }, deps);
  } catch (cause) {
    warn(deps, `the result of pipeline ${name} cannot be recorded: ${asError(cause).message}`);
  }
}

/**
 * Writes over a pipeline once, proves it by reading it back and leaves its schedules as they were. The journal knows
 * before the write what is sent and what was there, and after the proof how it ended. Gives what was read back. What a
 * run that was cut off had `noted` of the schedules wins over what they are now: its deploy may have suspended them.
 * @throws UNKNOWN_OUTCOME when nobody can tell; CHANGED_MEANWHILE when somebody was faster
 */
export async function writePipeline(
  place: PipelinePlace,
  shown: ApplicationDetail,
  change: Change,
  deps: WriteDeps,
  noted: readonly Schedule[] = [],
): Promise<ApplicationDetail> {
  const { namespace, name: pipeline } = place;
  const now = await readSchedules(pipeline, { ...deps, namespace });
  const schedules = [...noted, ...now.filter(({ name }) => !noted.some((earlier) => earlier.name === name))];
  const entry: SendingEntry = {
    v: 1,
    type: 'sending',
    at: timestamp(deps.clock),
    namespace,
    pipeline,
    before: shownOf(shown),
    ...(change.engine === 'client' ? { sent: change.made } : { to: change.to }),
    schedules,
  };
  await deps.journal.append(entry);
  try {
    await send(place, entry, change, deps);
    const after = await readBack(place, entry, deps);
    await settlePipeline(entry, after, deps);
    return after;
  } catch (error) {
    await noteFailure(entry, asError(error), noted.length > 0, deps);
    throw error;
  }
}
