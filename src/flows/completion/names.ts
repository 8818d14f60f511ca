import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { Wanted } from './word.js';
import { LEVELS } from '../../flags/preferences.js';
import { namesOfPlatform } from '../../services/completion/platform-names.js';
import { loadCatalog } from '../../services/catalog/load.js';
import { keepNames, keptNames } from '../../state/names-cache.js';
import { choosePlace } from '../preferences/place.js';
import { settingNames } from '../settings/config-names.js';
import { argumentsOf } from '../preferences/arguments.js';
import { namedPipeline } from '../named-pipeline.js';
import { pipelineRunRecords } from '../../services/pipelines/list-runs.js';
import { readPreferences } from '../../services/preferences/place.js';
import { namesPlace } from './kept-names.js';
import { knownContexts } from '../settings/connections.js';
import { configuredHubs } from '../../config/target.js';

/** Milliseconds for which the Tab key waits for a network. */
const LIMIT = 200;
/** Milliseconds for which names are taken as they were kept. */
const FRESH = 60_000;
/** Runs that are offered, newest first. */
const RUNS = 20;

type Here = Pick<Session, 'clock' | 'signal'>;
type WantedNames = Extract<Wanted, { readonly kind: 'names' }>;
type Deps = Pick<CommandContext, 'found' | 'hubs' | 'platform'>;

/** The packages of the catalogs that are stored here; no hub is asked. */
async function packages(context: Deps, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for (const hub of await context.hubs()) {
    const loaded = await loadCatalog({ ...hub, offline: true }, signal).catch(() => undefined);
    for (const { name } of loaded?.catalog.entries ?? []) names.push(name);
  }
  return names;
}

/** What the platform answers at once. Undefined where it is too slow, fails, or may not be asked. */
async function soon(
  ask: () => Promise<readonly string[]>,
  { found: { settings } }: Deps,
  { clock, signal }: Here,
): Promise<readonly string[] | undefined> {
  // A program may ask somebody for something, which nobody expects of the Tab key.
  if (settings.tokenCommand !== undefined || settings.tokenFile?.value === '-') return undefined;
  return Promise.race([ask().catch(() => undefined), clock.sleep(LIMIT, signal).then(() => undefined)]);
}

async function ofPlatform(
  namespace: string | undefined,
  context: Deps,
  { clock, signal }: Here,
): Promise<readonly string[]> {
  const place = namesPlace(context.found, namespace);
  if (place === undefined) return [];
  const kept = await keptNames(place);
  if (kept !== undefined && clock.now() - kept.at < FRESH) return kept.names;
  const ask = async () => namesOfPlatform((await context.platform()).platform, namespace, signal);
  const read = await soon(ask, context, { clock, signal });
  if (read === undefined) return kept?.names ?? [];
  await keepNames(place, { at: clock.now(), names: read });
  return read;
}

/** Pipelines as `[NS/]NAME`, of the namespace that is typed or of the one in force. */
async function pipelines(typed: string, context: Deps, here: Here): Promise<readonly string[]> {
  const [namespace, name] = typed.split('/');
  if (name === undefined || namespace === undefined)
    return ofPlatform(context.found.settings.namespace?.value ?? 'default', context, here);
  return (await ofPlatform(namespace, context, here)).map((one) => `${namespace}/${one}`);
}

/** What one pipeline has: runs, or arguments as `KEY=`. */
async function ofPipeline(of: 'run' | 'argument', name: string, context: Deps, here: Here) {
  const { signal } = here;
  const ask = async (): Promise<readonly string[]> => {
    const chosen = await namedPipeline(name, context, signal);
    if (of === 'argument') {
      const { values, missing } = await argumentsOf(chosen, new Map(), signal);
      return [...missing.map(({ macro }) => macro), ...values.map(({ key }) => key)].map((key) => `${key}=`);
    }
    const wanted = { statuses: [], limit: RUNS };
    const ids: string[] = [];
    for await (const { runid } of pipelineRunRecords(chosen.pipeline.place, wanted, chosen.target.platform, signal))
      ids.push(runid);
    return ids;
  };
  const read = (await soon(ask, context, here)) ?? [];
  return of === 'run' ? ['latest', ...read] : read;
}

/** The keys that are set in a place. */
async function keysOf({ pipeline, level: word }: WantedNames, context: Deps, signal: AbortSignal) {
  const level = LEVELS.find((one) => one === word);
  const { place, target } = await choosePlace({ pipeline, level }, 'app', context, signal);
  return [...(await readPreferences(place, { platform: target.platform, signal })).keys()];
}

/** The names of things of a kind. They come from this machine, or are asked for within 200 ms. */
export async function namesOf(
  wanted: WantedNames,
  typed: string,
  context: Deps,
  here: Here,
): Promise<readonly string[]> {
  const { of, pipeline } = wanted;
  switch (of) {
    case 'context':
      return knownContexts(context.found).map(({ name }) => name);
    case 'hub':
      return configuredHubs(context.found.sources).flatMap(({ name }) => name ?? []);
    case 'package':
      return packages(context, here.signal);
    case 'namespace':
      return ofPlatform(undefined, context, here);
    case 'pipeline':
      return pipelines(typed, context, here);
    case 'setting':
      return settingNames(context.found);
    case 'key':
      return (await soon(() => keysOf(wanted, context, here.signal), context, here)) ?? [];
    case 'run':
    case 'argument':
      return pipeline === undefined ? [] : ofPipeline(of, pipeline, context, here);
  }
}
