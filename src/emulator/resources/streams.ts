import { empty, gsonText, json, notFound, refuse } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import type { Stream } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { unconvertible } from './apps/app-list.js';
import { namespaceOf } from './system/namespaces.js';
import { newStream, readStreamProperties } from './stream-properties.js';

const LIST = '/v3/namespaces/{namespace}/streams';
const STREAM = `${LIST}/{stream}`;

/** Streams, which platforms up to 5.x have (docs/platform.md 7). */
export const streamRoutes: readonly Route[] = [
  route('GET', LIST, (request) => {
    const { name } = namespaceOf(request);
    return json(request.store.streams(name).map((stream) => ({ name: stream.name })));
  }),
  route('PUT', STREAM, created),
  route('GET', STREAM, (request) => json(properties(streamAt(request)))),
  route('PUT', `${STREAM}/properties`, (request) => {
    request.store.putStream({ ...streamAt(request), ...readStreamProperties(request.text()) });
    return empty();
  }),
  route('POST', STREAM, (request) => appended(request, [request.body], eventHeaders(request))),
  route('POST', `${STREAM}/async`, (request) => ({
    ...appended(request, [request.body], eventHeaders(request)),
    status: 202,
  })),
  route('POST', `${STREAM}/batch`, batch),
  route('POST', `${STREAM}/truncate`, (request) => {
    request.store.putStream({ ...streamAt(request), events: [] });
    return empty();
  }),
  route('GET', `${STREAM}/events`, events),
  route('DELETE', STREAM, (request) => {
    request.store.deleteStream(streamAt(request));
    return empty();
  }),
];

function streamAt({ store, param }: RouteRequest): Stream {
  const [namespace, name] = [param('namespace'), param('stream')];
  return store.stream(namespace, name) ?? notFound(`stream:${namespace}.${name}`);
}

function created(request: RouteRequest): EmulatorAnswer {
  const { store, param } = request;
  const name = param('stream');
  if (!/^[\w-]+$/u.test(name)) {
    const rule = 'Should only contain alphanumeric characters and _ or -.';
    refuse(400, `java.lang.IllegalArgumentException: Invalid stream ID: ${name}. ${rule}`);
  }
  const namespace = namespaceOf(request).name;
  if (store.stream(namespace, name) !== undefined) return empty();
  const wanted = request.text() === '' ? {} : readStreamProperties(request.text());
  store.putStream({ ...newStream(namespace, name), ...wanted });
  return empty();
}

function properties({ ttl, format, threshold, description }: Stream): unknown {
  return { ttl, format, 'notification.threshold.mb': threshold, description };
}

/** Request headers of the form `<stream>.<key>` become headers of the event. */
function eventHeaders({ headers, param }: RouteRequest): Record<string, string> {
  const prefix = `${param('stream').toLowerCase()}.`;
  const own = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
}

function appended(request: RouteRequest, bodies: readonly Buffer[], headers: Record<string, string>): EmulatorAnswer {
  const stream = streamAt(request);
  const timestamp = request.store.now();
  const added = bodies.map((body) => ({ timestamp, headers, body: printed(body) }));
  request.store.putStream({ ...stream, events: [...stream.events, ...added] });
  return empty();
}

/** An event's bytes as the platform prints them: what is not printable ASCII as `\xHH`. */
function printed(body: Buffer): string {
  const characters = [...body].map((byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f;
    return isPlain ? String.fromCodePoint(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return characters.join('');
}

function batch(request: RouteRequest): EmulatorAnswer {
  streamAt(request);
  const type = request.headers['content-type'];
  if (type === undefined) refuse(406, 'Unknown content type');
  if (type === 'avro/binary') refuse(400, 'Failed to process uploaded avro file: Not a data file.');
  if (!type.startsWith('text/')) refuse(406, `Unsupported content type ${type}`);
  const lines = request.body
    .toString('latin1')
    .split(/[\r\n]/u)
    .filter((line) => line !== '');
  const headers = { 'content.type': type, ...eventHeaders(request) };
  return appended(
    request,
    lines.map((line) => Buffer.from(line, 'latin1')),
    headers,
  );
}

function events(request: RouteRequest): EmulatorAnswer {
  const [start, end, limit] = ['start', 'end', 'limit'].map((name) => whole(request, name));
  if (limit !== undefined && limit <= 0) refuse(400, 'Cannot request for <=0 events');
  if ((start ?? 0) >= (end ?? Infinity)) refuse(400, 'Start time must be smaller than end time');
  const { store, param } = request;
  const stream = store.stream(param('namespace'), param('stream'));
  if (stream === undefined) return empty(404);
  const found = stream.events
    .filter(({ timestamp }) => timestamp >= (start ?? 0) && timestamp < (end ?? Infinity))
    .slice(0, limit);
  if (found.length === 0) return empty(204);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'transfer-encoding': 'chunked' };
  return { status: 200, headers, body: gsonText(found) };
}

function whole(request: RouteRequest, name: string): number | undefined {
  const value = request.query.get(name);
  if (value === null) return undefined;
  return /^-?\d+$/u.test(value) ? Number(value) : unconvertible(request);
}
