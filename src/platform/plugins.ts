import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';

/** What stands for a property whose detail is not understood: nothing is demanded of it. */
const ANY_PROPERTY = { type: 'string', required: false, macroSupported: true, children: [] };

const PluginPropertyDetail = z.looseObject({
  type: z.catch(z.string(), ANY_PROPERTY.type),
  required: z.catch(z.boolean(), ANY_PROPERTY.required),
  macroSupported: z.catch(z.boolean(), ANY_PROPERTY.macroSupported),
  /** The properties that this one brings along when it is set, as a connection does; absent before 6.4. */
  children: z.catch(listOf(z.string()), ANY_PROPERTY.children),
});

const PluginVersion = z.looseObject({
  name: z.string(),
  type: z.string(),
  className: z.optional(z.string()),
  artifact: z.looseObject({ name: z.string(), version: z.string(), scope: z.enum(['SYSTEM', 'USER']) }),
  properties: z.catch(z.record(z.string(), z.catch(PluginPropertyDetail, ANY_PROPERTY)), {}),
});

/** A plugin as one version of an artifact brings it, with its properties (docs/platform.md 4). */
export type PluginVersion = z.infer<typeof PluginVersion>;

interface PluginPlace {
  readonly namespace: string;
  readonly parent: { readonly name: string; readonly version: string; readonly scope: 'SYSTEM' | 'USER' };
  readonly type: string;
  readonly plugin: string;
}

/**
 * Every version of every artifact that offers a plugin to a parent artifact, in no order to rely on. 404 when none
 * does, and without the parent.
 */
export const listPluginVersions = endpoint({
  method: 'GET',
  path: ({ namespace, parent, type, plugin }: PluginPlace) =>
    path`/v3/namespaces/${namespace}/artifacts/${parent.name}/versions/${parent.version}/extensions/${type}/plugins/${plugin}`,
  query: ({ parent }) => [['scope', parent.scope.toLowerCase()]],
  answer: json(listOf(PluginVersion), 'the versions of the plugin'),
});
