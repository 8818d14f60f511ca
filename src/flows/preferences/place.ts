import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import type { Level, PreferencePlace } from '../../platform/preferences.js';
import { findPipeline, parsePipelineName } from '../../services/metrics/pipeline.js';

/** Where values are, and on which platform. */
export interface ChosenPlace {
  readonly target: PlatformPlace;
  readonly place: PreferencePlace;
}

type PlaceContext = Pick<CommandContext, 'found' | 'platform'>;

/** What a line says about the place. */
export interface PlaceWords {
  readonly pipeline?: string | undefined;
  readonly level?: Level | undefined;
}

function levelOf({ pipeline, level }: PlaceWords, otherwise: Level): Level {
  if (level === undefined) return pipeline === undefined ? 'namespace' : otherwise;
  const isOfPipeline = level === 'app' || level === 'program';
  if (isOfPipeline && pipeline === undefined)
    throw new CliError('USAGE', `--level ${level} needs a pipeline`, { hints: [`PIPELINE --level ${level}`] });
  if (!isOfPipeline && pipeline !== undefined)
    throw new CliError('USAGE', `--level ${level} is not about a pipeline`, {
      hints: ['--level app, or --level program'],
    });
  return level;
}

/**
 * The place that a line names; `otherwise` is the level of a pipeline where none is given.
 * @throws USAGE where level and pipeline do not fit, NOT_FOUND for a pipeline that is not there
 */
export async function choosePlace(
  words: PlaceWords,
  otherwise: Level,
  context: PlaceContext,
  signal: AbortSignal,
): Promise<ChosenPlace> {
  const level = levelOf(words, otherwise);
  const name = words.pipeline === undefined ? undefined : onePipeline(words.pipeline);
  if (level !== 'instance') refuseNamespaces(context.found);
  const target = await context.platform();
  if (level === 'instance') return { target, place: { level } };
  if (name === undefined) return { target, place: { level: 'namespace', namespace: target.namespace } };
  const found = await findPipeline(parsePipelineName(name, target.namespace), target.platform, signal);
  const { namespace, name: application, program } = found;
  if (level !== 'program') return { target, place: { level: 'app', namespace, application } };
  if (program === undefined)
    throw new CliError('NOT_FOUND', `application "${application}" has no pipeline program`, {
      hints: ['--level app'],
      target: { namespace, pipeline: application },
    });
  return { target, place: { level, namespace, application, type: program.type, program: program.name } };
}
