import { CliError } from './errors.js';
import { matchesGlob } from './glob.js';

/** Where a pipeline is and how it is called. */
export interface PipelineName {
  readonly namespace: string;
  readonly name: string;
}

const PATTERN = /^(?:[\w*?-]+\/)?[\w*?-]+$/u;
const ONE = /^(?:[\w-]+\/)?[\w-]+$/u;
const isGlob = (text: string): boolean => /[*?]/u.test(text);

/** The namespace of a pattern `[NS/]GLOB`; undefined where it names none. */
const namespaceOf = (pattern: string): string | undefined => /^(.*)\//u.exec(pattern)?.[1];

/** Whether a pattern `[NS/]GLOB` fits nothing but one name. */
export const isOneName = (pattern: string): boolean => !isGlob(pattern);

/**
 * The pattern itself, if it can fit a pipeline.
 * @throws USAGE for any other text
 */
export function pipelinePattern(text: string): string {
  if (PATTERN.test(text)) return text;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 80))} is not a pipeline`, {
    hints: [{ next: 'write-pattern' }],
  });
}

/**
 * The text itself, if it is `[NS/]NAME` of one pipeline.
 * @throws USAGE before anything is asked for what no platform takes as a name
 */
export function onePipeline(text: string): string {
  if (ONE.test(text)) return text;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 80))} is not a pipeline`, {
    hints: [isGlob(text) ? 'specify one pipeline, without * and ?' : 'use NAME or NAMESPACE/NAME'],
  });
}

/** Whether a pipeline fits a pattern `[NS/]GLOB`. */
export function fitsPattern(pattern: string, { namespace, name }: PipelineName): boolean {
  const within = namespaceOf(pattern);
  return within === undefined
    ? matchesGlob(pattern, name)
    : matchesGlob(within, namespace) && matchesGlob(pattern.slice(within.length + 1), name);
}

/** Whether a pipeline fits one of the patterns, or there is none. */
export const fitsAny = (patterns: readonly string[], pipeline: PipelineName): boolean =>
  patterns.length === 0 || patterns.some((pattern) => fitsPattern(pattern, pipeline));

/**
 * The namespaces that patterns are about. `otherwise` stands for those that name none, and undefined for all that can
 * be seen.
 */
export function namespacesOfPatterns(
  patterns: readonly string[],
  otherwise: readonly string[] | undefined,
): readonly string[] | undefined {
  const named = patterns.map((pattern) => namespaceOf(pattern));
  if (named.some((namespace) => namespace !== undefined && isGlob(namespace))) return undefined;
  if (patterns.length > 0 && !named.includes(undefined))
    return [...new Set(named.flatMap((namespace) => namespace ?? []))];
  if (otherwise === undefined) return undefined;
  return [...new Set([...otherwise, ...named.flatMap((namespace) => namespace ?? [])])];
}
