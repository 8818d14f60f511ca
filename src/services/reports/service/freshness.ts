import { CliError, type ErrorCode } from '../../../core/errors.js';
import { largestOf } from '../../../core/collections.js';
import type { Platform } from '../../../platform/client.js';
import { queryMetrics, type MetricResult } from '../../../platform/metrics.js';
import { REPORT_PROGRAM } from './state.js';

const LAST_SYNC = 'user.run.metadata.last.sync.time.millis';
const PROCESSED = 'user.program.status.processed';
/** What the metrics service says when it is off or not for this user. */
const UNTOLD: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'FORBIDDEN', 'NOT_FOUND']);
/** Milliseconds that the service may be behind. */
const DELAY = 15 * 60_000;
const DAY = 86_400_000;

/**
 * What the report service has collected so far. Both are absent when it has collected nothing (docs/platform.md 1.1).
 */
export interface ReportFreshness {
  /** When it last took in events of runs, milliseconds since the epoch. */
  readonly lastSync?: number;
  /** How many events of runs it has taken in. */
  readonly processed?: number;
}

/** Whether the service collects: without this every report of it is empty, whatever ran. */
export const collects = ({ lastSync, processed }: ReportFreshness): boolean =>
  lastSync !== undefined || processed !== undefined;

/**
 * Whether the service has taken in what ran until `end` (epoch seconds), as far as that is past. `now` in milliseconds.
 * Where nothing ran since its last sync this cannot be known.
 */
export function isUpToDate({ lastSync }: ReportFreshness, end: number, now: number): boolean {
  // A time to come is the sum of the times of several runs of the service.
  return lastSync !== undefined && lastSync >= Math.min(end * 1000, now) - DELAY && lastSync < now + DAY;
}

/** As `reportFreshness`; undefined where the metrics cannot be had. */
export async function knownFreshness(platform: Platform, signal: AbortSignal): Promise<ReportFreshness | undefined> {
  try {
    return await reportFreshness(platform, signal);
  } catch (error) {
    if (error instanceof CliError && UNTOLD.has(error.code)) return undefined;
    throw error;
  }
}

/** Reads from the metrics of the report service what it has collected. */
export async function reportFreshness(platform: Platform, signal: AbortSignal): Promise<ReportFreshness> {
  const { namespace, application } = REPORT_PROGRAM;
  const tags = { namespace, app: application };
  const query = { tags, metrics: [LAST_SYNC, PROCESSED], timeRange: { aggregate: 'true' as const } };
  const { service } = await platform.call(queryMetrics, { service: query }, signal);
  const lastSync = service && valueOf(service, LAST_SYNC);
  const processed = service && valueOf(service, PROCESSED);
  return { ...(lastSync !== undefined && { lastSync }), ...(processed !== undefined && { processed }) };
}

function valueOf({ series }: MetricResult, name: string): number | undefined {
  const values = series
    .filter(({ metricName }) => metricName === name)
    .flatMap(({ data }) => data.map(({ value }) => Number(value)));
  return values.length === 0 ? undefined : largestOf(values);
}
