import { closest, didYouMean } from '../core/closest.js';
import { mapConcurrent } from '../core/concurrency.js';
import { CliError } from '../core/errors.js';
import type { Hint } from '../core/next-step.js';
import { matchesGlob } from '../core/glob.js';
import { applicationPages } from './apps.js';
import type { Platform } from './client.js';
import { listNamespaces } from './namespaces.js';

const AT_ONCE = 8;
/** So many other namespaces are looked through, and so many of them named. */
const [MOST_LOOKED_THROUGH, MOST_NAMED] = [40, 3];

/** What was looked for and where; `known` are the names that are there. */
export interface UnknownPipeline {
  /** `[NS/]GLOB`. */
  readonly pattern: string;
  readonly namespaces: readonly string[];
  readonly known: Iterable<string>;
}

/**
 * Hints for a pipeline name that does not exist. They suggest a similar name, here or in another namespace, else the
 * command that lists pipelines.
 */
export async function otherPipelines(
  { pattern, namespaces, known }: UnknownPipeline,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly Hint[]> {
  const elsewhere = pattern.includes('/') ? [] : await namespacesWith(pattern, namespaces, platform, signal);
  const hints = didYouMean(closest(pattern, known), ...elsewhere.map((namespace) => `${namespace}/${pattern}`));
  const [namespace, ...others] = namespaces;
  if (hints.length > 0) return hints;
  return [{ next: 'list-pipelines', namespace: others.length > 0 ? undefined : namespace }];
}

/** Some of the other namespaces that have a fitting pipeline; one that cannot be seen has none. */
async function namespacesWith(
  pattern: string,
  namespaces: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (namespace: string, stop: AbortSignal): Promise<string | undefined> => {
    try {
      for await (const records of applicationPages({ namespace }, platform, stop))
        if (records.some(({ name }) => matchesGlob(pattern, name))) return namespace;
    } catch (error) {
      if (!(error instanceof CliError) || signal.aborted) throw error;
    }
    return undefined;
  };
  const all = await platform.find(listNamespaces, {}, signal).catch((error: unknown) => {
    // a hint must not take the place of the error that it belongs to
    if (!(error instanceof CliError) || signal.aborted) throw error;
    return [];
  });
  const others = (all ?? []).map(({ name }) => name).filter((name) => !namespaces.includes(name));
  for await (const namespace of mapConcurrent(others.slice(0, MOST_LOOKED_THROUGH), AT_ONCE, look, signal)) {
    if (namespace !== undefined) found.push(namespace);
    if (found.length === MOST_NAMED) break;
  }
  return found;
}
