import * as z from 'zod/mini';
import { readJson } from '../http/answers.js';
import { below, path } from '../http/path.js';
import type { HttpAnswer } from '../http/transport.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';

/** A stream of a namespace (contract 7). */
export interface StreamPlace {
  readonly namespace: string;
  readonly stream: string;
}

/** A file of lines for a stream; `contentType` begins with `text/` in lower case, or the platform answers 406. */
export interface StreamLoad extends StreamPlace {
  readonly file: string;
  readonly bytes: number;
  readonly contentType: string;
}

const Properties = z.looseObject({ ttl: z.optional(z.number()), description: z.optional(z.string()) });
const Event = z.looseObject({ timestamp: z.number() });
const Events = z.array(Event);

/** What a stream is set to. */
export type StreamProperties = z.infer<typeof Properties>;

/** An event; `timestamp` is the platform's time in milliseconds since 1970. */
export type StreamEvent = z.infer<typeof Event>;

/** Milliseconds that a load may take until it is answered. */
const LOAD_TIMEOUT = 900_000;

const at = ({ namespace, stream }: StreamPlace) => below(path`/v3/namespaces/${namespace}/streams`, stream);

async function eventsOf(answer: HttpAnswer): Promise<readonly StreamEvent[]> {
  // No event is 204 without a body.
  if (answer.status !== 204) return readJson(answer, Events, 'the list of events');
  await answer.discard();
  return [];
}

/** The properties of a stream; 404 when it is absent. */
export const getStream = endpoint({ method: 'GET', path: at, answer: json(Properties, 'the stream') });

/** Creates a stream with properties; one that is there stays as it is, so this is harmless to repeat. */
export const putStream = endpoint({
  method: 'PUT',
  path: at,
  body: ({ properties }: StreamPlace & { readonly properties: object }) => jsonBody(properties),
  answer: text,
});

/** Changes properties of a stream, the others stay; harmless to repeat. */
export const putStreamProperties = endpoint({
  method: 'PUT',
  path: (parameters: StreamPlace & { readonly properties: object }) => below(at(parameters), 'properties'),
  body: ({ properties }) => jsonBody(properties),
  answer: text,
});

/** Appends the lines of a file as events, blank ones left out. Appends them again when it is sent again: never sent twice blindly. */
export const loadStream = endpoint({
  method: 'POST',
  path: (load: StreamLoad) => below(at(load), 'batch'),
  body: ({ file, bytes, contentType }) => ({ kind: 'file', file, bytes, contentType }),
  answer: text,
  headersTimeout: LOAD_TIMEOUT,
});

/** The first `limit` events from a time on, in their order; 404 when the stream is absent. */
export const listEvents = endpoint({
  method: 'GET',
  path: (parameters: StreamPlace & { readonly start: number; readonly limit: number }) =>
    below(at(parameters), 'events'),
  query: ({ start, limit }) => [
    ['start', String(start)],
    ['limit', String(limit)],
  ],
  answer: eventsOf,
});

/** Removes a stream with its events; 404 when it is absent. Never sent twice blindly. */
export const deleteStream = endpoint({ method: 'DELETE', path: at, answer: text });
