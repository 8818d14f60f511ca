import { asError, CliError } from '../../../core/errors.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import type { Emit } from '../../../core/events.js';
import type { ApplicationDetail } from '../../../platform/apps.js';
import type { Platform } from '../../../platform/client.js';
import type { MadePipeline, SendingEntry } from '../../../state/upgrade-journal.js';
import { isOpen, recordKey, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import { changesIn } from '../plan/compare.js';
import { byName, type Change, type PipelineOutcome, type PipelineRef } from '../pipeline.js';
import { deployedDigest, plannedAs, type PlannedPipeline } from '../plan/plan.js';
import { fail, type RunOptions, type Work } from './run.js';
import { artifactName } from '../applications.js';
import { isMadeFrom } from '../deployed-state.js';
import { fetchPipeline } from '../applications.js';
import { settlePipeline, writePipeline } from './write.js';

/** The platform that is rolled back, and what earlier rollbacks of the upgrade did. */
export interface PlanRollbackOptions {
  readonly platform: Platform;
  /** What earlier rollbacks of the same upgrade did, by `recordKey`. */
  readonly earlier: ReadonlyMap<string, UpgradeRecord>;
  readonly concurrency: number;
  /** The command that settles what is unknown, for hints. */
  readonly resume: string;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** What the upgrade left behind: what was read back, else what was sent. */
export function leftBy({ ended }: UpgradeRecord, { sent }: SendingEntry): MadePipeline | undefined {
  const after = ended?.after;
  const configuration = after?.configuration ?? sent?.configuration;
  const artifact = after?.artifact ?? sent?.artifact;
  return artifact === undefined || configuration === undefined ? undefined : { artifact, configuration };
}

/**
 * What an earlier rollback, or else the upgrade itself, sent and did not finish. It was interrupted, or left schedules
 * that are not as they were.
 */
async function begunBy(record: UpgradeRecord | undefined): Promise<SendingEntry | undefined> {
  return record !== undefined && isOpen(record) ? record.sending() : undefined;
}

function planBack(
  ref: PipelineRef,
  record: UpgradeRecord,
  sending: SendingEntry,
  shown: ApplicationDetail,
  isBegun: boolean,
): PlannedPipeline | undefined {
  const { before } = sending;
  const digest = deployedDigest(shown);
  if (isMadeFrom(shown, before))
    return isBegun ? { ...plannedAs(ref, 'settle'), to: before.artifact, digest } : plannedAs(ref, 'current');
  const left = leftBy(record, sending);
  if (left !== undefined && isMadeFrom(shown, left)) {
    const became = changesIn(shown.configuration ?? '', before.configuration);
    return { ...plannedAs(ref, 'upgrade'), ...became, to: before.artifact, digest };
  }
  if (record.ended?.untouched === true) return plannedAs(ref, 'skipped', { reason: 'the upgrade did not change it' });
  return undefined;
}

/** Why a pipeline is not rolled back: someone changed it, or its upgrade was not read back yet. */
function refusal({ namespace, pipeline }: UpgradeRecord, isUnread: boolean, resume: string): CliError {
  const target = { namespace, pipeline };
  if (!isUnread) {
    const message = `pipeline ${pipeline} was changed by someone else since the upgrade; it is not rolled back`;
    return new CliError('CHANGED_MEANWHILE', message, { target });
  }
  const message = `the upgraded pipeline ${pipeline} was never read back; resume the upgrade first`;
  return new CliError('UNKNOWN_OUTCOME', message, { target, hints: [resume] });
}

/** What is known of a pipeline that is not read. */
const UNREAD = { name: '', version: '', scope: 'USER' } as const;

async function planOne(record: UpgradeRecord, planning: PlanRollbackOptions): Promise<PlannedPipeline | undefined> {
  const { namespace, pipeline: name, ended } = record;
  let ref: PipelineRef = { namespace, name, artifact: ended?.after?.artifact ?? UNREAD, version: undefined };
  try {
    const sending = await record.sending();
    if (sending === undefined) return undefined;
    ref = { ...ref, artifact: sending.before.artifact };
    const shown = await fetchPipeline(ref, planning);
    if (shown === undefined && ended?.untouched === true)
      return plannedAs(ref, 'skipped', { reason: 'the upgrade did not change it' });
    if (shown === undefined) throw new CliError('GONE', `pipeline ${name} was deleted since the upgrade`);
    const isBegun = (await begunBy(planning.earlier.get(recordKey(namespace, name)) ?? record)) !== undefined;
    ref = { ...ref, artifact: artifactName(shown.artifact) };
    const planned = planBack(ref, record, sending, shown, isBegun);
    if (planned !== undefined) return planned;
    throw refusal(record, isOpen(record) && leftBy(record, sending) === undefined, planning.resume);
  } catch (cause) {
    planning.signal.throwIfAborted();
    return plannedAs(ref, 'failed', { error: asError(cause) });
  }
}

/**
 * Plans to put back what an upgrade changed, several pipelines at a time. `current`: already as before (`settle` if an
 * earlier rollback was interrupted); `failed`: changed by someone since; `skipped`: so changed, but left alone by the
 * upgrade itself.
 */
export async function planRollback(
  records: Iterable<UpgradeRecord>,
  planning: PlanRollbackOptions,
): Promise<readonly PlannedPipeline[]> {
  const planned: PlannedPipeline[] = [];
  const plan = (record: UpgradeRecord): Promise<PlannedPipeline | undefined> => planOne(record, planning);
  for await (const one of mapConcurrent(records, planning.concurrency, plan, planning.signal)) {
    if (one !== undefined) planned.push(one);
    planning.emit({ type: 'count', what: 'pipelines read', done: planned.length, of: undefined, failed: 0 });
  }
  return planned.sort((one, other) => byName(one.ref, other.ref));
}

async function rollBackOne(
  planned: PlannedPipeline,
  earlier: ReadonlyMap<string, UpgradeRecord>,
  options: RunOptions,
): Promise<Omit<PipelineOutcome, 'durationMs'>> {
  const { ref, digest, error, state } = planned;
  if (error !== undefined) throw error;
  const key = recordKey(ref.namespace, ref.name);
  const record = options.records.get(key);
  const sending = await record?.sending();
  const begun = await begunBy(earlier.get(key) ?? record);
  const shown = await fetchPipeline(ref, options);
  if (sending === undefined || shown === undefined) throw new CliError('GONE', `pipeline ${ref.name} is gone`);
  if (deployedDigest(shown) !== digest)
    throw new CliError('CHANGED_MEANWHILE', `pipeline ${ref.name} was changed by someone else since it was read`);
  if (state === 'settle' && begun !== undefined) {
    await settlePipeline(begun, shown, options);
    return { state: 'rolled-back', settled: true, ...changesIn(begun.before.configuration, shown.configuration ?? '') };
  }
  if (options.stop.aborted) return { state: 'not-run' };
  const { artifact, configuration } = sending.before;
  const change: Change = { engine: 'client', made: { artifact, configuration } };
  try {
    await writePipeline(ref, shown, change, options, begun?.schedules);
  } catch (cause) {
    // Its end is noted already.
    return fail(planned, change, asError(cause), options);
  }
  return { state: 'rolled-back' };
}

/** Puts one pipeline back to what it was before the upgrade, or ends what an earlier rollback began. */
export const rollingBack =
  (earlier: ReadonlyMap<string, UpgradeRecord>): Work =>
  (one, running) =>
    rollBackOne(one, earlier, running);
