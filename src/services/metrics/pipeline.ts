import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import type { ApplicationDetail } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { PIPELINE_KINDS } from '../../platform/pipeline-kinds.js';
import { readPipeline } from '../pipelines/find.js';

/**
 * The program whose runs are the runs of a pipeline. `type` is its word in paths, `tag` its name as a tag of metrics.
 */
export interface PipelineProgram {
  readonly type: 'workflows' | 'spark';
  readonly name: string;
  readonly tag: 'workflow' | 'spark';
}

const PROGRAMS: readonly PipelineProgram[] = PIPELINE_KINDS.map(({ path, program }) => ({
  type: path,
  name: program,
  tag: path === 'workflows' ? 'workflow' : 'spark',
}));

/** A pipeline, or another application, as its metrics need it. */
export interface MetricPipeline {
  readonly namespace: string;
  readonly name: string;
  /** Of the application; undefined where the platform names none. */
  readonly version: string | undefined;
  /** Undefined for an application that is not a pipeline. */
  readonly program: PipelineProgram | undefined;
  /** Names of its stages in the order of the configuration; undefined where it has none that can be read. */
  readonly stages: readonly string[] | undefined;
}

const Configuration = z.looseObject({ stages: z.array(z.looseObject({ name: z.string() })) });

/**
 * The namespace and the name that `[NAMESPACE/]NAME` stands for.
 * @throws USAGE for anything else
 */
export function parsePipelineName(
  text: string,
  namespace: string,
): { readonly namespace: string; readonly name: string } {
  const parts = text.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 80))} is not a pipeline`, {
      hints: ['use NAME or NAMESPACE/NAME'],
    });
  const [first = '', second] = parts;
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}

/**
 * Reads what metrics need of a pipeline.
 * @throws NOT_FOUND with the name that was perhaps meant
 */
export async function findPipeline(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  platform: Platform,
  signal: AbortSignal,
): Promise<MetricPipeline> {
  const detail = await readPipeline({ namespace, name }, platform, signal);
  const programs = (detail.programs ?? []).map((program) => program.name);
  const program = PROGRAMS.find((known) => programs.includes(known.name));
  return { namespace, name, version: detail.appVersion, program, stages: stagesOf(detail) };
}

/** The names of the stages as the configuration of an application has them. */
export function stagesOf({ configuration }: Pick<ApplicationDetail, 'configuration'>): readonly string[] | undefined {
  try {
    const parsed = z.safeParse(Configuration, parseJson(Buffer.from(configuration ?? ''), 'the configuration'));
    return parsed.success ? [...new Set(parsed.data.stages.map(({ name }) => name))] : undefined;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
