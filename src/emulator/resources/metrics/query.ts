import { refuse } from '../../http/answers.js';
import type { Store } from '../../store/store.js';
import { sourcesWith } from './sources.js';
import type { Tags } from './values.js';
import { metricsTime, type MetricsTime, type TimeParameters } from './time.js';

/** One query, however it was sent. */
export interface MetricsQuery {
  readonly tags: Tags;
  readonly metrics: readonly string[];
  readonly groupBy: readonly string[];
  readonly time: TimeParameters;
}

/** What an aggregate has as its resolution, in seconds. */
const ALL_TIME = 2_147_483_647;
const TAGS = new Set(
  (
    'namespace app program programtype workflow spark service worker mapreduce flow flowlet stream tasktype run instance ' +
    'component handler method dataset producer consumer profile profilescope node'
  ).split(' '),
);

interface Point {
  readonly time: number;
  readonly value: number;
}
interface Series {
  readonly metricName: string;
  readonly grouping: Readonly<Record<string, string>>;
  readonly points: Map<number, number>;
}

/** Answers a query, or refuses it with the platform's sentence (docs/platform.md 3.2). */
export function answerQuery(store: Store, query: MetricsQuery): object {
  const now = Math.floor(store.now() / 1000);
  if (query.metrics.length === 0) refuse(400, 'Missing metrics parameter in the query');
  const time = metricsTime(query.time, now);
  checkTags(query, time);
  const series = [...seriesOf(store, query, time)].map(({ points, ...rest }) => ({
    ...rest,
    data: shown(points, time),
  }));
  const isTotal = time.kind === 'total';
  return {
    startTime: isTotal ? 0 : time.start,
    endTime: isTotal ? now : time.end,
    series: series.filter(({ data }) => data.length > 0),
    resolution: `${isTotal ? ALL_TIME : time.resolution}s`,
  };
}

function checkTags({ tags, metrics, groupBy }: MetricsQuery, time: MetricsTime): void {
  if ([...tags.keys(), ...groupBy].every((name) => TAGS.has(name))) return;
  const { start, end, resolution } = time.kind === 'total' ? { start: 0, end: 0, resolution: ALL_TIME } : time;
  const limit = (time.kind === 'total' ? undefined : time.count) ?? Math.floor((end - start) / resolution) + 1;
  const named = (name: string): string => (name === 'namespace' ? 'ns' : name);
  const measurements = metrics.map((name) => `${name}=SUM`).join(', ');
  const dimensions = [...tags].map(([name, value]) => `${named(name)}=${value}`).join(', ');
  const cube =
    `aggregation=null, startTs=${start}, endTs=${end}, resolution=${resolution}, limit=${limit}, ` +
    `measurements={${measurements}}, dimensionValues={${dimensions}}, ` +
    `groupByDimensions=[${groupBy.map(named).join(', ')}], interpolator=null`;
  refuse(400, `There's no data aggregated for specified dimensions to satisfy the query: CubeQuery{${cube}}`);
}

function seriesOf(store: Store, query: MetricsQuery, time: MetricsTime): Iterable<Series> {
  const found = new Map<string, Series>();
  const isTotal = time.kind === 'total';
  const reach = { from: isTotal ? 0 : time.start, to: isTotal ? Infinity : time.end, runs: Infinity };
  for (const { tags, counted, times } of sourcesWith(store, query.tags, query.groupBy, reach)) {
    if (!query.groupBy.every((name) => tags.has(name))) continue;
    const groups = query.groupBy.map((name) => [name, tags.get(name) ?? ''] as const);
    for (const metricName of query.metrics) {
      const value = counted.get(metricName);
      if (value === undefined) continue;
      const key = JSON.stringify([metricName, groups]);
      const series = found.get(key) ?? { metricName, grouping: Object.fromEntries(groups), points: new Map() };
      found.set(key, series);
      addTo(series.points, value, times, time);
    }
  }
  return found.values();
}

/** Adds a value in equal parts at its times, the rest at the last. */
function addTo(points: Series['points'], value: number, times: readonly number[], time: MetricsTime): void {
  if (time.kind === 'total') {
    points.set(0, (points.get(0) ?? 0) + value);
    return;
  }
  const part = Math.floor(value / times.length);
  for (const [index, at] of times.entries()) {
    const aligned = at - (at % time.resolution);
    const own = index === times.length - 1 ? value - part * index : part;
    if (aligned < time.start || aligned > time.end || own === 0) continue;
    points.set(aligned, (points.get(aligned) ?? 0) + own);
  }
}

function shown(points: Series['points'], time: MetricsTime): Point[] {
  const sorted = [...points].map(([at, value]) => ({ time: at, value })).sort((a, b) => a.time - b.time);
  if (time.kind === 'total') return sorted;
  const filled = interpolated(sorted, time);
  const { count, thinning } = time;
  if (count === undefined || filled.length <= count) return filled;
  if (thinning === 'FALSE') return filled.slice(0, count);
  const size = Math.ceil(filled.length / count);
  const buckets = Array.from({ length: Math.ceil(filled.length / size) }, (_, at) => {
    return filled.slice(at * size, (at + 1) * size);
  });
  return buckets.flatMap((bucket) => {
    const last = bucket.at(-1);
    if (last === undefined) return [];
    return { ...last, value: thinning === 'SUM' ? bucket.reduce((sum, { value }) => sum + value, 0) : last.value };
  });
}

/** Points between those that are there, where the query asks for them. Over a gap that is too long they are 0. */
function interpolated(points: readonly Point[], time: Extract<MetricsTime, { kind: 'series' }>): Point[] {
  const { interpolate, resolution, gap } = time;
  if (interpolate !== 'step' && interpolate !== 'linear') return [...points];
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    if (next === undefined) return [point];
    const steps = Math.round((next.time - point.time) / resolution);
    const isBridged = next.time - point.time <= gap;
    const between = Array.from({ length: steps - 1 }, (_, at) => {
      const slope = interpolate === 'linear' ? ((next.value - point.value) * (at + 1)) / steps : 0;
      return { time: point.time + (at + 1) * resolution, value: isBridged ? Math.round(point.value + slope) : 0 };
    });
    return [point, ...between];
  });
}
