import { join } from 'node:path';
import type { FoundSettings } from '../../cli/settings.js';
import type { Clock } from '../../core/clock.js';
import { keepNames, type NamesPlace } from '../../state/names-cache.js';

/** Most namespaces whose pipelines are kept after one list, and most pipelines of one. */
const MOST_NAMESPACES = 20;
const MOST_NAMES = 10_000;

interface Here {
  readonly found: FoundSettings;
  readonly clock: Pick<Clock, 'now'>;
}

/** Where the names of a platform are kept: its namespaces, or the pipelines of one. Undefined without a platform. */
export function namesPlace(
  { folders, settings }: FoundSettings,
  namespace: string | undefined,
): NamesPlace | undefined {
  const url = settings.url?.value;
  return url === undefined ? undefined : { folder: join(folders.cache, 'completion'), url, namespace };
}

/** Keeps names that a command has listed for completion. */
export async function keepListed(
  namespace: string | undefined,
  names: readonly string[],
  { found, clock }: Here,
): Promise<void> {
  const place = namesPlace(found, namespace);
  if (place !== undefined && names.length <= MOST_NAMES) await keepNames(place, { at: clock.now(), names });
}

/** Passes pipelines on, and keeps the names of whole namespaces once the list has come to its end. */
export async function* keepingPipelines<T extends { readonly namespace: string; readonly name: string }>(
  pipelines: AsyncIterable<T>,
  namespaces: readonly string[],
  here: Here,
): AsyncGenerator<T> {
  const names = new Map(namespaces.slice(0, MOST_NAMESPACES).map((namespace): [string, string[]] => [namespace, []]));
  for await (const pipeline of pipelines) {
    const known = names.get(pipeline.namespace);
    if (known !== undefined && known.length <= MOST_NAMES) known.push(pipeline.name);
    yield pipeline;
  }
  for (const [namespace, listed] of names) await keepListed(namespace, listed.sort(), here);
}
