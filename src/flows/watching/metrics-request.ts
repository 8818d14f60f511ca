import { parseCondition, type Condition } from '../../core/condition.js';
import { CliError } from '../../core/errors.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import type { MetricTag, MetricTime } from '../../platform/metrics.js';
import { checkMetricName } from '../../services/metrics/names.js';
import { checkTagName, parseTag } from '../../services/metrics/tags.js';
import { metricTime } from './metric-time.js';

/** What is shown of a time, or of groups, unless metrics are named. */
const FLOW: readonly string[] = ['user.*.records.in', 'user.*.records.out'];

/** The flags that say which numbers are wanted. */
export interface MetricFlags {
  readonly run?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly 'group-by'?: readonly string[] | undefined;
  readonly aggregate?: boolean;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly resolution?: string | undefined;
  readonly count?: number | undefined;
  readonly utc?: boolean | undefined;
  readonly 'fail-if'?: readonly string[] | undefined;
  readonly 'fail-on-no-result'?: boolean;
}

/**
 * What a command line about metrics asks for, checked as far as that goes without the platform. No metrics: what every
 * stage has counted.
 */
export interface MetricsRequest {
  readonly pipeline: string;
  readonly metrics: readonly string[];
  readonly run: string | undefined;
  readonly tags: readonly MetricTag[];
  readonly groupBy: readonly string[];
  /** Times that are relative to now are those of `now`. */
  readonly time: (now: number) => MetricTime | undefined;
  readonly conditions: readonly Condition[];
  readonly needsResult: boolean;
}

/**
 * Reads a command line about metrics. `now` in milliseconds.
 * @throws USAGE for what the platform would refuse
 */
export function metricsRequest(
  pipeline: string,
  metrics: readonly string[],
  flags: MetricFlags,
  now: number,
): MetricsRequest {
  const time = (at: number): MetricTime | undefined => metricTime(flags, at);
  const window = time(now);
  const hasTime = window !== undefined;
  const gates = flags['fail-if'] ?? [];
  if (gates.length > 0 && Number(window?.start) * 1000 > now)
    throw new CliError('USAGE', '--fail-if: the window is in the future, where nothing is counted yet', {
      hints: ['give a --start before now: --start now-1h'],
    });
  const groupBy = (flags['group-by'] ?? []).map(checkTagName);
  const isStages = metrics.length === 0 && !hasTime && groupBy.length === 0;
  return {
    pipeline: onePipeline(pipeline),
    metrics: (metrics.length === 0 && !isStages ? FLOW : metrics).map(checkMetricName),
    run: flags.run,
    tags: (flags.tag ?? []).map((text) => givenTag(text)),
    groupBy,
    time,
    conditions: gates.map((text) => parseCondition(text, 'user.sink.records.error>0')),
    needsResult: flags['fail-on-no-result'] === true,
  };
}

/** A tag of `--tag`, which the pipeline itself must not contradict. */
export function givenTag(text: string): MetricTag {
  const tag = parseTag(text);
  checkTagName(tag.name);
  if (tag.name === 'namespace' || tag.name === 'app')
    throw new CliError('USAGE', `--tag ${tag.name}: already set by the pipeline`);
  return tag;
}
