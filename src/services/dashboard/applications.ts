import { mapConcurrent } from '../../core/concurrency.js';
import { CliError, type ErrorCode } from '../../core/errors.js';
import { fitsPattern, type PipelineName } from '../../core/pipeline-pattern.js';
import { applicationPages, type ApplicationRecord } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { otherPipelines } from '../../platform/other-pipelines.js';

const NAMESPACES_AT_ONCE = 8;
/** Errors of one answer, behind which the pipeline may be. */
const HIDDEN: readonly ErrorCode[] = ['FORBIDDEN', 'REMOTE_FAILED', 'BAD_ANSWER'];

/** The applications of a namespace that are made from any of the artifacts (none: all), page by page. */
export async function* applicationsOf(
  namespace: string,
  artifacts: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<ApplicationRecord> {
  for await (const records of applicationPages({ namespace, artifacts }, platform, signal)) yield* records;
}

/**
 * Refuses a pattern that no application of the namespaces fits. Where one of them cannot be listed, it may be there,
 * which `mustSee` takes for an error.
 * @throws NOT_FOUND with the name that was perhaps meant
 */
export async function checkPipeline(
  { pipeline, mustSee }: { readonly pipeline: string; readonly mustSee: boolean },
  namespaces: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<void> {
  const names = new Set<string>();
  const look = async (namespace: string, stop: AbortSignal): Promise<readonly PipelineName[]> => {
    const found: PipelineName[] = [];
    for await (const { name } of applicationsOf(namespace, [], platform, stop)) found.push({ namespace, name });
    return found;
  };
  try {
    for await (const found of mapConcurrent(namespaces, NAMESPACES_AT_ONCE, look, signal)) {
      if (found.some((one) => fitsPattern(pipeline, one))) return;
      for (const { namespace, name } of found) names.add(pipeline.includes('/') ? `${namespace}/${name}` : name);
    }
  } catch (error) {
    if (error instanceof CliError && HIDDEN.includes(error.code) && !mustSee) return;
    throw error;
  }
  const [namespace, ...others] = namespaces;
  const isOne = namespace !== undefined && others.length === 0;
  const where = isOne ? `namespace "${namespace}" has no` : 'no namespace has a';
  throw new CliError('NOT_FOUND', `${where} pipeline "${pipeline}"`, {
    hints: await otherPipelines({ pattern: pipeline, namespaces, known: names }, platform, signal),
    target: { ...(isOne && { namespace }), pipeline },
  });
}
