import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json, type Endpoint } from './endpoint.js';
import type { ProgramPlace } from './runs.js';

/** Members of a line that nobody shows and that make an answer twice as large. */
const SUPPRESSED = ['isNativeMethod'];

/** The log of one run. `level` is the least one that is wanted: ERROR, WARN, INFO, DEBUG or TRACE. */
export interface LogPlace extends ProgramPlace {
  readonly run: string;
  readonly level?: string | undefined;
}

/** A part of a log in epoch seconds, from `start` up to, not including, `stop`. Without them all of the run. */
export interface LogWindow extends LogPlace {
  readonly start?: number | undefined;
  readonly stop?: number | undefined;
}

const base = ({ namespace, app, type, program, run }: LogPlace) =>
  path`/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs/${run}/logs`;

/** Unless it is told not to, the platform writes `&lt;` for `<` (docs/platform.md 8.5). */
const asked = ({ level }: LogPlace, format: 'text' | 'json'): readonly (readonly [string, string])[] => [
  ['escape', 'false'],
  ['format', format],
  ...(format === 'json' ? SUPPRESSED.map((name) => ['suppress', name] as const) : []),
  ...(level === undefined ? [] : [['filter', `loglevel=${level}`] as const]),
];

const windowOf = ({ start, stop }: LogWindow): readonly (readonly [string, string])[] => [
  ...(start === undefined ? [] : [['start', String(start)] as const]),
  ...(stop === undefined ? [] : [['stop', String(stop)] as const]),
];

/** The log of a run as text, in pieces as they come; 404 for an unknown run. Its size has no limit. */
export const readLogText = endpoint({
  method: 'GET',
  path: base,
  query: (wanted: LogWindow) => [...asked(wanted, 'text'), ...windowOf(wanted)],
  answer: async ({ body }) => body,
  maxBytes: Infinity,
});

/** The log of a run as a JSON array of `LogItem`, in pieces as they come; 404 for an unknown run. */
export const readLogJson = endpoint({
  method: 'GET',
  path: base,
  query: (wanted: LogWindow) => [...asked(wanted, 'json'), ...windowOf(wanted)],
  answer: async ({ body }) => body,
  maxBytes: Infinity,
});

const LogMembers = z.looseObject({
  timestamp: z.number(),
  logLevel: z.optional(z.string()),
  threadName: z.optional(z.string()),
  className: z.optional(z.string()),
  lineNumber: z.optional(z.number()),
  message: z.optional(z.nullable(z.string())),
  stackTrace: z.optional(z.nullable(z.string())),
  loggerName: z.optional(z.string()),
});

/** What a line of a log has in JSON; `timestamp` in milliseconds. */
export type LogMembers = z.infer<typeof LogMembers>;

/** The schema of a line of a log with the place where it is, for answers that come in pieces. */
export const LogItem = z.looseObject({ log: LogMembers, offset: z.string() });
const LogText = z.looseObject({ log: z.string(), offset: z.string() });

/** Which lines of a log to read: at most `max` beyond `fromOffset`, or from its beginning, or its end. */
export interface LogPart extends LogPlace {
  readonly max: number;
  readonly fromOffset?: string | undefined;
}

const partOf = ({ max, fromOffset }: LogPart): readonly (readonly [string, string])[] => [
  ['max', String(max)],
  ...(fromOffset === undefined ? [] : [['fromOffset', fromOffset] as const]),
];

/** Which way from an offset, in which form; the answer is JSON whatever the form of its lines. */
const part = <T>(way: 'next' | 'prev', format: 'text' | 'json', item: z.core.$ZodType<T>) =>
  endpoint({
    method: 'GET',
    path: ({ namespace, app, type, program, run }: LogPart) =>
      path`/v3/namespaces/${namespace}/apps/${app}/${type}/${program}/runs/${run}/logs/${way}`,
    query: (wanted: LogPart) => [...asked(wanted, format), ...partOf(wanted)],
    answer: json(listOf(item), 'the lines of the log'),
  });

/** Lines of a log in one form: those after an offset, and those before it, oldest first. */
export interface LogParts<T> {
  /** Without an offset from the beginning of the run. */
  readonly next: Endpoint<LogPart, readonly { readonly log: T; readonly offset: string }[]>;
  /** Without an offset the last of the run. */
  readonly previous: Endpoint<LogPart, readonly { readonly log: T; readonly offset: string }[]>;
}

/** Lines as text, each with its line end; a stack trace belongs to its line. */
export const textParts: LogParts<string> = {
  next: part('next', 'text', LogText),
  previous: part('prev', 'text', LogText),
};

/** Lines as JSON. */
export const jsonParts: LogParts<LogMembers> = {
  next: part('next', 'json', LogItem),
  previous: part('prev', 'json', LogItem),
};
