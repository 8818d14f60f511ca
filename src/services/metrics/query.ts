import { CliError } from '../../core/errors.js';
import { largestOf, smallestOf } from '../../core/collections.js';
import type { Platform } from '../../platform/client.js';
import { queryMetrics, type MetricQuery, type MetricSeries, type MetricTime } from '../../platform/metrics.js';

/** So many metrics go into one query; all queries go in one request. */
const METRICS_AT_ONCE = 200;
const ALL_TIME = 2_147_483_647;

/** Which numbers are wanted; `time` undefined: totals of all time. */
export interface QueryOptions {
  readonly tags: Readonly<Record<string, string>>;
  readonly metrics: readonly string[];
  readonly groupBy: readonly string[];
  readonly time: MetricTime | undefined;
}

/** The numbers of one metric for one group. `resolution` is `total` or as in `60s`, times are epoch seconds. */
export interface FoundSeries {
  readonly metricName: string;
  readonly grouping: Readonly<Record<string, string>>;
  readonly resolution: string;
  readonly data: MetricSeries['data'];
}

/** What was found, in the order of the metrics that were asked for, then of their groups. Times in epoch seconds. */
export interface MetricsFound {
  readonly series: readonly FoundSeries[];
  readonly startTime: number;
  readonly endTime: number;
}

/** Asks for all metrics at once; names are taken as they are. */
export async function readSeries(wanted: QueryOptions, platform: Platform, signal: AbortSignal): Promise<MetricsFound> {
  const { tags, groupBy, time } = wanted;
  const metrics = [...new Set(wanted.metrics)];
  const queries: Record<string, MetricQuery> = {};
  for (let at = 0; at < metrics.length; at += METRICS_AT_ONCE) {
    queries[`q${at}`] = {
      tags,
      metrics: metrics.slice(at, at + METRICS_AT_ONCE),
      ...(groupBy.length > 0 && { groupBy: [...new Set(groupBy)] }),
      timeRange: time ?? { aggregate: 'true' },
    };
  }
  if (metrics.length === 0) return { series: [], startTime: 0, endTime: 0 };
  const answer = await platform.call(queryMetrics, queries, signal);
  const results = Object.keys(queries).flatMap((key) => answer[key] ?? []);
  if (results.length < Object.keys(queries).length)
    throw new CliError('BAD_ANSWER', 'the platform returned only some of the requested metrics');
  const order = new Map(metrics.map((name, at) => [name, at]));
  const place = ({ metricName }: FoundSeries): number => order.get(metricName) ?? metrics.length;
  return {
    series: results
      .flatMap(({ series, resolution }) => series.map((one) => found(one, resolution)))
      .sort((a, b) => place(a) - place(b) || compare(groupText(a), groupText(b))),
    startTime: smallestOf(results.map(({ startTime }) => startTime)),
    endTime: largestOf(results.map(({ endTime }) => endTime)),
  };
}

function found({ metricName, grouping, data }: MetricSeries, resolution: string | number): FoundSeries {
  const points = data.map(({ time, value }) => ({ time, value })).sort((a, b) => a.time - b.time);
  return { metricName, grouping, resolution: resolutionText(resolution), data: points };
}

/** `total`, or seconds as in `60s`, whichever way the platform says it (docs/platform.md 3.2). */
export function resolutionText(resolution: string | number): string {
  const text = typeof resolution === 'number' || /^\d+$/u.test(resolution) ? `${resolution}s` : resolution;
  return text === `${ALL_TIME}s` ? 'total' : text;
}

/** The group of a series in words: `run=5d9c0a70,spark=phase-1`; empty without groups. */
export function groupText({ grouping }: Pick<FoundSeries, 'grouping'>): string {
  return Object.entries(grouping)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
