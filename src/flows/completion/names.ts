import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import type { NameKind } from './word.js';
import { namesOfPlatform } from '../../services/completion/platform-names.js';
import { loadCatalog } from '../../services/catalog/load.js';
import { keepNames, keptNames } from '../../state/names-cache.js';
import { namesPlace } from './kept-names.js';
import { knownContexts } from '../settings/connections.js';
import { configuredHubs } from '../../config/target.js';

/** Milliseconds for which the Tab key waits for a network. */
const LIMIT = 200;
/** Milliseconds for which names are taken as they were kept. */
const FRESH = 60_000;

type Here = Pick<Session, 'clock' | 'signal'>;
type Deps = Pick<CommandContext, 'found' | 'hubs' | 'platform'>;

async function packages(context: Deps, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for (const hub of await context.hubs()) {
    const loaded = await loadCatalog(hub, signal).catch(() => undefined);
    for (const { name } of loaded?.catalog.entries ?? []) names.push(name);
  }
  return names;
}

async function ofPlatform(
  namespace: string | undefined,
  context: Deps,
  { clock, signal }: Here,
): Promise<readonly string[]> {
  const { settings } = context.found;
  const place = namesPlace(context.found, namespace);
  if (place === undefined) return [];
  const kept = await keptNames(place);
  const isFresh = kept !== undefined && clock.now() - kept.at < FRESH;
  // A program may ask somebody for something, which nobody expects of the Tab key.
  if (isFresh || settings.tokenCommand !== undefined || settings.tokenFile?.value === '-') return kept?.names ?? [];
  const asked = context.platform().then(({ platform }) => namesOfPlatform(platform, namespace, signal));
  const read = await Promise.race([asked.catch(() => undefined), clock.sleep(LIMIT, signal).then(() => undefined)]);
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

/** The names of things of a kind. They come from this machine, or are asked for within 200 ms. */
export async function namesOf(kind: NameKind, typed: string, context: Deps, here: Here): Promise<readonly string[]> {
  switch (kind) {
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
  }
}
