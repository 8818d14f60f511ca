import * as z from 'zod/mini';
import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import type { ApplicationDetail } from '../../platform/apps.js';
import { listPluginVersions } from '../../platform/plugins.js';
import { hasMacro } from './macros.js';
import type { PreferenceDeps } from './place.js';

const CONCURRENCY = 8;
/** Actions that set arguments while the pipeline runs. */
const SETTER = /argument/iu;

const Element = z.looseObject({
  name: z.string(),
  plugin: z.looseObject({
    name: z.string(),
    type: z.string(),
    artifact: z.catch(z.optional(z.looseObject({ name: z.string(), version: z.string() })), undefined),
    properties: z.catch(z.record(z.string(), z.unknown()), {}),
  }),
});
type Element = z.infer<typeof Element>;
const elements = z.catch(z.array(z.catch(z.optional(Element), undefined)), []);
const Configuration = z.looseObject({ stages: elements, postActions: elements });

/** A property of a stage or a post-run action whose value has macros. */
export interface MacroProperty {
  readonly stage: string;
  readonly property: string;
  readonly text: string;
}

/** What a configuration has to do with arguments. */
export interface ConfiguredMacros {
  readonly properties: readonly MacroProperty[];
  /** Stages that may set arguments while the pipeline runs. */
  readonly setters: readonly string[];
}

function elementsOf({ name, configuration }: ApplicationDetail): readonly Element[] {
  const read = z.safeParse(Configuration, parseJson(Buffer.from(configuration ?? ''), 'the configuration'));
  if (!read.success)
    throw new CliError('BAD_ANSWER', `the configuration of "${name}" is not that of a pipeline`, {
      target: { pipeline: name },
    });
  return [...read.data.stages, ...read.data.postActions].flatMap((element) => element ?? []);
}

/** The properties of a plugin in which macros are not replaced. */
async function literalProperties(
  { plugin: { name, type, artifact } }: Element,
  parent: ApplicationDetail['artifact'],
  namespace: string,
  { platform }: PreferenceDeps,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const scope = parent.scope.toUpperCase() === 'SYSTEM' ? 'SYSTEM' : 'USER';
  const place = { namespace, parent: { ...parent, scope }, type, plugin: name } as const;
  const offers = (await platform.find(listPluginVersions, place, signal)) ?? [];
  const own = offers.find((offer) => offer.artifact.version === artifact?.version) ?? offers[0];
  const literal = Object.entries(own?.properties ?? {}).filter(([, { macroSupported }]) => !macroSupported);
  return new Set(literal.map(([property]) => property));
}

/**
 * The macros of a pipeline's configuration. Texts that only look like macros do not count: the platform says which
 * properties of a plugin take them.
 * @throws BAD_ANSWER or BAD_JSON where there is no configuration of a pipeline
 */
export async function configuredMacros(
  namespace: string,
  detail: ApplicationDetail,
  deps: PreferenceDeps,
): Promise<ConfiguredMacros> {
  const all = elementsOf(detail);
  const withMacros = all.filter(({ plugin }) => Object.values(plugin.properties).some(isMacroText));
  const asked = new Map<string, Promise<ReadonlySet<string>>>();
  const read = async (element: Element, signal: AbortSignal): Promise<readonly MacroProperty[]> => {
    const { name, type, artifact } = element.plugin;
    const key = JSON.stringify([name, type, artifact?.version]);
    const answer = asked.get(key) ?? literalProperties(element, detail.artifact, namespace, deps, signal);
    asked.set(key, answer);
    const literal = await answer;
    return Object.entries(element.plugin.properties).flatMap(([property, text]) =>
      isMacroText(text) && !literal.has(property) ? [{ stage: element.name, property, text }] : [],
    );
  };
  const properties: MacroProperty[] = [];
  for await (const found of mapConcurrent(withMacros, CONCURRENCY, read, deps.signal)) properties.push(...found);
  const setters = all.filter(({ plugin }) => plugin.type === 'action' && SETTER.test(plugin.name));
  return { properties, setters: setters.map(({ name }) => name) };
}

const isMacroText = (value: unknown): value is string => typeof value === 'string' && hasMacro(value);
