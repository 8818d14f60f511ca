import * as z from 'zod/mini';
import { listOf, recordOf } from '../core/collections.js';
import { readJson, readText } from '../http/answers.js';
import { path } from '../http/path.js';
import type { HttpAnswer } from '../http/transport.js';
import { endpoint, json, jsonBody } from './endpoint.js';

/** What a metric was counted for: a name (docs/platform.md 3.1) and its value, `*` for any. */
export interface MetricTag {
  readonly name: string;
  readonly value: string;
}

/**
 * The time range of a metrics query. The platform takes numbers and words such as `now-1h` as text (docs/platform.md
 * 3.2).
 */
export interface MetricTime {
  readonly aggregate?: 'true';
  readonly start?: string;
  readonly end?: string;
  readonly count?: string;
  /** `auto`, `1s`, `1m` or `1h`. */
  readonly resolution?: string;
}

/** One query; without `timeRange` it is about all time. */
export interface MetricQuery {
  readonly tags: Readonly<Record<string, string>>;
  /** At least one. */
  readonly metrics: readonly string[];
  readonly groupBy?: readonly string[];
  readonly timeRange?: MetricTime;
}

const PARTS = 8192;
/** Most bytes of an answer to queries (`docs/limits.md`). */
const LARGEST_ANSWER = 16 * 1024 * 1024;

/**
 * A value of a metric. What a number cannot hold (`NaN`, an integer above 2^53) is text as the platform wrote it
 * (docs/faults.md P34).
 */
const Value = z.union([z.number(), z.string()]);

const Series = z.looseObject({
  metricName: z.string(),
  grouping: recordOf(z.string()),
  data: listOf(z.looseObject({ time: z.number(), value: Value })),
});

const Result = z.looseObject({
  startTime: z.number(),
  endTime: z.number(),
  series: listOf(Series),
  resolution: z.union([z.string(), z.number()]),
});

/**
 * The numbers of one metric for one group, points in the order of the platform. Times in epoch seconds, 0 for all time.
 */
export type MetricSeries = z.infer<typeof Series>;
/**
 * What a query found, series in no order; none for what was never counted. `resolution` is text with a unit, or a
 * number of seconds.
 */
export type MetricResult = z.infer<typeof Result>;

const search = (target: 'metric' | 'tag') => ({
  method: 'POST' as const,
  asks: true,
  path: () => path`/v3/metrics/search`,
  query: ({ tags }: { readonly tags: readonly MetricTag[] }) => [
    ['target', target] as const,
    ...tags.map(({ name, value }) => ['tag', `${name}:${value}`] as const),
  ],
});

/** The names of the metrics that were counted under the tags. */
export const searchMetrics = endpoint({
  ...search('metric'),
  answer: json(listOf(z.string()), 'the names of the metrics'),
});

/** The tags that come next after these, whose order matters. */
export const searchMetricTags = endpoint({
  ...search('tag'),
  answer: json(listOf(z.looseObject({ name: z.string(), value: z.string() })), 'the tags of the metrics'),
});

/** Answers several queries at once under the same keys; one that is wrong fails all with 400. */
export const queryMetrics = endpoint({
  method: 'POST',
  asks: true,
  path: () => path`/v3/metrics/query`,
  body: (queries: Readonly<Record<string, MetricQuery>>) => jsonBody(queries),
  answer: async (answer) => readJson(spelledOut(answer), recordOf(Result), 'the metrics'),
  maxBytes: LARGEST_ANSWER,
});

/** The answer with every number that JSON or a double cannot hold as text. */
function spelledOut(answer: HttpAnswer): HttpAnswer {
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    const text = await readText(answer);
    let parts: string[] = [];
    let taken = 0;
    // In pieces, as millions of numbers would not fit into memory as texts of their own.
    for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity|\d[\d.eE+-]*)/gu)) {
      const written = spelled(token);
      if (written !== token) {
        parts.push(text.slice(taken, index), written);
        taken = index + token.length;
      }
      if (parts.length < PARTS) continue;
      yield Buffer.from(parts.join(''));
      parts = [];
    }
    yield Buffer.from(parts.join('') + text.slice(taken));
  }
  return { ...answer, body: body() };
}

function spelled(token: string): string {
  if (token.startsWith('"')) return token;
  const value = Number(token);
  const fits = /^-?\d+$/u.test(token) ? Number.isSafeInteger(value) : Number.isFinite(value);
  // What is no number in any spelling is left for the reader to refuse.
  return fits || !/^-?(?:NaN|Infinity|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/u.test(token) ? token : `"${token}"`;
}
