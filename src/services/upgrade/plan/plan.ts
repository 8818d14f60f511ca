import { createHash } from 'node:crypto';
import { asError, type CliError } from '../../../core/errors.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import type { Emit } from '../../../core/events.js';
import { getApplication, getApplicationVersion, type ApplicationDetail } from '../../../platform/apps.js';
import { isNamedVersion } from '../../../platform/named-versions.js';
import type { Platform } from '../../../platform/client.js';
import type { SendingEntry } from '../../../state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import { judge, judgeUnread, type Judgement, type JudgeOptions } from './judge.js';
import { chooseTarget } from '../plugins/target.js';
import type { ArtifactName, StageFinding, Note, PipelineRef, PluginChange } from '../pipeline.js';
import { hasBecome, isSameArtifact } from '../deployed-state.js';
import { gone } from '../pipeline-errors.js';

/** What is to be done about a pipeline; its configuration is not kept. */
export interface PlannedPipeline {
  readonly ref: PipelineRef;
  /**
   * `settle`: an earlier run sent it and was cut off. `earlier`: an earlier run of the same journal has done it.
   * `untried`: an earlier run of the journal did not come to it, and it is not asked for.
   */
  readonly state: 'upgrade' | 'blocked' | 'current' | 'skipped' | 'failed' | 'settle' | 'earlier' | 'untried';
  /** Undefined where nothing is to be sent. */
  readonly to: ArtifactName | undefined;
  readonly changes: readonly PluginChange[];
  readonly findings: readonly StageFinding[];
  readonly notes: readonly Note[];
  /** Why it is skipped. */
  readonly reason?: string;
  /** Why it cannot be planned. */
  readonly error?: CliError;
  /** SHA-256 over artifact and configuration as they were read. */
  readonly digest?: string;
  /** The platform chooses what becomes of it. */
  readonly isUnjudged?: true;
  /** It needs an upgrade and is skipped all the same. */
  readonly isLeftOut?: true;
  /** Versions of it that somebody named, which stay on older artifacts. */
  readonly staysBehind?: NonNullable<PipelineRef['named']>;
  /** A program of it is at work. */
  readonly isRunning?: boolean;
}

