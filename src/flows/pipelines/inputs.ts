import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { findPipeline, findPipelineRun, type FoundPipeline } from '../../services/pipelines/find.js';

/** Refuses two flags that contradict each other. */
export function refuseBoth(onLine: ReadonlySet<string>, one: string, other: string): void {
  if (onLine.has(one) && onLine.has(other))
    throw new CliError('USAGE', `--${one} and --${other} cannot be used together`);
}

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
  if (!text.includes('/')) refuseNamespaces(context.found);
  const target = await context.platform();
  const pipeline = await findPipeline(parsePipelineName(text, target.namespace), target.platform, signal);
  return { pipeline, target };
}

/** Whether a text is a whole run id. */
export const isWholeId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text);

/**
 * The id of the run that a text names. A whole id is taken as it is: the run may not be visible yet.
 * @throws USAGE, or NOT_FOUND when there is none
 */
export async function runIdOf(
  text: string,
  { pipeline, target }: PipelineTarget,
  signal: AbortSignal,
): Promise<string> {
  if (isWholeId(text)) return text.toLowerCase();
  return (await findPipelineRun(text, pipeline, target.platform, signal)).runid;
}
