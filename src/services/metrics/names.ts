import { closest } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { matchesGlob } from '../../core/glob.js';
import type { Platform } from '../../platform/client.js';
import { searchMetrics } from '../../platform/metrics.js';
import { stageMetrics } from './stages.js';

const PATTERN = /[*?]/u;
/** Counters of every pipeline that exist only once there was something to count. */
const SYSTEM_COUNTERS = [
  ...['trace', 'debug', 'info', 'warn', 'error'].map((level) => `system.app.log.${level}`),
  ...['completed', 'failed', 'killed', 'rejected'].map((end) => `system.program.${end}.runs`),
];

/** A metric name without series: whether it is a known metric, and if not, what was perhaps meant. */
export interface Nameless {
  readonly name: string;
  readonly known: boolean;
  readonly near?: string | undefined;
}

/** Expands patterns among metric names; `patterns` tells which names each one matched. */
export async function namedMetrics(
  names: readonly string[],
  tags: Readonly<Record<string, string>>,
  platform: Platform,
  signal: AbortSignal,
): Promise<{ readonly metrics: readonly string[]; readonly patterns: ReadonlyMap<string, readonly string[]> }> {
  if (!names.some((name) => PATTERN.test(name))) return { metrics: names, patterns: new Map() };
  const searched = Object.entries(tags).map(([name, value]) => ({ name, value }));
  const counted = [...new Set(await platform.call(searchMetrics, { tags: searched }, signal))].sort();
  const patterns = new Map(
    names
      .filter((name) => PATTERN.test(name) && !counted.includes(name))
      .map((pattern) => [pattern, counted.filter((name) => matchesGlob(pattern, name))]),
  );
  return { metrics: [...new Set(names.flatMap((name) => patterns.get(name) ?? [name]))], patterns };
}

/** Refuses what cannot be the name of a metric. */
export function checkMetricName(name: string): string {
  if (name.trim() !== '' && name.length <= 1000 && !/[\u0000-\u001f\u007f]/u.test(name)) return name;
  throw new CliError('USAGE', `${JSON.stringify(name.slice(0, 60))} is not a metric name`, {
    hints: [{ next: 'list-metrics' }],
  });
}

/** The one metric whose name begins or ends with a part of a name; undefined where several do. */
function onlyLonger(part: string, names: Iterable<string>): string | undefined {
  const [only, ...others] = [...names].filter((name) => name.startsWith(part) || name.endsWith(`.${part}`));
  return others.length === 0 ? only : undefined;
}

/**
 * Tells metrics that were never counted from unknown names. A name is known if some run of the application counted it,
 * or one of its stages would. Asks the platform at most once.
 */
export async function explainMissing(
  names: readonly string[],
  application: { readonly namespace: string; readonly name: string; readonly stages: readonly string[] | undefined },
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly Nameless[]> {
  const ofStages = stageMetrics(application.stages ?? []);
  const declared = new Set([...ofStages, ...SYSTEM_COUNTERS]);
  if (names.every((name) => declared.has(name))) return names.map((name) => ({ name, known: true }));
  const tags = [
    { name: 'namespace', value: application.namespace },
    { name: 'app', value: application.name },
  ];
  const counted = await platform.call(searchMetrics, { tags }, signal);
  for (const name of counted) declared.add(name);
  return names.map((name) => {
    if (declared.has(name)) return { name, known: true };
    return { name, known: false, near: closest(name, declared) ?? onlyLonger(name, declared) };
  });
}
