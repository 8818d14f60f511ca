import { empty, json, Refusal, refuse, text } from '../../http/answers.js';
import { isObject, parseJson } from '../../http/json.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { readableArtifact, writableArtifact } from './artifacts.js';

const PROPERTIES = '/v3/namespaces/{namespace}/artifacts/{artifact}/versions/{version}/properties';

/** Properties of artifacts, all at once and one by one (docs/platform.md 4). */
export const artifactPropertyRoutes: readonly Route[] = [
  route('GET', PROPERTIES, (request) => {
    const { properties } = readableArtifact(request);
    const keys = request.query.get('keys')?.split(',');
    return json(Object.fromEntries(Object.entries(properties).filter(([key]) => keys?.includes(key) ?? true)));
  }),
  route('PUT', PROPERTIES, (request) => {
    const properties = propertiesOf(request);
    request.store.putArtifact({ ...writableArtifact(request), properties });
    return empty();
  }),
  route('DELETE', PROPERTIES, (request) => {
    request.store.putArtifact({ ...writableArtifact(request), properties: {} });
    return empty();
  }),
  route('GET', `${PROPERTIES}/{key}`, (request) => {
    const value = readableArtifact(request).properties[request.param('key')];
    return value === undefined ? empty() : text(200, value);
  }),
  route('PUT', `${PROPERTIES}/{key}`, (request) => {
    const artifact = writableArtifact(request);
    const properties = { ...artifact.properties, [request.param('key')]: request.text() };
    request.store.putArtifact({ ...artifact, properties });
    return empty();
  }),
  route('DELETE', `${PROPERTIES}/{key}`, (request) => {
    const artifact = writableArtifact(request);
    const rest = Object.entries(artifact.properties).filter(([key]) => key !== request.param('key'));
    request.store.putArtifact({ ...artifact, properties: Object.fromEntries(rest) });
    return empty();
  }),
];

const SYNTAX =
  'Json Syntax Error while parsing properties from request. Please check that the properties are a json map from string to string.';
const MISSING =
  'Missing properties from the request. Please check that the request body is a json map from string to string.';

function propertiesOf(request: RouteRequest): Record<string, string> {
  const body = parseJson(request.text());
  if (request.text() === '' || body === null) {
    if (!request.store.generation.hasVersions) throw new Refusal(empty(500));
    refuse(400, MISSING);
  }
  if (Array.isArray(body) && body.length === 0) return {};
  if (!isObject(body)) refuse(400, SYNTAX);
  const entries = Object.entries(body).map(([key, value]) => [key, propertyText(key, value)] as const);
  return Object.fromEntries(entries);
}

function propertyText(key: string, value: unknown): string {
  if (value === null) refuse(500, `null value in entry: ${key}=null`);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return refuse(400, SYNTAX);
}
