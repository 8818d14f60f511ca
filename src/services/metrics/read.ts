import type { Condition } from '../../core/condition.js';
import { didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { getApplicationVersion } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { searchMetrics, type MetricTag, type MetricTime } from '../../platform/metrics.js';
import type { RunRecord } from '../../platform/runs.js';
import { heldConditions, type HeldCondition } from './gate.js';
import { explainMissing, namedMetrics, type Nameless } from './names.js';
import { findPipeline, stagesOf, type MetricPipeline } from './pipeline.js';
import { readSeries, type MetricsFound } from './query.js';
import { findRun } from '../pipelines/find-run.js';
import { countStages, type StageCounts } from './stages.js';
import { tagsOf } from './tags.js';

/** Which numbers of a pipeline are wanted; no metrics: what every stage has counted. */
export interface MetricsOptions {
  readonly pipeline: { readonly namespace: string; readonly name: string };
  readonly metrics: readonly string[];
  readonly run: string | undefined;
  readonly tags: readonly MetricTag[];
  readonly groupBy: readonly string[];
  readonly time: MetricTime | undefined;
  readonly conditions: readonly Condition[];
  /** What the conditions are called in messages. */
  readonly gate: string;
  /** Whether conditions may be judged before anything was counted: for a run watched from its start. */
  readonly mayBeEarly?: boolean;
}

/** What a look at metrics found: numbers of metrics, or with `stages` what stages have counted. */
export interface FoundMetrics {
  /** `NAMESPACE/NAME`. */
  readonly pipeline: string;
  readonly found: MetricsFound;
  readonly stages: readonly StageCounts[] | undefined;
  /** The metrics that were named and have no series. */
  readonly missing: readonly Nameless[];
  /** The metrics that conditions name and `missing` does not, that have no series; they count as 0. */
  readonly judgedMissing?: readonly Nameless[];
  readonly held: readonly HeldCondition[];
  /** Averages and the like of several runs, which the platform adds up (docs/platform.md 3.2). */
  readonly summed?: readonly string[];
  /** The run that the numbers are of, where it failed. */
  readonly failedRun?: { readonly namespace: string; readonly pipeline: string; readonly run: string } | undefined;
}

/** What is a number of one run, not a count: the average, the least, the most. */
const GAUGE = /\.process\.time\.(?:avg|min|max|stddev)$/u;
const NOTHING: MetricsFound = { series: [], startTime: 0, endTime: 0 };

/**
 * Reads the numbers of a pipeline and judges the conditions.
 * @throws NOT_FOUND for a pipeline, a run, or a metric or the tags of a condition that do not exist
 */
export async function readMetrics(
  look: MetricsOptions,
  platform: Platform,
  signal: AbortSignal,
): Promise<FoundMetrics> {
  const { groupBy, conditions, time } = look;
  const { pipeline, run } = await placeOf(look, platform, signal);
  const tags = tagsOf(pipeline, { run: run?.runid, groupBy, given: look.tags });
  const { metrics, patterns } = await namedMetrics(look.metrics, tags, platform, signal);
  const judged = conditions.map(({ name }) => name);
  const read = (wanted: readonly string[], groups: readonly string[]): Promise<MetricsFound> =>
    wanted.length === 0
      ? Promise.resolve(NOTHING)
      : readSeries({ tags, metrics: wanted, groupBy: groups, time }, platform, signal);
  const all = await read(groupBy.length === 0 ? [...metrics, ...judged] : metrics, groupBy);
  // Groups that do not fit a metric have no series, and would make the gate green.
  const gates = groupBy.length === 0 ? all : await read(judged, []);
  const absent = [...new Set([...lacking(metrics, all), ...lacking(judged, gates)])];
  const missing = absent.length === 0 ? [] : await explainMissing(absent, pipeline, platform, signal);
  refuseUnknown(look, missing, pipeline);
  if (judged.length > 0 && lacking(judged, gates).length === judged.length && look.mayBeEarly !== true)
    await refuseUncounted({ ...look, pipeline, run: run?.runid }, tags, platform, signal);
  const stages = look.metrics.length === 0 ? await countStages(tags, pipeline.stages, platform, signal) : undefined;
  const named = missing.filter(({ name }) => look.metrics.includes(name) && lacking(metrics, all).includes(name));
  return {
    pipeline: `${pipeline.namespace}/${pipeline.name}`,
    found: { ...all, series: all.series.filter(({ metricName }) => metrics.includes(metricName)) },
    stages,
    missing: [...emptyPatterns(patterns, all), ...named],
    judgedMissing: missing.filter((one) => lacking(judged, gates).includes(one.name) && !named.includes(one)),
    held: heldConditions(conditions, gates.series),
    summed:
      (tags['run'] ?? '*') === '*' ? gaugesIn([...(groupBy.includes('run') ? [] : all.series), ...gates.series]) : [],
    failedRun:
      run?.status === 'FAILED' ? { namespace: pipeline.namespace, pipeline: pipeline.name, run: run.runid } : undefined,
  };
}

const gaugesIn = (series: MetricsFound['series']): readonly string[] => [
  ...new Set(series.map(({ metricName }) => metricName).filter((name) => GAUGE.test(name))),
];

/** The patterns none of whose metrics has a series; what one of many has not counted is no news. */
function emptyPatterns(
  patterns: ReadonlyMap<string, readonly string[]>,
  { series }: MetricsFound,
): readonly Nameless[] {
  const found = new Set(series.map(({ metricName }) => metricName));
  return [...patterns]
    .filter(([, names]) => !names.some((name) => found.has(name)))
    .map(([name, names]) => ({ name, known: names.length > 0 }));
}

const lacking = (names: readonly string[], { series }: MetricsFound): readonly string[] =>
  names.filter((name) => !series.some(({ metricName }) => metricName === name));

/** The pipeline and the run of it that are meant; the stages are those that the run had. */
async function placeOf(
  { pipeline: named, run: word }: MetricsOptions,
  platform: Platform,
  signal: AbortSignal,
): Promise<{ readonly pipeline: MetricPipeline; readonly run: RunRecord | undefined }> {
  const pipeline = await findPipeline(named, platform, signal);
  if (word === undefined) return { pipeline, run: undefined };
  const run = await findRun(word, pipeline, platform, signal);
  const { version } = run;
  if (version === undefined || version === pipeline.version) return { pipeline, run };
  const place = { namespace: pipeline.namespace, application: pipeline.name, version };
  const then = await platform.find(getApplicationVersion, place, signal);
  return { pipeline: { ...pipeline, stages: (then && stagesOf(then)) ?? pipeline.stages }, run };
}

/** A gate on a metric that does not exist would be green forever. */
function refuseUnknown(
  { conditions, gate }: Pick<MetricsOptions, 'conditions' | 'gate'>,
  missing: readonly Nameless[],
  { namespace, name: pipeline }: MetricPipeline,
): void {
  const unknown = missing.filter(
    ({ name, known }) => !known && conditions.some((condition) => condition.name === name),
  );
  const [first] = unknown;
  if (first === undefined) return;
  const what =
    unknown.length === 1 ? `metric "${first.name}"` : `metrics ${unknown.map(({ name }) => name).join(', ')}`;
  throw new CliError('NOT_FOUND', `${gate}: pipeline "${pipeline}" has no ${what}`, {
    hints: [
      ...unknown.flatMap(({ near }) => didYouMean(near)),
      { next: 'list-metrics', pipeline: `${namespace}/${pipeline}` },
    ],
    target: { namespace, pipeline, metric: first.name },
  });
}

/**
 * Refuses a gate where nothing was ever counted: for a tag, a run, or a pipeline that never ran. Such a gate could not
 * be trusted either.
 */
async function refuseUncounted(
  { pipeline, run, tags: given, gate }: Pick<MetricsOptions, 'pipeline' | 'run' | 'tags' | 'gate'>,
  tags: Readonly<Record<string, string>>,
  platform: Platform,
  signal: AbortSignal,
): Promise<void> {
  const all = Object.entries(tags).map(([name, value]) => ({ name, value }));
  if ((await platform.call(searchMetrics, { tags: all }, signal)).length > 0) return;
  const { namespace, name } = pipeline;
  const of = [...(run === undefined ? [] : [`run ${run}`]), ...given.map((tag) => `tag ${tag.name}=${tag.value}`)].join(
    ' ',
  );
  const what = of === '' ? `pipeline "${name}", which may never have run` : of;
  throw new CliError('NOT_FOUND', `${gate}: no data for ${what}`, {
    hints: [{ next: 'list-metric-tags', namespace, pipeline: name }],
    target: { namespace, pipeline: name },
  });
}
