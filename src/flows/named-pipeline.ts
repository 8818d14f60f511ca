import type { CommandContext, PlatformPlace } from '../cli/context-types.js';
import { refuseOtherNamespace } from '../cli/settings.js';
import type { Session } from '../cli/session.js';
import { onePipeline } from '../core/pipeline-pattern.js';
import type { RunRecord } from '../platform/runs.js';
import { parsePipelineName } from '../services/metrics/pipeline.js';
import { findPipeline, findPipelineRun, type FoundPipeline } from '../services/pipelines/find.js';
import { withOneMeant, type ChoiceDeps } from './one-meant.js';

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

/** What finding a run of the line needs of a command. */
export interface RunChoiceDeps extends ChoiceDeps {
  readonly session: ChoiceDeps['session'] & Pick<Session, 'clock' | 'signal'>;
}

/**
 * The run that a word of the line names. The word is an argument, or the value of `flag`; a person chooses where it
 * fits several.
 * @throws USAGE, or NOT_FOUND when there is none
 */
export function namedRun(
  word: string,
  { pipeline, target }: PipelineTarget,
  choosing: RunChoiceDeps,
  flag?: string,
): Promise<RunRecord> {
  const { clock, signal } = choosing.session;
  return withOneMeant(word, (text) => findPipelineRun(text, pipeline, { ...target, clock, signal }), choosing, flag);
}
