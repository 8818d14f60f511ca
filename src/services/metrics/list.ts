import { matchesGlob } from '../../core/glob.js';
import type { Platform } from '../../platform/client.js';
import { searchMetrics, searchMetricTags, type MetricTag } from '../../platform/metrics.js';
import { findPipeline } from './pipeline.js';
import { findRun } from '../pipelines/find-run.js';
import { tagsOf } from './tags.js';

/** Which names of metrics are wanted. */
export interface NameOptions {
  readonly pipeline: { readonly namespace: string; readonly name: string };
  readonly run: string | undefined;
  readonly tags: readonly MetricTag[];
  readonly scope: 'user' | 'system' | undefined;
  readonly match: string | undefined;
}

/** The names of the metrics that a pipeline, or a run of it, has counted, by name. */
export async function listMetricNames(
  wanted: NameOptions,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly scope: 'user' | 'system' }[]> {
  const pipeline = await findPipeline(wanted.pipeline, platform, signal);
  const run = wanted.run === undefined ? undefined : await findRun(wanted.run, pipeline, platform, signal);
  const tags = Object.entries(tagsOf(pipeline, { run: run?.runid, given: wanted.tags }));
  const names = await platform.call(searchMetrics, { tags: tags.map(([name, value]) => ({ name, value })) }, signal);
  return [...new Set(names)]
    .sort()
    .map((name) => ({ name, scope: name.startsWith('user.') ? ('user' as const) : ('system' as const) }))
    .filter(({ scope }) => wanted.scope === undefined || wanted.scope === scope)
    .filter(({ name }) => wanted.match === undefined || matchesGlob(wanted.match, name));
}

/** The tags that come next after some, by name and value. */
export async function listMetricTags(
  tags: readonly MetricTag[],
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly MetricTag[]> {
  const found = await platform.call(searchMetricTags, { tags }, signal);
  const key = ({ name, value }: MetricTag): string => `${name}=${value}`;
  const all = new Map(found.map(({ name, value }) => [key({ name, value }), { name, value }]));
  return [...all.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
