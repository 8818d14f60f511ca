import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import { CliError } from '../../core/errors.js';
import { isMachineFormat } from '../../output/format.js';
import { hintText } from '../../output/next-steps.js';
import type { RenderOptions } from '../../output/view-types.js';
import { metricsResult } from '../../output/views/metrics.js';
import { stageMetricsList } from '../../output/views/metrics-stages.js';
import type { FoundMetrics } from '../../services/metrics/read.js';
import { groupText } from '../../services/metrics/query.js';
import type { Session } from '../../cli/session.js';
import type { Terminal } from '../../cli/terminal/terminal.js';
import { tellFailedRun } from '../failed-run.js';

const COUNTED = ['recordsIn', 'recordsOut', 'errors', 'processTimeAvgMicros'] as const;

/** What a look at metrics found, as rows: `key` tells which row it is, `item` is its JSON. */
export interface MetricRows {
  readonly rows: readonly { readonly key: string; readonly item: object }[];
  /** The text of all rows, or of some. */
  readonly render: (options: RenderOptions, keep?: (key: string) => boolean) => AsyncIterable<string>;
}

/** Makes rows of what was found. */
export function rowsOf({ found, stages }: FoundMetrics, spark: boolean): MetricRows {
  const all = (): boolean => true;
  if (stages !== undefined)
    return {
      rows: stages.map((item) => ({ key: item.stage, item })),
      render: (options, keep = all) =>
        stageMetricsList.render({ items: stages.filter(({ stage }) => keep(stage)) }, options),
    };
  const keyed = found.series.map((item) => ({ key: JSON.stringify([item.metricName, groupText(item)]), item }));
  return {
    rows: keyed,
    render(options, keep = all) {
      const series = keyed.filter(({ key }) => keep(key)).map(({ item }) => item);
      return metricsResult.render({ ...found, series, spark }, options);
    },
  };
}

/** Says which metrics have no series, and which name was perhaps meant. */
export function warnOfMissing({ pipeline, missing, judgedMissing = [] }: FoundMetrics, terminal: Terminal): void {
  for (const { name, known, near } of [...missing, ...judgedMissing]) {
    if (known) terminal.warn('NO_SERIES', `no data for ${name}; it counts as 0`);
    else {
      const list = hintText({ next: 'list-metrics', pipeline });
      const hint = near === undefined ? `to list metrics with data: ${list}` : `did you mean "${near}"?`;
      const what = /[*?]/u.test(name) ? 'no metric matches' : 'unknown metric';
      terminal.warn('METRIC_UNKNOWN', `${what} ${name}; ${hint}`);
    }
  }
}

/** Says which numbers are no averages, although their name says so. */
export function warnOfSums(
  { pipeline, summed = [] }: FoundMetrics,
  { argv, terminal }: Pick<Session, 'argv' | 'terminal'>,
): void {
  if (summed.length === 0) return;
  const top = commandLine(['metrics', 'top', pipeline, ...connectionWords(argv)]);
  const what = `the platform adds up the values of all runs for ${summed.join(', ')}`;
  terminal.warn('METRIC_SUM', `${what}; to see one run: --run latest; the average of all: ${top}`);
}

/** The error of a look at metrics, if any. GATE when a condition holds, NOT_FOUND when a required result is missing. */
export function failureOfMetrics(seen: FoundMetrics, needsResult: boolean): CliError | undefined {
  const { found, stages, missing, held } = seen;
  const item = stages === undefined ? { items: found.series } : { items: stages };
  if (held.length > 0) {
    const conditions = held.map(({ condition, found: why }) => `${condition.trim()} (${why.join(', ')})`);
    return new CliError('GATE', `condition met: ${conditions.join(', ')}`, { item });
  }
  const isEmpty = stages?.every((stage) => COUNTED.every((name) => stage[name] === undefined));
  if (!needsResult || (missing.length === 0 && isEmpty !== true)) return undefined;
  const names = missing.map(({ name }) => name);
  const what = names.length === 0 ? 'any stage' : names.join(', ');
  return new CliError('NOT_FOUND', `no data for ${what}`, { item });
}

/** Writes what was found, and throws the error that it ends with. Programs get one document, which holds both. */
export async function showMetrics(
  seen: FoundMetrics,
  { spark, needsResult }: { readonly spark: boolean; readonly needsResult: boolean },
  options: RenderOptions,
  session: Pick<Session, 'argv' | 'env' | 'terminal'>,
): Promise<void> {
  const { terminal } = session;
  warnOfMissing(seen, terminal);
  warnOfSums(seen, session);
  const failure = failureOfMetrics(seen, needsResult);
  if (failure === undefined || !isMachineFormat(options.format))
    for await (const text of rowsOf(seen, spark).render(options)) await terminal.write(text);
  tellFailedRun(seen.failedRun, session);
  if (failure !== undefined) throw failure;
}
