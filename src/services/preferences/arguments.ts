import type { ApplicationDetail } from '../../platform/apps.js';
import type { ProgramPlace } from '../../platform/runs.js';
import { configuredMacros } from './configured.js';
import { readMacros, type OpenMacro } from './macros.js';
import type { PreferenceDeps, Values } from './place.js';
import { readLayers, resolveOver, type Layer, type ResolvedValue } from './resolve.js';

/** Keys that the platform itself reads, or the emulator. */
const OF_PLATFORM = /^(?:system|task|app|program|spark|mapreduce|logical|cdap|emulator)\./u;
const OWN_LEVELS: readonly Layer['from'][] = ['app', 'program', 'run'];

/** The pipeline that arguments are for. */
export interface ArgumentsOf {
  readonly detail: ApplicationDetail;
  readonly place: ProgramPlace;
}

/** A macro that a run could not replace, and where it stands. */
export interface MissingMacro extends OpenMacro {
  readonly stage: string;
  readonly property: string;
  /** A stage that may set it while the pipeline runs; nobody can tell before. */
  readonly setBy?: string | undefined;
}

/** Arguments in force, and what they lack. */
export interface ArgumentCheck {
  readonly values: readonly ResolvedValue[];
  readonly missing: readonly MissingMacro[];
  /** Keys set for the pipeline alone that no macro uses. */
  readonly unused: readonly string[];
}

const sameMacro = (one: MissingMacro): string => JSON.stringify([one.macro, one.stage, one.property]);

/**
 * What a run would find as arguments, and the macros that have no value, nested ones too. Preferences come first, then
 * stored arguments unless `level` is `app`, then what is given for the run, then its workflow token; later ones win.
 */
export async function checkArguments(
  { detail, place }: ArgumentsOf,
  given: readonly Layer[],
  deps: PreferenceDeps,
  level: 'app' | 'program' = 'program',
): Promise<ArgumentCheck> {
  const { namespace, app, type, program } = place;
  const application = { namespace, application: app };
  const [stored, { properties, setters }] = await Promise.all([
    readLayers(level === 'app' ? { level, ...application } : { level, ...application, type, program }, deps),
    configuredMacros(namespace, detail, deps),
  ]);
  const values = resolveOver(stored, given);
  const known: Values = new Map(values.map(({ key, value }) => [key, value]));
  const used = new Set<string>();
  const missing = new Map<string, MissingMacro>();
  const [setBy] = setters;
  for (const { stage, property, text } of properties) {
    const { open, keys } = readMacros(text, known);
    for (const key of keys) used.add(key);
    // They are found from the end of the text.
    for (const macro of [...open].reverse()) {
      const one = { ...macro, stage, property, ...(setBy !== undefined && setBy !== stage && { setBy }) };
      if (!missing.has(sameMacro(one))) missing.set(sameMacro(one), one);
    }
  }
  const unused = values.filter(
    ({ key, from }) => OWN_LEVELS.includes(from) && !used.has(key) && !OF_PLATFORM.test(key),
  );
  return { values, missing: [...missing.values()], unused: unused.map(({ key }) => key) };
}
