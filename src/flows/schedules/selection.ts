import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { refuseNamespaces, refuseOtherNamespace } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { isOneName, namespacesOfPatterns, onePipeline } from '../../core/pipeline-pattern.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { readPipeline } from '../../services/pipelines/find.js';
import type { ScheduleSelection } from '../../services/schedules/find.js';
import { selectNamespaces } from '../../services/upgrade/plan/select.js';

/** What a line chooses. */
export interface ChosenWords {
  readonly pipelines: readonly string[];
  readonly match: readonly string[];
  readonly all: boolean;
}

/** The schedules that are meant, and on which platform. */
export interface ChosenSchedules {
  readonly target: PlatformPlace;
  readonly selection: ScheduleSelection;
}

type SelectionContext = Pick<CommandContext, 'found' | 'platform'>;

/** Refuses a line that chooses in no way or in several. */
function refuseUnclear({ pipelines, match, all }: ChosenWords): void {
  const ways = [pipelines.length > 0, match.length > 0, all].filter(Boolean).length;
  if (ways === 1) return;
  const why = ways === 0 ? 'no schedules selected' : 'schedules can be selected in one way only';
  throw new CliError('USAGE', `${why}: specify pipelines, -p or -A`, { hints: ['cdapctl schedule list'] });
}

/**
 * The schedules that are to be changed. With `-A` and a namespace on the line all of that namespace.
 * @throws USAGE for an unclear line, NOT_FOUND for a pipeline or a namespace that is not there
 */
export async function chooseSchedules(
  words: ChosenWords,
  context: SelectionContext,
  onLine: ReadonlySet<string>,
  signal: AbortSignal,
  ofNamespace = '-A -n',
): Promise<ChosenSchedules> {
  const { pipelines, match } = words;
  // A variable that means all is for lists; what the line chooses wins.
  const all = words.all && (onLine.has('all-namespaces') || (pipelines.length === 0 && match.length === 0));
  refuseUnclear({ pipelines, match, all });
  const names = pipelines.map(onePipeline);
  for (const name of [...names, ...match]) refuseOtherNamespace(name, context.found);
  if (all && onLine.has('namespace')) refuseNamespaces(context.found);
  const target = await context.platform();
  const own = target.namespace;
  const patterns = [...names, ...match].map((one) => (one.includes('/') ? one : `${own}/${one}`));
  for (const pipeline of patterns.filter(isOneName)) {
    const { namespace, name } = parsePipelineName(pipeline, own);
    await readPipeline({ namespace, name }, target.platform, signal).catch(async (error: unknown) => {
      throw await orNamespace(error, name, `${ofNamespace} ${name}`, target, signal);
    });
  }
  const wanted = all ? (onLine.has('namespace') ? [own] : undefined) : namespacesOfPatterns(patterns, [own]);
  return { target, selection: { namespaces: await namespacesNamed(wanted, target, signal), patterns } };
}

/** The error of a pipeline that is not there. Where its name is that of a namespace, that may be meant. */
async function orNamespace(
  error: unknown,
  name: string,
  flags: string,
  { platform }: PlatformPlace,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') return error;
  const isNamespace = await selectNamespaces(name, platform, signal).then(
    () => true,
    () => false,
  );
  if (!isNamespace) return error;
  const hints = [`for all schedules of namespace ${name}: ${flags}`, ...(error.details.hints ?? [])];
  return new CliError(error.code, error.message, { ...error.details, hints });
}

/** The namespaces of a selection, each of which has to exist; undefined: all. */
async function namespacesNamed(
  wanted: readonly string[] | undefined,
  { platform }: PlatformPlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (wanted === undefined) return selectNamespaces(undefined, platform, signal);
  return (await Promise.all(wanted.map((name) => selectNamespaces(name, platform, signal)))).flat();
}

/**
 * The schedules to list: of a pipeline, of those that fit a pattern, of the namespace, or of all.
 * @throws USAGE where a pipeline is named and all are meant
 */
export async function listedSchedules(
  { pipelines, match, all }: ChosenWords,
  context: SelectionContext,
  signal: AbortSignal,
): Promise<ChosenSchedules> {
  if (pipelines.length > 0 && all)
    throw new CliError('USAGE', 'a pipeline and --all-namespaces cannot be used together');
  const words = {
    pipelines,
    match: all ? match.map((pattern) => (pattern.includes('/') ? pattern : `*/${pattern}`)) : match,
    all: pipelines.length === 0 && match.length === 0,
  };
  return chooseSchedules(words, context, new Set(all ? [] : ['namespace']), signal, '-n');
}
