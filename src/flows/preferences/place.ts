import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { refuseNamespaces, refuseOtherNamespace } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import type { Level, PreferencePlace } from '../../platform/preferences.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { readPipeline, type FoundPipeline } from '../../services/pipelines/find.js';
import { namedPipeline } from '../named-pipeline.js';

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
    throw new CliError('USAGE', `--level ${level} takes no pipeline`, {
      hints: ['--level app, or --level program'],
    });
  return level;
}

/** Where the stored arguments of a pipeline are. */
export function programPlace({ place }: Pick<FoundPipeline, 'place'>): PreferencePlace {
  const { namespace, app: application, type, program } = place;
  return { level: 'program', namespace, application, type, program };
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
  const { pipeline } = words;
  if (pipeline !== undefined && level === 'program') {
    const named = await namedPipeline(pipeline, context, signal);
    return { target: named.target, place: programPlace(named.pipeline) };
  }
  const name = pipeline === undefined ? undefined : onePipeline(pipeline);
  if (name !== undefined) refuseOtherNamespace(name, context.found);
  else if (level === 'namespace') refuseNamespaces(context.found);
  const target = await context.platform();
  if (name === undefined)
    return { target, place: level === 'instance' ? { level } : { level: 'namespace', namespace: target.namespace } };
  const { namespace, name: application } = parsePipelineName(name, target.namespace);
  await readPipeline({ namespace, name: application }, target.platform, signal);
  return { target, place: { level: 'app', namespace, application } };
}
