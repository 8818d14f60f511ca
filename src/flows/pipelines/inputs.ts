import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isWholeId } from '../../services/pipelines/find-run.js';
import { namedRun, type PipelineTarget } from '../named-pipeline.js';

/** Refuses two flags that contradict each other. */
export function refuseBoth(onLine: ReadonlySet<string>, one: string, other: string): void {
  if (onLine.has(one) && onLine.has(other))
    throw new CliError('USAGE', `--${one} and --${other} cannot be used together`);
}

/**
 * The id of the run that a text names. A whole id is taken as it is: what waits for the run looks for it.
 * @throws USAGE, or NOT_FOUND when there is none
 */
export async function runIdOf(
  text: string,
  chosen: PipelineTarget,
  session: Pick<Session, 'clock' | 'signal'>,
): Promise<string> {
  return isWholeId(text) ? text.toLowerCase() : (await namedRun(text, chosen, session)).runid;
}
