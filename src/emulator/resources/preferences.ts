import { empty, json, notFound, refuse } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import { isObject, parseJson } from '../http/json.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { latestOf } from '../store/store.js';
import { appName } from './apps/apps.js';
import { PROGRAM_TYPES, programAt, programId } from './programs.js';
import { runtimeArguments } from './runtime-arguments.js';

const NAMESPACE = '/v3/namespaces/{namespace}';
const APP = `${NAMESPACE}/apps/{app}`;
const PROGRAM = `${APP}/{type}/{program}`;

type Place = readonly string[];
type PlaceOf = (request: RouteRequest) => Place;

function namespacePlace({ store, param }: RouteRequest): Place {
  const namespace = param('namespace');
  if (namespace !== 'system' && store.namespace(namespace) === undefined)
    refuse(404, `Namespace ${namespace} not present`);
  return [namespace];
}

function applicationPlace(request: RouteRequest): Place {
  const [namespace = ''] = namespacePlace(request);
  const name = appName(request);
  const { store } = request;
  if (store.application(namespace, name) !== undefined) return [namespace, name];
  if (store.generation.hasVersions) notFound(`application:${namespace}.${name}.-SNAPSHOT`);
  return refuse(404, `Application ${name} in Namespace ${namespace} not present`);
}

function programPlace(request: RouteRequest): Place {
  const path = request.param('type');
  const type = PROGRAM_TYPES[path] ?? refuse(400, `Invalid program type '${path}'`);
  const place = applicationPlace(request);
  const application = request.store.application(place[0] ?? '', place[1] ?? '') ?? notFound('application');
  const name = request.param('program');
  const isThere = latestOf(application).programs.some((program) => program.name === name && program.type === type);
  if (isThere) return [...place, `${type}/${name}`];
  const id = programId(application, { type, name });
  if (request.store.generation.hasVersions) notFound(id);
  return refuse(404, `Program ${id} not found`);
}

/** Reads a map of texts; numbers and truth values become texts. */
function valuesOf({ text, store }: RouteRequest): Record<string, string> {
  if (text() === '') return {};
  const body = parseJson(text());
  if (Array.isArray(body) && body.length === 0 && !store.generation.hasVersions) return {};
  if (!isObject(body)) refuse(400, 'Invalid JSON in body');
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (value === null) refuse(500, `null value in entry: ${name}=null`);
      if (typeof value === 'object') refuse(400, 'Invalid JSON in body');
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    }),
  );
}

const put =
  (placeOf: PlaceOf, valuesIn: (request: RouteRequest) => Record<string, string>) =>
  (request: RouteRequest): EmulatorAnswer => {
    const place = placeOf(request);
    request.store.preferences.put(place, valuesIn(request));
    return empty();
  };

/** The three calls on the preferences of a place (docs/platform.md 8.3). */
const routesAt = (path: string, placeOf: PlaceOf): readonly Route[] => [
  route('GET', `${path}/preferences`, (request) => {
    const place = placeOf(request);
    const { preferences } = request.store;
    return json(request.query.get('resolved') === 'true' ? preferences.resolved(place) : preferences.get(place));
  }),
  route('PUT', `${path}/preferences`, put(placeOf, valuesOf)),
  route(
    'DELETE',
    `${path}/preferences`,
    put(placeOf, () => ({})),
  ),
];

/** The stored arguments of a program, which are its preferences. */
const programOfArguments: PlaceOf = (request) => {
  const { application, program } = programAt(request);
  return [application.namespace, application.name, `${program.type}/${program.name}`];
};

/** Preferences at every level, and the stored arguments of programs. */
export const preferenceRoutes: readonly Route[] = [
  ...routesAt('/v3', () => []),
  ...routesAt(NAMESPACE, namespacePlace),
  ...routesAt(APP, applicationPlace),
  ...routesAt(PROGRAM, programPlace),
  route('GET', `${PROGRAM}/runtimeargs`, (request) => json(request.store.preferences.get(programOfArguments(request)))),
  route(
    'PUT',
    `${PROGRAM}/runtimeargs`,
    put(programOfArguments, (request) => runtimeArguments(request.text())),
  ),
];
