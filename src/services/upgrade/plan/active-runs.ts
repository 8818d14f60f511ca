import { mapConcurrent } from '../../../core/concurrency.js';
import { CliError } from '../../../core/errors.js';
import type { Platform } from '../../../platform/client.js';
import { kindOfArtifact } from '../../../platform/pipeline-kinds.js';
import { getStatuses } from '../../../platform/programs.js';
import type { UpgradeSelection } from '../../../state/upgrade-journal.js';
import type { PipelineRef } from '../pipeline.js';
import type { PlanDeps } from './plan-reading.js';
import { plannedAs, type PlannedPipeline } from './plan.js';

const CHUNK = 100;

/** Why a pipeline that runs is skipped. */
export const RUNS = 'is running';

/** The error of a pipeline that runs, where that is not wanted. */
export const runs = ({ namespace, name }: PipelineRef): CliError =>
  new CliError('RUNNING', `pipeline ${name} ${RUNS}`, { target: { namespace, pipeline: name } });

async function runningIn(
  namespace: string,
  refs: readonly PipelineRef[],
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const items = refs.flatMap(({ name: appId, artifact }) => {
    const kind = kindOfArtifact(artifact.name);
    return kind === undefined ? [] : [{ appId, programType: kind.programType, programId: kind.program }];
  });
  const statuses = await platform.call(getStatuses, { namespace, items }, signal);
  return statuses.flatMap(({ appId, status = 'STOPPED' }) => (status === 'STOPPED' ? [] : [appId]));
}

/** Whether a pipeline runs now. */
export async function isRunning(ref: PipelineRef, { platform, signal }: PlanDeps): Promise<boolean> {
  return (await runningIn(ref.namespace, [ref], platform, signal)).length > 0;
}

/** Pipelines of one namespace that are asked for with one request. */
type Chunk = readonly [namespace: string, refs: readonly PipelineRef[]];

function* chunksOf(planned: readonly PlannedPipeline[]): Generator<Chunk> {
  const refs = planned.filter(({ state }) => state === 'upgrade').map(({ ref }) => ref);
  for (const namespace of new Set(refs.map((ref) => ref.namespace))) {
    const all = refs.filter((ref) => ref.namespace === namespace);
    for (let at = 0; at < all.length; at += CHUNK) yield [namespace, all.slice(at, at + CHUNK)];
  }
}

/**
 * Finds the pipelines of a plan that are running, and marks, skips or fails them as requested. A run in progress ends
 * with what it was started with (docs/platform.md 5.3).
 */
export async function lookForRuns(
  planned: readonly PlannedPipeline[],
  { running: what, concurrency }: { readonly running: UpgradeSelection['running']; readonly concurrency: number },
  { platform, signal }: PlanDeps,
): Promise<readonly PlannedPipeline[]> {
  const running = new Set<string>();
  const look = async ([namespace, refs]: Chunk, both: AbortSignal): Promise<readonly string[]> =>
    (await runningIn(namespace, refs, platform, both)).map((name) => `${namespace}\0${name}`);
  for await (const keys of mapConcurrent(chunksOf(planned), concurrency, look, signal))
    for (const key of keys) running.add(key);
  return planned.map((one) => {
    if (one.state !== 'upgrade' || !running.has(`${one.ref.namespace}\0${one.ref.name}`)) return one;
    if (what === 'skip') return plannedAs(one.ref, 'skipped', { reason: RUNS, isLeftOut: true });
    if (what === 'fail') return plannedAs(one.ref, 'failed', { error: runs(one.ref) });
    return { ...one, isRunning: true };
  });
}
