import { closest, didYouMean } from '../../core/closest.js';
import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { fitsAny, isOneName, namespacesOfPatterns, type PipelineName } from '../../core/pipeline-pattern.js';
import { applicationPages } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { listNamespaces } from '../../platform/namespaces.js';
import { checkNamespaces } from './runs/known-namespaces.js';

const NAMESPACES_AT_ONCE = 8;

/** The values of filters that keep the runs of some pipelines. */
export interface PipelineValues {
  /** Undefined: all that the line is about; none: all. */
  readonly namespace?: readonly string[];
  readonly applicationName: readonly string[];
  /** `NS/NAME` of each, where namespaces and names alone would also keep runs of others. */
  readonly pipeline: readonly string[];
}

/** Patterns `[NS/]GLOB`, and the namespaces that those without one are about; none: all. */
export interface WantedPipelines {
  readonly patterns: readonly string[];
  readonly within: readonly string[];
  /** The namespaces that a pattern with one of its own may not leave; all, if undefined. */
  readonly boundTo?: readonly string[] | undefined;
}

/**
 * Finds the pipelines of a report by name or pattern, in the lists of the namespaces. The platform takes no patterns.
 * @throws NOT_FOUND for a pattern that matches none
 */
export async function choosePipelines(
  { patterns, within, boundTo }: WantedPipelines,
  platformOf: () => Promise<Platform>,
  signal: AbortSignal,
): Promise<PipelineValues> {
  const [only = ''] = patterns;
  if (patterns.every((pattern) => isOneName(pattern) && !pattern.includes('/')))
    return { applicationName: patterns, pipeline: [] };
  if (patterns.length === 1 && isOneName(only)) {
    const [namespace = '', name = ''] = only.split('/');
    return { namespace: [namespace], applicationName: [name], pipeline: [] };
  }
  const whole = patterns.map((pattern) => wholePatterns(pattern, within));
  const seen = await pipelinesOf(whole.flat(), await platformOf(), signal);
  const all = seen.filter(({ namespace }) => boundTo?.includes(namespace) !== false);
  for (const [at, wanted] of whole.entries())
    if (!all.some((one) => fitsAny(wanted, one))) throw noPipeline(patterns[at] ?? '', wanted, all);
  const { applicationName, ...values } = valuesOf(whole.flat(), all);
  const isAnywhere = patterns.every((pattern) => pattern.startsWith('*/'));
  return isAnywhere ? { namespace: boundTo ?? [], applicationName, pipeline: [] } : { ...values, applicationName };
}

/** A pattern with its namespace. */
function wholePatterns(pattern: string, within: readonly string[]): readonly string[] {
  if (pattern.includes('/')) return [pattern];
  return (within.length === 0 ? ['*'] : within).map((namespace) => `${namespace}/${pattern}`);
}

/** Every application of the namespaces that the patterns are about. */
async function pipelinesOf(
  patterns: readonly string[],
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly PipelineName[]> {
  const named = patterns.filter((pattern) => !/^[^/]*[*?]/u.test(pattern));
  const whitelist = namespacesOfPatterns(named, []) ?? [];
  await checkNamespaces(platform, { filters: [{ fieldName: 'namespace', whitelist }] }, signal);
  const listed = named.length === patterns.length ? [] : await platform.call(listNamespaces, {}, signal);
  const seen = listed.map(({ name }) => name).filter((name) => fitsAny(anywhere(patterns), { namespace: name, name }));
  const found: PipelineName[] = [];
  const look = (namespace: string, each: AbortSignal): Promise<readonly PipelineName[]> =>
    namesIn(namespace, platform, each);
  const namespaces = new Set([...whitelist, ...seen]);
  for await (const names of mapConcurrent(namespaces, NAMESPACES_AT_ONCE, look, signal)) found.push(...names);
  return found;
}

async function namesIn(namespace: string, platform: Platform, signal: AbortSignal): Promise<readonly PipelineName[]> {
  const names: PipelineName[] = [];
  for await (const records of applicationPages({ namespace }, platform, signal))
    names.push(...records.map(({ name }) => ({ namespace, name })));
  return names;
}

/** The same patterns with any name of a pipeline. */
const anywhere = (patterns: readonly string[]): readonly string[] =>
  patterns.map((pattern) => pattern.replace(/\/.*$/u, '/*'));

const sorted = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].sort();

function valuesOf(patterns: readonly string[], all: readonly PipelineName[]): PipelineValues {
  const chosen = all.filter((one) => fitsAny(patterns, one));
  const namespace = sorted(chosen.map((one) => one.namespace));
  const applicationName = sorted(chosen.map(({ name }) => name));
  // Also what was deleted since: the platform still has its runs.
  const isExact = namespace.every((space) =>
    applicationName.every((name) => fitsAny(patterns, { namespace: space, name })),
  );
  if (patterns.every((pattern) => pattern.startsWith('*/'))) return { applicationName, pipeline: [] };
  const pairs = isExact ? [] : sorted(chosen.map((one) => `${one.namespace}/${one.name}`));
  return { namespace, applicationName, pipeline: pairs };
}

function noPipeline(pattern: string, wanted: readonly string[], all: readonly PipelineName[]): CliError {
  const namespaces = namespacesOfPatterns(wanted, []) ?? [];
  const [namespace, ...others] = namespaces;
  const isWhole = pattern.includes('/');
  const known = all
    .filter((one) => fitsAny(anywhere(wanted), one))
    .map((one) => (isWhole ? `${one.namespace}/${one.name}` : one.name));
  const isOne = namespace !== undefined && others.length === 0;
  const where = isOne ? `namespace "${namespace}" has no` : 'no namespace has a';
  return new CliError('NOT_FOUND', `${where} pipeline "${pattern}"`, {
    hints: didYouMean(closest(pattern, known)),
    target: { ...(isOne && { namespace }), pipeline: pattern },
  });
}
