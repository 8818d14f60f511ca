import type { Platform } from '../../platform/client.js';
import { listNamespaces } from '../../platform/namespaces.js';

/** A namespace of the platform. */
export interface ListedNamespace {
  readonly name: string;
  readonly description: string;
}

/** The namespaces that the user may see, by name. */
export async function namespacesOf(platform: Platform, signal: AbortSignal): Promise<readonly ListedNamespace[]> {
  const all = await platform.call(listNamespaces, {}, signal);
  return all
    .map(({ name, description }) => ({ name, description: description ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
