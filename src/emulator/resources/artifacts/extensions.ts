import { json, notFound, refuse } from '../../http/answers.js';
import type { Generation } from '../../store/generation.js';
import type { Artifact, PluginClass } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { compareArtifacts } from '../../store/store.js';
import { holds, selectArtifacts } from './selection.js';
import { extras, readableArtifact, scopeNamespace, summary, visibleArtifacts } from './artifacts.js';
import { namespaceOf } from '../system/namespaces.js';

const EXTENSIONS = '/v3/namespaces/{namespace}/artifacts/{artifact}/versions/{version}/extensions';

/** Plugins by the artifact that they extend, and the application classes (docs/platform.md 4). */
export const extensionRoutes: readonly Route[] = [
  route('GET', EXTENSIONS, (request) => json([...new Set(offers(request).map(({ plugin }) => plugin.type))])),
  route('GET', `${EXTENSIONS}/{type}`, (request) => {
    const offered = offers(request).filter(({ plugin }) => plugin.type === request.param('type'));
    return json(offered.map(({ plugin, artifact }) => ({ ...pluginSummary(plugin), artifact: summary(artifact) })));
  }),
  route('GET', `${EXTENSIONS}/{type}/plugins/{plugin}`, (request) => {
    const [type, name] = [request.param('type'), request.param('plugin')];
    const offered = offers(request).filter(({ plugin }) => plugin.type === type && plugin.name === name);
    const named = offered.filter(({ artifact }) => isWanted(artifact, request.query));
    const selected = selectArtifacts(named, request.query, ({ artifact }) => artifact);
    if (selected.length === 0) notFound(`${scopeNamespace(request)}:${type}:${name}`);
    return json(selected.map((offer) => describe(offer, request.store.generation)));
  }),
  route('GET', '/v3/namespaces/{namespace}/classes/apps', (request) => {
    const { name } = namespaceOf(request);
    const namespaces = request.query.get('scope') === null ? ['system', name] : [scopeNamespace(request)];
    const artifacts = namespaces.flatMap((namespace) => request.store.artifacts(namespace));
    const classes = artifacts.flatMap((artifact) =>
      artifact.applications.map(({ className }) => ({ artifact: summary(artifact), className })),
    );
    return json(classes);
  }),
];

/** A plugin and the artifact that brings it. */
export interface Offer {
  readonly plugin: PluginClass;
  readonly artifact: Artifact;
}

/** The plugins that extend an artifact, out of those given; by the name and version of the artifact. */
export function offersFor(
  parent: Pick<Artifact, 'namespace' | 'name' | 'version'>,
  among: readonly Artifact[],
): Offer[] {
  const extending = among.filter((artifact) =>
    artifact.parents.some(
      (range) => range.namespace === parent.namespace && range.name === parent.name && holds(range, parent.version),
    ),
  );
  return extending
    .sort(compareArtifacts)
    .flatMap((artifact) => artifact.plugins.map((plugin) => ({ plugin, artifact })));
}

function offers(request: RouteRequest): Offer[] {
  const parent = readableArtifact(request);
  return offersFor(parent, visibleArtifacts(request.store, request.param('namespace')));
}

function isWanted(artifact: Artifact, query: URLSearchParams): boolean {
  const name = query.get('artifactName');
  const scope = query.get('artifactScope');
  if (scope !== null && !/^(?:system|user)$/iu.test(scope)) refuse(400, `Invalid scope ${scope}`);
  if (name !== null && name !== artifact.name) return false;
  return scope === null || summary(artifact).scope === scope.toUpperCase();
}

function pluginSummary({ name, type, description, className }: PluginClass): object {
  return { name, type, description, className };
}

function describe({ plugin, artifact }: Offer, generation: Generation): unknown {
  const { configFieldName } = plugin;
  const isFirst = generation.platform === '4.3.5';
  return {
    ...(configFieldName === undefined || isFirst ? {} : { configFieldName }),
    ...extras(plugin, generation),
    requirements: undefined,
    ...pluginSummary(plugin),
    artifact: summary(artifact),
  };
}
