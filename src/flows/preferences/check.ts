import type { CommandContext } from '../../cli/context-types.js';
import type { ShownMacro } from '../../output/views/preferences.js';
import { namedPipeline } from '../named-pipeline.js';
import { argumentsOf, macroFailure, shownMacros } from './arguments.js';
import { valuesIfAny } from './input.js';

/** The pipelines and values of a line that checks macros. */
interface MacroCheck {
  readonly pipelines: readonly string[];
  readonly flags: Parameters<typeof valuesIfAny>[0] & { readonly ignore?: readonly string[] | undefined };
  /** Whose values count: those of a run, or without stored arguments. */
  readonly topic: 'args' | 'preferences';
}

/**
 * Checks that every macro of some pipelines would have a value; returns none without one. Input is read before the
 * context is opened.
 * @throws CHECK_FAILED names the macros that have none
 */
export async function checkMacros(
  { pipelines, flags, topic }: MacroCheck,
  open: () => Promise<Pick<CommandContext, 'found' | 'platform'>>,
  signal: AbortSignal,
): Promise<readonly ShownMacro[]> {
  const { ignore = [] } = flags;
  const given = await valuesIfAny(flags, signal);
  const context = await open();
  const items: ShownMacro[] = [];
  for (const name of pipelines) {
    const chosen = await namedPipeline(name, context, signal);
    const { missing } = await argumentsOf(chosen, given, signal, topic === 'args' ? 'program' : 'app');
    items.push(...shownMacros(chosen.pipeline, missing).filter(({ macro }) => !ignore.includes(macro)));
  }
  const failure = macroFailure(items, 'CHECK_FAILED', topic);
  if (failure !== undefined) throw failure;
  return items;
}
