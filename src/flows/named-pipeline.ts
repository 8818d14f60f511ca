import type { CommandContext, PlatformPlace } from '../cli/context-types.js';
import type { Session } from '../cli/session.js';
import { refuseOtherNamespace } from '../cli/settings.js';
import { onePipeline } from '../core/pipeline-pattern.js';
import type { RunRecord } from '../platform/runs.js';
import { parsePipelineName } from '../services/metrics/pipeline.js';
import { findPipeline, findPipelineRun, type FoundPipeline } from '../services/pipelines/find.js';

/** The pipeline that a line names, and the platform that it is on. */
export interface PipelineTarget {
  readonly pipeline: FoundPipeline;
  readonly target: PlatformPlace;
}

/**
 * Finds the pipeline `[NAMESPACE/]NAME`.
 * @throws USAGE before anything is asked for what is no name
 */
export async function namedPipeline(
  text: string,
  context: Pick<CommandContext, 'found' | 'platform'>,
  signal: AbortSignal,
): Promise<PipelineTarget> {
  onePipeline(text);
  refuseOtherNamespace(text, context.found);
  const target = await context.platform();
  const pipeline = await findPipeline(parsePipelineName(text, target.namespace), target.platform, signal);
  return { pipeline, target };
}

/**
 * The run of a pipeline that a text names.
 * @throws USAGE, or NOT_FOUND when there is none
 */
export function namedRun(
  text: string,
  { pipeline, target }: PipelineTarget,
  { clock, signal }: Pick<Session, 'clock' | 'signal'>,
): Promise<RunRecord> {
  return findPipelineRun(text, pipeline, { ...target, clock, signal });
}
