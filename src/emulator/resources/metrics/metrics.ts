import { json, refuse, Refusal } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import { isObject, parseJson, type JsonObject } from '../../http/json.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { answerQuery, type MetricsQuery } from './query.js';
import { nextTags, metricNames } from './search.js';
import type { Tags } from './values.js';

/** What was counted while programs ran (docs/platform.md 3). */
export const metricsRoutes: readonly Route[] = [
  route('POST', '/v3/metrics/search', searched),
  route('POST', '/v3/metrics/query', queried),
  route('GET', '/v3/metrics/processor/status', () => json({})),
];

function searched({ query, store }: RouteRequest): EmulatorAnswer {
  const target = query.get('target');
  const tags = tagsOf(query.getAll('tag'));
  if (target === 'metric') return json(metricNames(store, tags));
  if (target === 'tag') return json(nextTags(store, tags));
  return denied(target === null ? 'Required target param is missing' : `Unknown target param value: ${target}`);
}

function queried(request: RouteRequest): EmulatorAnswer {
  const { query, store } = request;
  if (query.size > 0) {
    return json(
      answerQuery(store, {
        tags: tagsOf(query.getAll('tag')),
        metrics: query.getAll('metric'),
        groupBy: query.getAll('groupBy'),
        time: (name) => query.get(name) ?? undefined,
      }),
    );
  }
  if (request.text() === '') return denied('Batch request with empty content');
  const body = parseJson(request.text());
  if (Array.isArray(body)) return json({});
  if (!isObject(body)) refuse(500, 'Internal error while querying for metrics');
  const queries = Object.entries(body).map(([key, one]) => [key, queryOf(isObject(one) ? one : {})] as const);
  return json(Object.fromEntries(queries.map(([key, one]) => [key, answerQuery(store, one)])));
}

function queryOf(source: JsonObject): MetricsQuery {
  const { tags, metrics, groupBy, timeRange } = source;
  return {
    tags: new Map(Object.entries(isObject(tags) ? tags : {}).map(([name, value]) => [name, textOf(value) ?? ''])),
    metrics: texts(metrics),
    groupBy: texts(groupBy),
    time: (name) => {
      return isObject(timeRange) ? textOf(timeRange[name]) : undefined;
    },
  };
}

function texts(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item) => textOf(item) ?? []);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Tags as `name:value`; a text without a colon is no tag. */
function tagsOf(given: readonly string[]): Tags {
  const pairs = given.map((text) => [text.indexOf(':'), text] as const).filter(([colon]) => colon >= 0);
  return new Map(pairs.map(([colon, text]) => [text.slice(0, colon), text.slice(colon + 1)]));
}

/** Refuses with a sentence that is typed as JSON (docs/platform.md 0.2). */
function denied(sentence: string): never {
  throw new Refusal({ ...json(''), status: 400, body: sentence });
}
