import type { Platform } from '../../platform/client.js';
import { searchMetrics, type MetricSeries } from '../../platform/metrics.js';
import { readSeries } from './query.js';

/** A value of a metric; text where a number cannot hold it (docs/faults.md P34). */
export type MetricValue = MetricSeries['data'][number]['value'];

/** What a stage of a pipeline has counted; what was never counted is undefined. */
export interface StageCounts {
  readonly stage: string;
  readonly recordsIn?: MetricValue | undefined;
  readonly recordsOut?: MetricValue | undefined;
  readonly errors?: MetricValue | undefined;
  /** Microseconds for a record, on average. */
  readonly processTimeAvgMicros?: MetricValue | undefined;
}

const COUNTS = { recordsIn: 'records.in', recordsOut: 'records.out', errors: 'records.error' } as const;
const STAGE_METRIC = /^user\.(.+)\.(?:records\.(?:in|out|error)|process\.time\.avg)$/su;
/** What stages count, each as `user.STAGE.` and this. */
const STAGE_SUFFIXES = [
  'records.in',
  'records.out',
  'records.error',
  'records.alert',
  'process.time.total',
  'process.time.avg',
  'process.time.min',
  'process.time.max',
  'process.time.stddev',
  'aggregator.groups',
  'joiner.keys',
];

/** The names of what stages count, whether they have counted it or not. */
export function stageMetrics(stages: readonly string[]): readonly string[] {
  return stages.flatMap((stage) => STAGE_SUFFIXES.map((suffix) => `user.${stage}.${suffix}`));
}

/**
 * The stages that metrics are of: those of the configuration in its order, then others by name. Without the connectors
 * that the platform puts between phases.
 */
export function stagesIn(metrics: readonly string[], configured: readonly string[] = []): readonly string[] {
  const found = metrics.flatMap((name) => STAGE_METRIC.exec(name)?.[1] ?? []);
  const others = new Set(found.filter((stage) => !configured.includes(stage) && !isConnector(stage, configured)));
  return [...configured, ...[...others].sort()];
}

function isConnector(stage: string, configured: readonly string[]): boolean {
  return stage.endsWith('.connector') && configured.includes(stage.slice(0, -'.connector'.length));
}

/** The average of all runs. The platform would add up the averages of its runs (docs/platform.md 3.2). */
function averageTime(total: MetricValue | undefined, records: MetricValue | undefined): number | undefined {
  return typeof total === 'number' && typeof records === 'number' && records > 0
    ? Math.round((total / records) * 10) / 10
    : undefined;
}

/** What every stage has counted under the tags, over all time. */
export async function countStages(
  tags: Readonly<Record<string, string>>,
  configured: readonly string[] | undefined,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly StageCounts[]> {
  const searched = Object.entries(tags).map(([name, value]) => ({ name, value }));
  const stages = stagesIn(await platform.call(searchMetrics, { tags: searched }, signal), configured);
  const isOneRun = (tags['run'] ?? '*') !== '*';
  const counts = { ...COUNTS, time: isOneRun ? 'process.time.avg' : 'process.time.total' };
  const metrics = stages.flatMap((stage) => Object.values(counts).map((suffix) => `user.${stage}.${suffix}`));
  const { series } = await readSeries({ tags, metrics, groupBy: [], time: undefined }, platform, signal);
  const values = new Map(series.map(({ metricName, data }) => [metricName, data[0]?.value]));
  return stages.map((stage) => {
    const value = (count: keyof typeof counts): MetricValue | undefined => values.get(`user.${stage}.${counts[count]}`);
    const [recordsIn, recordsOut] = [value('recordsIn'), value('recordsOut')];
    return {
      stage,
      recordsIn,
      recordsOut,
      errors: value('errors'),
      processTimeAvgMicros: isOneRun ? value('time') : averageTime(value('time'), recordsIn ?? recordsOut),
    };
  });
}
