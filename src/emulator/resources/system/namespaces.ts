import { empty, json, notFound, refuse, text } from '../../http/answers.js';
import type { Generation } from '../../store/generation.js';
import { isObject, parseJson, stringOf } from '../../http/json.js';
import type { Namespace } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import type { Store } from '../../store/store.js';

const RESERVED = ['default', 'system', 'cdap'];

/** Namespaces (docs/platform.md 9). The emulator allows to remove one, as a server does on which that is enabled. */
export const namespaceRoutes: readonly Route[] = [
  route('GET', '/v3/namespaces', ({ store }) => {
    return json(store.namespaces().map((namespace) => describe(namespace, store.generation)));
  }),
  route('GET', '/v3/namespaces/{namespace}', (request) => {
    return json(describe(namespaceOf(request), request.store.generation));
  }),
  route('PUT', '/v3/namespaces/{namespace}', ({ store, param, text: body }) => {
    const name = param('namespace');
    if (!/^\w+$/u.test(name)) refuse(400, "Namespace id can contain only alphanumeric characters or '_'.");
    const content = body() === '' ? {} : parseJson(body());
    if (content !== null && !isObject(content)) refuse(400, 'Invalid json object provided in request body.');
    if (RESERVED.includes(name)) {
      refuse(400, `Cannot create the namespace '${name}'. '${name}' is a reserved namespace.`);
    }
    if (store.namespace(name) !== undefined) return text(200, `Namespace '${name}' already exists.`);
    store.addNamespace(name, content === null ? '' : (stringOf(content, 'description') ?? ''));
    return text(200, `Namespace '${name}' created successfully.`);
  }),
  route('DELETE', '/v3/unrecoverable/namespaces/{namespace}', (request) => {
    request.store.deleteNamespace(namespaceOf(request).name);
    return empty();
  }),
];

/** The namespace of the path, or 404; `system` is not found although it exists. */
export function namespaceOf({ store, param }: RouteRequest): Namespace {
  return store.namespace(param('namespace')) ?? notFound(`namespace:${param('namespace')}`);
}

/** Whether artifacts and applications may be written there: a known namespace, or `system`. */
export function isWritable(store: Store, namespace: string): boolean {
  return namespace === 'system' || store.namespace(namespace) !== undefined;
}

function describe({ identity, generation, ...rest }: Namespace, { platform }: Generation): unknown {
  const config = { 'scheduler.queue.name': '' };
  if (platform === '6.11.0') return { ...rest, identity, generation, config };
  const older = { ...rest, config: { ...config, 'explore.as.principal': true } };
  return platform === '6.1.1' ? { ...older, generation } : older;
}
