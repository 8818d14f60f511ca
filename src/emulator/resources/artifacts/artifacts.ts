import { empty, json, notFound, refuse } from '../../http/answers.js';
import { isObject, bodyArray, stringOf } from '../../http/json.js';
import type { Generation } from '../../store/generation.js';
import type { Artifact, PluginClass } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { selectArtifacts } from './selection.js';
import { isWritable, namespaceOf } from '../system/namespaces.js';
import { parseVersion } from '../../store/versions.js';
import type { Store } from '../../store/store.js';

const LIST = '/v3/namespaces/{namespace}/artifacts';
const VERSION = `${LIST}/{artifact}/versions/{version}`;

/** Artifacts: lists, detail, delete (docs/platform.md 4). */
export const artifactRoutes: readonly Route[] = [
  route('GET', LIST, (request) => {
    const { name } = namespaceOf(request);
    const scope = request.query.get('scope');
    const namespaces = scope === null ? ['system', name] : [scopeNamespace(request)];
    return json(namespaces.flatMap((namespace) => request.store.artifacts(namespace)).map(summary));
  }),
  route('GET', `${LIST}/{artifact}`, (request) => {
    namespaceOf(request);
    const namespace = scopeNamespace(request);
    const named = request.store.artifacts(namespace).filter((entry) => entry.name === request.param('artifact'));
    const selected = selectArtifacts(named, request.query, (entry) => entry);
    if (selected.length === 0) notFound(`${namespace}:${request.param('artifact')}`);
    return json(selected.map(summary));
  }),
  route('GET', VERSION, (request) => json(detail(readableArtifact(request), request.store.generation))),
  route('DELETE', VERSION, (request) => {
    request.store.deleteArtifact(writableArtifact(request));
    return empty();
  }),
  route('POST', '/v3/namespaces/{namespace}/artifactproperties', (request) => {
    namespaceOf(request);
    return json(bodyArray(request.text(), request.store.generation).map((item) => pickedProperties(request, item)));
  }),
  route('POST', '/v3/namespaces/system/artifacts', () => empty()),
];

/** How lists and applications name an artifact. */
export function summary({ namespace, name, version }: Pick<Artifact, 'namespace' | 'name' | 'version'>): {
  readonly name: string;
  readonly version: string;
  readonly scope: 'SYSTEM' | 'USER';
} {
  return { name, version, scope: namespace === 'system' ? 'SYSTEM' : 'USER' };
}

/** The namespace that the query's `scope` means: `system`, or (by default) the one of the path. */
export function scopeNamespace({ query, param }: RouteRequest): string {
  const scope = query.get('scope');
  if (scope !== null && !/^(?:system|user)$/iu.test(scope)) refuse(400, `Invalid scope ${scope}`);
  return scope?.toLowerCase() === 'system' ? 'system' : param('namespace');
}

/** The artifact of the path for reading: in a user namespace, with the scope of the query. */
export function readableArtifact(request: RouteRequest): Artifact {
  namespaceOf(request);
  return known(request, scopeNamespace(request));
}

/**
 * The artifact in the path of a write request; namespace `system` is allowed (docs/platform.md 4.1). The scope in the
 * query is ignored.
 */
export function writableArtifact(request: RouteRequest): Artifact {
  const namespace = request.param('namespace');
  if (!isWritable(request.store, namespace)) notFound(`namespace:${namespace}`);
  return known(request, namespace);
}

function known({ store, param }: RouteRequest, namespace: string): Artifact {
  const [name, version] = [param('artifact'), param('version')];
  if (parseVersion(version) === undefined) refuse(400, `Invalid artifact version ${version}`);
  return store.artifact(namespace, name, version) ?? notFound(`artifact:${namespace}.${name}.${version}`);
}

function detail(artifact: Artifact, generation: Generation): unknown {
  const requirements = generation.hasVersions ? { requirements: { datasetTypes: [], capabilities: [] } } : {};
  const apps = artifact.applications.map(({ className, description, configSchema }) => {
    return { className, description, ...(configSchema === undefined ? {} : { configSchema }), ...requirements };
  });
  const plugins = artifact.plugins.map((plugin) => ({ ...plugin, ...extras(plugin, generation) }));
  const { properties, parents } = artifact;
  return { classes: { apps, plugins }, properties, parents, ...summary(artifact) };
}

/** The members of a plugin that not every platform has, or that it has in another form. `undefined` leaves one out. */
export function extras(plugin: PluginClass, { platform, hasVersions }: Generation): object {
  const properties = Object.values(plugin.properties).map((property) => {
    return [property.name, { ...property, ...(hasVersions ? {} : { children: undefined }) }] as const;
  });
  const { datasetTypes } = plugin.requirements;
  return {
    properties: Object.fromEntries(properties),
    ...(platform === '6.1.1' ? { requirements: { datasetTypes } } : {}),
    ...(platform === '4.3.5' ? { requirements: undefined, endpoints: [] } : {}),
  };
}

function pickedProperties({ store, param }: RouteRequest, item: unknown): unknown {
  if (!isObject(item)) refuse(400, 'Request body is invalid json, please check that it is a json array.');
  const [name = '', version = '', scope = 'USER'] = ['name', 'version', 'scope'].map((key) => stringOf(item, key));
  const namespace = scope.toUpperCase() === 'SYSTEM' ? 'system' : param('namespace');
  const wanted: unknown[] = Array.isArray(item['properties']) ? item['properties'] : [];
  return { properties: pick(store.artifact(namespace, name, version), wanted), name, version, scope };
}

function pick(artifact: Artifact | undefined, wanted: readonly unknown[]): Record<string, string> {
  return Object.fromEntries(Object.entries(artifact?.properties ?? {}).filter(([key]) => wanted.includes(key)));
}

/** The artifacts visible to applications and plugin lists: those of the namespace and of the platform. */
export function visibleArtifacts(store: Store, namespace: string): Artifact[] {
  return [...(namespace === 'system' ? [] : store.artifacts(namespace)), ...store.artifacts('system')];
}
