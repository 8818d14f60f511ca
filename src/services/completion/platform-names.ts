import type { Platform } from '../../platform/client.js';
import { listApplications } from '../../platform/apps.js';
import { listNamespaces } from '../../platform/namespaces.js';
import { PIPELINE_KINDS } from '../../platform/pipeline-kinds.js';

/** The names of the pipelines of a namespace, or without one of the namespaces. */
export async function namesOfPlatform(
  platform: Platform,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (namespace === undefined) return (await platform.call(listNamespaces, {}, signal)).map(({ name }) => name).sort();
  const lists = await Promise.all(
    PIPELINE_KINDS.map(({ artifact }) => platform.call(listApplications, { namespace, artifact }, signal)),
  );
  return [...new Set(lists.flat().map(({ name }) => name))].sort();
}
