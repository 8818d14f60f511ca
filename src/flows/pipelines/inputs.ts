import { CliError } from '../../core/errors.js';
import { isWholeId } from '../../services/pipelines/find-run.js';
import { namedRun } from '../named-pipeline.js';
import type { Operation } from './operate.js';

/** Refuses two flags that contradict each other. */
export function refuseBoth(onLine: ReadonlySet<string>, one: string, other: string): void {
  if (onLine.has(one) && onLine.has(other))
    throw new CliError('USAGE', `--${one} and --${other} cannot be used together`);
}

/**
 * The id of the run that a text names. A whole id is taken as it is: what waits for the run looks for it.
 * @throws USAGE, or NOT_FOUND when there is none
 */
export async function runIdOf(text: string, operation: Operation): Promise<string> {
  if (isWholeId(text)) return text.toLowerCase();
  return (await namedRun(text, operation, operation)).runid;
}
