import type { CommandContext } from '../../cli/context-types.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import type { ShownMacro } from '../../output/views/preferences.js';
import type { FoundPipeline } from '../../services/pipelines/find.js';
import { checkArguments, type ArgumentCheck, type MissingMacro } from '../../services/preferences/arguments.js';
import { runLayers } from '../../services/preferences/run-layers.js';
import type { Layer } from '../../services/preferences/resolve.js';
import { namedPipeline, namedRun, type PipelineTarget, type RunChoiceDeps } from '../named-pipeline.js';
import { programPlace, type ChosenPlace } from './place.js';

/** Where the stored arguments of the pipeline that a line names are. */
export async function argumentPlace(
  text: string,
  context: Pick<CommandContext, 'found' | 'platform'>,
  signal: AbortSignal,
): Promise<ChosenPlace> {
  const { target, pipeline } = await namedPipeline(text, context, signal);
  return { target, place: programPlace(pipeline) };
}

/** What a run would find, with values that are given for it; at level `app` without stored arguments. */
export function argumentsOf(
  { target, pipeline }: PipelineTarget,
  given: ReadonlyMap<string, string>,
  signal: AbortSignal,
  level: 'app' | 'program' = 'program',
): Promise<ArgumentCheck> {
  const layers: readonly Layer[] = given.size === 0 ? [] : [{ from: 'run', place: 'the line', values: given }];
  return checkArguments(pipeline, layers, { platform: target.platform, signal }, level);
}

/**
 * What a run has found as arguments. Its own count where they differ from what is stored now, then its workflow token.
 * @throws NOT_FOUND or USAGE for what names no run
 */
export async function argumentsOfRun(
  chosen: PipelineTarget,
  run: string,
  choosing: RunChoiceDeps,
): Promise<ArgumentCheck> {
  const { target, pipeline } = chosen;
  const deps = { platform: target.platform, signal: choosing.session.signal };
  const record = await namedRun(run, chosen, choosing, 'run');
  return checkArguments(pipeline, await runLayers(pipeline, record, deps), deps);
}

/**
 * Looks before a start whether every macro would have a value; `line` is that of the command. Returns what the run will
 * find.
 * @throws MACRO_MISSING names the macros that have none
 */
export async function refuseMissingMacros(
  chosen: PipelineTarget,
  given: ReadonlyMap<string, string>,
  line: readonly string[],
  signal: AbortSignal,
): Promise<ArgumentCheck> {
  const check = await argumentsOf(chosen, given, signal);
  const { missing, unused } = check;
  const shown = shownMacros(chosen.pipeline, missing);
  const failure = macroFailure(shown, 'MACRO_MISSING');
  if (failure === undefined) return check;
  const sets = setsOf(shown);
  const idle = unused.filter((key) => given.has(key));
  throw new CliError(failure.code, failure.message, {
    ...failure.details,
    lines: [...(failure.details.lines ?? []), ...(idle.length === 0 ? [] : [`no macro uses: ${idle.join(', ')}`])],
    hints: [
      ...(sets.length === 0 ? [] : [commandLine(withFlags(line, sets))]),
      ...(failure.details.hints ?? []),
      'if a stage sets them while the pipeline runs: --no-check',
    ],
  });
}

/** Macros without a value as they are shown. */
export const shownMacros = (
  { namespace, name }: Pick<FoundPipeline, 'namespace' | 'name'>,
  missing: readonly MissingMacro[],
): readonly ShownMacro[] =>
  missing.map(({ via, ...macro }) => ({ namespace, pipeline: name, ...macro, via: [...via] }));

const FAULTS = { 'no-value': 'has no value', loop: 'refers to itself', 'not-closed': 'has no closing brace' } as const;

/** What is said of a macro that a run could not replace. */
export function macroLine({ macro, fault, stage, property, via, setBy }: MissingMacro): string {
  const through = via.length === 0 ? '' : `, through ${via.join(' and ')}`;
  const maybe = setBy === undefined ? '' : `; stage ${setBy} may set it`;
  return `\${${macro}} ${FAULTS[fault]} (stage ${stage}, property ${property}${through})${maybe}`;
}

/** The flags that give each macro a value. */
const setsOf = (missing: readonly ShownMacro[]): readonly string[] =>
  [...new Set(missing.flatMap(({ macro, fault }) => (fault === 'no-value' ? [`${macro}=VALUE`] : [])))].flatMap(
    (pair) => ['--set', pair],
  );

/** The error of macros without a value; undefined where there are none. `topic` has the command that gives values. */
export function macroFailure(
  missing: readonly ShownMacro[],
  code: 'MACRO_MISSING' | 'CHECK_FAILED',
  topic: 'args' | 'preferences' = 'args',
): CliError | undefined {
  const [first] = missing;
  if (first === undefined) return undefined;
  const macros = new Set(missing.map(({ macro }) => macro));
  const pipelines = [...new Set(missing.map(({ namespace, pipeline }) => `${namespace}/${pipeline}`))];
  const where = pipelines.length === 1 ? `pipeline ${pipelines.join()}` : `${pipelines.length} pipelines`;
  const verb = macros.size === 1 ? 'has' : 'have';
  const hints = pipelines.slice(0, 3).map((pipeline) => {
    const sets = setsOf(missing.filter((one) => `${one.namespace}/${one.pipeline}` === pipeline));
    return commandLine([topic, ...(sets.length === 0 ? ['explain', pipeline] : ['set', pipeline, ...sets])]);
  });
  return new CliError(code, `${counted(macros.size, 'macro')} of ${where} ${verb} no value`, {
    lines: missing.map((one) => (pipelines.length > 1 ? `${one.namespace}/${one.pipeline}: ` : '') + macroLine(one)),
    hints,
    item: { missing },
  });
}