/** The options of a judgement, and the records of an earlier run. */
export interface PlanOptions extends JudgeOptions {
  readonly platform: Platform;
  /** What an earlier run of the same journal did, by `recordKey`. */
  readonly records: ReadonlyMap<string, UpgradeRecord>;
  readonly concurrency: number;
  /** Sends also what the pre-check found to fail. */
  readonly force: boolean;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** SHA-256 over what a pipeline is made from: equal when nobody changed it. */
export function deployedDigest({ artifact, configuration = '' }: ApplicationDetail): string {
  const { name, version, scope } = artifact;
  return createHash('sha256')
    .update(JSON.stringify([name, version, scope, configuration]))
    .digest('hex');
}

/** A pipeline of which nothing but its name is known, in a state. */
export function plannedAs(
  ref: PipelineRef,
  state: PlannedPipeline['state'],
  more: Pick<PlannedPipeline, 'reason' | 'error' | 'isLeftOut'> = {},
): PlannedPipeline {
  return { ref, state, to: undefined, changes: [], findings: [], notes: [], ...more };
}

function plannedFrom(ref: PipelineRef, judgement: Judgement, force: boolean, digest?: string): PlannedPipeline {
  if (judgement.kind === 'current') return plannedAs(ref, 'current');
  if (judgement.kind === 'skipped') return plannedAs(ref, 'skipped', { reason: judgement.reason });
  const { changes, findings, notes, made, isUnjudged } = judgement;
  // Bytes that are there already are not sent, whoever forces it: a deploy of them could mend nothing.
  const changesNothing = changes.length === 0 && isSameArtifact(made.artifact, ref.artifact);
  const blocked = (!force || changesNothing) && findings.some(({ level }) => level === 'blocked');
  const state = blocked ? 'blocked' : 'upgrade';
  return {
    ...{ ref, state, to: made.artifact, changes, findings, notes },
    ...(digest !== undefined && { digest }),
    ...(isUnjudged === true && { isUnjudged }),
  };
}

/**
 * Whether the list alone proves that a pipeline is still what an earlier run made of it. A rollback would show, if the
 * upgrade changed its artifact.
 */
function isStillDone({ artifact }: PipelineRef, record: UpgradeRecord, sending: SendingEntry | undefined): boolean {
  const after = record.ended?.after?.artifact;
  if (after === undefined || sending === undefined || !isSameArtifact(artifact, after)) return false;
  return !isSameArtifact(sending.before.artifact, after);
}

/** An application that GET does not show: somebody gave each of its versions a name, or it is gone. */
async function onlyNamed(ref: PipelineRef, { platform, signal }: PlanOptions): Promise<PlannedPipeline> {
  const { namespace, name: application, version, named = [] } = ref;
  const place = { namespace, application };
  if (
    !isNamedVersion(version) ||
    (await platform.find(getApplicationVersion, { ...place, version }, signal)) === undefined
  )
    throw gone(ref, 'listed');
  const versions = [version, ...named.map((one) => one.version)].join(', ');
  const reason = `exists only as version ${versions}, which cannot be upgraded`;
  return plannedAs(ref, 'skipped', { reason, isLeftOut: true });
}

/** A plan with the versions that stay on older artifacts, whatever becomes of the one that is upgraded. */
function withNamed(planned: PlannedPipeline, { artifacts, selection }: PlanOptions): PlannedPipeline {
  const { named = [] } = planned.ref;
  const staysBehind = named.filter(({ artifact }) => chooseTarget(artifact, artifacts, selection).kind === 'upgrade');
  return staysBehind.length === 0 ? planned : { ...planned, staysBehind };
}

async function planOne(ref: PipelineRef, options: PlanOptions): Promise<PlannedPipeline> {
  const { namespace, name } = ref;
  const record = options.records.get(recordKey(namespace, name));
  const sending = await record?.sending();
  const isDone = record?.state === 'done';
  if (isDone && isStillDone(ref, record, sending)) return plannedAs(ref, 'earlier');
  const unread = record === undefined ? judgeUnread(ref, options) : undefined;
  if (unread !== undefined) return plannedFrom(ref, unread, options.force);
  const shown = await options.platform.find(getApplication, { namespace, application: name }, options.signal);
  if (shown === undefined) return onlyNamed(ref, options);
  if (sending !== undefined && hasBecome(shown, sending)) {
    if (isDone) return plannedAs(ref, 'earlier');
    const to = sending.sent?.artifact ?? sending.to ?? { ...ref.artifact, version: shown.artifact.version };
    return { ...plannedAs({ ...ref, artifact: sending.before.artifact }, 'settle'), to };
  }
  return plannedFrom(ref, await judge(namespace, shown, options), options.force, deployedDigest(shown));
}

/**
 * Plans pipelines side by side as they are listed, in their order. One that cannot be read is `failed` and holds up no
 * other. An end of the signal ends all.
 */
export async function planPipelines(
  refs: AsyncIterable<PipelineRef>,
  options: PlanOptions,
): Promise<readonly PlannedPipeline[]> {
  const planned: PlannedPipeline[] = [];
  const { concurrency, emit, signal } = options;
  const plan = async (ref: PipelineRef): Promise<PlannedPipeline> => {
    try {
      return withNamed(await planOne(ref, options), options);
    } catch (cause) {
      signal.throwIfAborted();
      return plannedAs(ref, 'failed', { error: asError(cause) });
    }
  };
  for await (const one of mapConcurrent(refs, concurrency, plan, signal)) {
    planned.push(one);
    emit({ type: 'count', what: 'pipelines read', done: planned.length, of: undefined, failed: 0 });
  }
  return planned;
}
