import { mapConcurrent } from '../../core/concurrency.js';
import type { Platform } from '../../platform/client.js';
import type { PipelineKind } from '../../platform/pipeline-kinds.js';
import { getProgramStatus } from '../../platform/apps.js';
import { listRuns, type ProgramPlace, type RunRecord } from '../../platform/runs.js';
import { findPipeline, type FoundPipeline } from './find.js';
import { isOver } from './run-record.js';

const AT_ONCE = 8;
/** Active runs are among the newest, except where so many began after one that still runs. */
const LOOKED_THROUGH = 1000;

/** What a pipeline does now. */
export interface PipelineStatus {
  readonly namespace: string;
  readonly name: string;
  readonly kind: PipelineKind['kind'];
  readonly status: string;
  /** Ids of the runs that have not come to their end, newest first. */
  readonly runs: readonly string[];
}

/** What each of some pipelines does now, in their order. */
export async function pipelineStatuses(
  named: readonly { readonly namespace: string; readonly name: string }[],
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly PipelineStatus[]> {
  const found: PipelineStatus[] = [];
  const look = async (name: (typeof named)[number], each: AbortSignal): Promise<PipelineStatus> => {
    const pipeline = await findPipeline(name, platform, each);
    const status = await statusOf(pipeline, platform, each);
    const runs = status === 'STOPPED' ? [] : await activeRuns(pipeline.place, platform, each);
    const { namespace, kind } = pipeline;
    return { namespace, name: pipeline.name, kind: kind.kind, status, runs: runs.map(({ runid }) => runid) };
  };
  for await (const one of mapConcurrent(named, AT_ONCE, look, signal)) found.push(one);
  return found;
}

/** STOPPED, STARTING or RUNNING, as the platform says. */
export async function statusOf({ place }: FoundPipeline, platform: Platform, signal: AbortSignal): Promise<string> {
  const { namespace, app: application, type, program } = place;
  return (await platform.call(getProgramStatus, { namespace, application, type, program }, signal)).status;
}

/** The runs of a program that have not come to their end, newest first. */
export async function activeRuns(
  place: ProgramPlace,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly RunRecord[]> {
  const records = await platform.call(listRuns, { ...place, limit: LOOKED_THROUGH }, signal);
  return records.filter(({ status }) => !isOver(status));
}
