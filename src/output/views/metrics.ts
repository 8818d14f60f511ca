import * as z from 'zod/mini';
import { formatDuration } from '../../core/duration.js';
import { formatTime } from '../../core/time.js';
import { thousands } from '../thousands.js';
import type { MetricsFound } from '../../services/metrics/query.js';
import type { Look } from '../look.js';
import { sparkline, WIDEST_SPARKLINE } from '../sparkline.js';
import { view } from './view.js';
import { type Column, type ListParts, type ListResult, type RenderOptions, type View } from '../view-types.js';
import { displayWidth } from '../width.js';
import { cellText, heading } from '../writers/columns.js';
import { renderList } from '../writers/list.js';

const Series = z.object({
  metricName: z.string(),
  grouping: z.record(z.string(), z.string()),
  resolution: z.string(),
  data: z.array(z.object({ time: z.number(), value: z.union([z.number(), z.string()]) })),
});
type Series = MetricsFound['series'][number];

/** Numbers of metrics, and whether a time series may be drawn. */
export interface MetricsShown extends MetricsFound {
  readonly spark: boolean;
}

const KIND = 'MetricsResult';
/** A drawing that is narrower tells nothing. */
const NARROWEST_TREND = 8;
const nameOf = ({ metricName }: Series): string => metricName;
const groupOf = ({ grouping }: Series): readonly string[] =>
  Object.entries(grouping).map(([tag, value]) => `${tag}=${value}`);
const isGrouped = ({ series }: MetricsFound): boolean => series.some((one) => groupOf(one).length > 0);

const group: Column<Series> = { key: 'grouping', header: 'GROUP', value: groupOf };
const metric: Column<Series> = { key: 'metricName', header: 'METRIC', value: nameOf, whole: true };
/** As `--resolution` takes it: `60s` is `1m`. */
function stepText({ resolution: text }: Series): string {
  const seconds = /^(\d+)s$/u.exec(text)?.[1];
  return seconds === undefined ? text : formatDuration(Number(seconds) * 1000);
}

const resolution: Column<Series> = { key: 'resolution', value: stepText, wide: true };

function totalColumns(found: MetricsFound, look: Look): readonly Column<Series>[] {
  const value: Column<Series> = {
    key: 'value',
    align: 'right',
    value: ({ data }) => thousands(data[0]?.value, look),
  };
  return [metric, { ...group, wide: !isGrouped(found) }, value, resolution];
}

/** What a drawing may take of the line beside other columns; too little to tell anything: undefined. */
function roomBeside(columns: readonly Column<Series>[], { series }: MetricsFound, look: Look): number | undefined {
  const widths = columns.map((column) =>
    series.reduce(
      (width, one) => Math.max(width, displayWidth(cellText(column.value(one), look))),
      displayWidth(heading(column)),
    ),
  );
  const room = (look.columns ?? Infinity) - widths.reduce((sum, width) => sum + width + 2, 0);
  return room < NARROWEST_TREND ? undefined : Math.min(WIDEST_SPARKLINE, room);
}

function trendColumns(shown: MetricsShown, { look, format }: RenderOptions): readonly Column<Series>[] {
  const sum = ({ data }: Series): number => data.reduce((total, { value }) => total + Number(value), 0);
  const columns: readonly Column<Series>[] = [
    metric,
    { ...group, wide: !isGrouped(shown) },
    { key: 'points', align: 'right', value: ({ data }) => data.length },
    { key: 'sum', align: 'right', value: (one) => thousands(sum(one), look) },
    { key: 'last', align: 'right', value: ({ data }) => thousands(data.at(-1)?.value, look) },
    { ...resolution, wide: false },
  ];
  const beside = columns.filter(({ wide }) => wide !== true || format === 'wide');
  const room = shown.spark && look.terminal ? roomBeside(beside, shown, look) : undefined;
  if (room === undefined) return columns;
  const trend = (one: Series): string => {
    const points = one.data.map(({ time, value }) => ({ time, value: Number(value) }));
    const step = Math.max(1, Number.parseInt(one.resolution, 10) || 1);
    return sparkline({ points, start: shown.startTime, end: shown.endTime, step }, look, room);
  };
  return [...columns, { key: 'trend', value: trend }];
}

/** Rows of csv: one for each point. */
interface Point {
  readonly series: Series;
  readonly time: number;
  readonly value: number | string;
}

const points: ListParts<Point> = {
  kind: KIND,
  schema: Series,
  name: ({ series }) => nameOf(series),
  columns: [
    { key: 'metricName', value: ({ series }) => series.metricName },
    { key: 'grouping', value: ({ series }) => (groupOf(series).length === 0 ? '' : series.grouping) },
    { key: 'resolution', value: ({ series }) => series.resolution },
    { key: 'time', value: ({ time }) => time },
    { key: 'timeAt', value: ({ time, series }) => (series.resolution === 'total' ? '' : formatTime(time * 1000)) },
    { key: 'value', value: ({ value }) => value },
  ],
};

function* pointsOf({ series: all }: MetricsFound): Generator<Point> {
  for (const series of all) for (const { time, value } of series.data) yield { series, time, value };
}

function listOf({ series, startTime, endTime }: MetricsFound): ListResult<Series> {
  const twins = { startTimeAt: formatTime(startTime * 1000), endTimeAt: formatTime(endTime * 1000) };
  const isTotal = series.every((one) => one.resolution === 'total');
  return {
    items: series,
    members: { startTime, ...(isTotal ? {} : { startTimeAt: twins.startTimeAt }), endTime, endTimeAt: twins.endTimeAt },
  };
}

const parts = { kind: KIND, none: 'no metrics found', schema: Series, name: nameOf };

function render(shown: MetricsShown, options: RenderOptions): AsyncIterable<string> {
  if (options.format === 'csv') return renderList(points, { items: pointsOf(shown) }, options);
  const { look } = options;
  const isTotal = shown.series.every((one) => one.resolution === 'total');
  const columns = isTotal ? totalColumns(shown, look) : trendColumns(shown, options);
  return renderList({ ...parts, columns }, listOf(shown), options);
}

/** Shows numbers of metrics: a line for each series, in csv one for each point. */
export const metricsResult: View<MetricsShown> = {
  ...view<typeof Series, Series>({ ...parts, columns: [] }),
  render,
};
