import { CliError } from '../../core/errors.js';
import { findPipelineRun } from '../../services/pipelines/find.js';
import { isWholeId } from '../../services/pipelines/find-run.js';
import type { PipelineTarget } from '../named-pipeline.js';

/** Refuses two flags that contradict each other. */
export function refuseBoth(onLine: ReadonlySet<string>, one: string, other: string): void {
  if (onLine.has(one) && onLine.has(other))
    throw new CliError('USAGE', `--${one} and --${other} cannot be used together`);
}

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
