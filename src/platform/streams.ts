import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { objectsIn } from '../core/json/elements.js';
import { LineCounter, type LineBag } from '../core/line-digest.js';
import { listOf } from '../core/collections.js';
import { readJson } from '../http/answers.js';
import { below, path } from '../http/path.js';
import type { HttpAnswer } from '../http/transport.js';
import { endpoint, json, text } from './endpoint.js';

/** A stream of a namespace. */
export interface StreamPlace {
  readonly namespace: string;
  readonly stream: string;
}

/** Properties for a stream, as the text of a JSON object. */
export interface StreamSetting extends StreamPlace {
  readonly properties: string;
}

/** A file of lines for a stream. `contentType` begins with `text/` in lower case, or the platform answers 406. */
export interface StreamLoad extends StreamPlace {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType: string;
}

const Properties = z.looseObject({ ttl: z.optional(z.number()), description: z.optional(z.string()) });
const Event = z.looseObject({ timestamp: z.number(), body: z.string() });
const Events = listOf(Event);

/** What a stream is set to. */
export type StreamProperties = z.infer<typeof Properties>;

/** An event; `timestamp` is the platform's time in milliseconds since 1970. */
export type StreamEvent = z.infer<typeof Event>;

/** Milliseconds that a load may take until it is answered. */
const LOAD_TIMEOUT = 900_000;
const NO_CONTENT = 204;
const NOT_JSON: ReadonlySet<string> = new Set(['BAD_JSON', 'BAD_UTF8', 'TOO_DEEP']);

const at = ({ namespace, stream }: StreamPlace) => below(path`/v3/namespaces/${namespace}/streams`, stream);

async function eventsOf(answer: HttpAnswer): Promise<readonly StreamEvent[]> {
  // No event is 204 without a body.
  if (answer.status !== NO_CONTENT) return readJson(answer, Events, 'the list of events');
  await answer.discard();
  return [];
}

async function linesOf({ status, body, method, url, attempts }: HttpAnswer): Promise<LineBag> {
  const counter = new LineCounter();
  if (status === NO_CONTENT) return counter.bag();
  try {
    for await (const object of objectsIn(body, 'the list of events')) counter.event(z.parse(Event, object).body);
  } catch (cause) {
    if (cause instanceof CliError && !NOT_JSON.has(cause.code)) throw cause;
    const why = cause instanceof CliError ? cause.message : 'the list of events has an invalid event';
    throw new CliError('BAD_ANSWER', why, { cause, request: { method, url, status, attempts } });
  }
  return counter.bag();
}

const asJson = ({ properties }: StreamSetting) =>
  ({ kind: 'text', text: properties, contentType: 'application/json' }) as const;

/** The properties of a stream; 404 when it is absent. */
export const getStream = endpoint({ method: 'GET', path: at, answer: json(Properties, 'the stream') });

/** Creates a stream with properties; one that is there stays as it is, so this is harmless to repeat. */
export const putStream = endpoint({
  method: 'PUT',
  path: at,
  body: asJson,
  answer: text,
});

/** Changes properties of a stream, the others stay; harmless to repeat. */
export const putStreamProperties = endpoint({
  method: 'PUT',
  path: (parameters: StreamSetting) => below(at(parameters), 'properties'),
  body: asJson,
  answer: text,
});

/**
 * Appends the lines of a file as events, blank ones left out. Appends them again when it is sent again: never sent
 * twice blindly.
 */
export const loadStream = endpoint({
  method: 'POST',
  path: (load: StreamLoad) => below(at(load), 'batch'),
  body: ({ file, bytes, sha256, contentType }) => ({ kind: 'file', file, bytes, sha256, contentType }),
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

/**
 * Reads the first `limit` events from a time on, as a bag of lines. Memory is constant for any number of events. 404
 * when the stream is absent.
 */
export const readLines = endpoint({
  method: 'GET',
  path: (parameters: StreamPlace & { readonly start: number; readonly limit?: number }) =>
    below(at(parameters), 'events'),
  query: ({ start, limit }) => [
    ['start', String(start)],
    ...(limit === undefined ? [] : [['limit', String(limit)] as const]),
  ],
  answer: linesOf,
  maxBytes: Number.MAX_SAFE_INTEGER,
});

/** Removes a stream with its events; 404 when it is absent. Never sent twice blindly. */
export const deleteStream = endpoint({ method: 'DELETE', path: at, answer: text });
