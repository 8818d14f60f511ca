import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { formatTime } from '../../core/time.js';
import type { Platform } from '../../platform/client.js';
import { PIPELINE } from './request/fields.js';
import type { ReportRecord } from './source/record.js';
import type { ReportRequest } from './request/request.js';
import { runRecords } from './runs/runs-report.js';
import { collects, isUpToDate, knownFreshness } from './service/freshness.js';
import { reportServiceState, type ReportServiceState } from './service/state.js';
import type { ReportDetail, ReportEngine } from './source/source.js';

/**
 * The engine that makes a report: one of two, or `auto` for the platform's service where it has data. The service must
 * also run.
 */
export const ENGINES = ['auto', 'platform', 'runs'] as const;
/** One of `ENGINES`. */
export type EngineName = (typeof ENGINES)[number];

/** The engine of a report; `why` is for people, and undefined when it was asked for by name. */
export interface EngineChoice {
  readonly engine: ReportEngine;
  readonly why?: string;
  /** What the report may lack, for people. */
  readonly doubt?: string;
}

/** What the choice is about. */
export interface EngineQuestion {
  /** What the report is filtered by. */
  readonly filters?: ReportRequest['filters'];
  readonly wanted: EngineName;
  /** The end of the report in epoch seconds. */
  readonly end: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const NO_PAIRS = 'the report service of the platform cannot select different pipelines in different namespaces';
const OFF: Readonly<Record<Exclude<ReportServiceState, 'running'>, string>> = {
  'no-artifact': 'this platform has no report service',
  absent: 'the report service of the platform is not deployed',
  stopped: 'the report service of the platform is stopped',
  starting: 'the report service of the platform does not respond yet',
};
/** Statuses of runs that the report service has not heard of. */
const NOT_BEGUN: readonly unknown[] = ['PENDING', 'REJECTED'];
/** Fields of a run that change after it began. */
const CHANGING: ReadonlySet<string> = new Set(['status', 'running', 'end', 'duration']);

/**
 * Chooses the engine of a report (docs/conventions.md D8). `auto` takes the platform's service where it runs and has
 * collected what the report is about, else the records of runs.
 */
export async function chooseEngine(
  { wanted, end, now, filters = [] }: EngineQuestion,
  platform: Platform,
  signal: AbortSignal,
): Promise<EngineChoice> {
  if (wanted === 'runs') return { engine: 'runs' };
  if (filters.some(({ fieldName }) => fieldName === PIPELINE.name)) {
    if (wanted === 'auto') return { engine: 'runs', why: NO_PAIRS };
    throw new CliError('USAGE', NO_PAIRS, {
      hints: [{ next: 'leave-engine-open' }],
    });
  }
  if (wanted === 'platform') return { engine: 'platform', ...(await doubtOf(end, now, platform, signal)) };
  try {
    const state = await reportServiceState(platform, signal);
    if (state !== 'running') return { engine: 'runs', why: OFF[state] };
    const freshness = await knownFreshness(platform, signal);
    if (freshness === undefined)
      return { engine: 'runs', why: 'it is unknown what the report service of the platform has collected' };
    if (!collects(freshness))
      return { engine: 'runs', why: 'the report service of the platform has collected nothing' };
    if (!isUpToDate(freshness, end, now)) return { engine: 'runs', why: lateWords(freshness.lastSync, now) };
    return { engine: 'platform', why: 'the report service of the platform runs and collects' };
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'FORBIDDEN') throw error;
    return { engine: 'runs', why: 'you have no permission to see the report service of the platform' };
  }
}

/** A service that has collected nothing shows by its empty report. */
async function doubtOf(
  end: number,
  now: number,
  platform: Platform,
  signal: AbortSignal,
): Promise<Pick<EngineChoice, 'doubt'>> {
  const freshness = await knownFreshness(platform, signal);
  if (freshness?.lastSync === undefined || isUpToDate(freshness, end, now)) return {};
  return { doubt: `${lateWords(freshness.lastSync, now)}: the report does not include later runs` };
}

/** Since when the service has taken in no runs. */
export function lateWords(lastSync: number | undefined, now: number): string {
  const when = lastSync === undefined || lastSync > now ? 'at an unknown time' : `at ${formatTime(lastSync)}`;
  return `the report service of the platform last collected runs ${when}`;
}

/**
 * Whether a finished, empty report of the platform should have had records: its service missed runs. That is the case
 * when runs in its window pass its filters.
 */
export async function missesRuns(
  platform: Platform,
  { summary, request, created }: Pick<ReportDetail, 'summary' | 'request' | 'created'>,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (summary === undefined || summary.recordCount > 0) return false;
  const looked: ReportRequest = { ...request, fields: ['run'] };
  const isOfChange = request.filters.some(({ fieldName }) => CHANGING.has(fieldName));
  // What a run that went on was like then is not known: only by now it may pass the filters.
  const wasSo = ({ start, end, status }: ReportRecord): boolean =>
    Number(start) <= created && !NOT_BEGUN.includes(status) && (!isOfChange || Number(end ?? Infinity) <= created);
  for await (const records of runRecords(platform, looked, clock, signal)) if (records.some(wasSo)) return true;
  return false;
}

/**
 * The error of an empty report whose service missed the runs (docs/platform.md 1.1). An empty answer would look like
 * the truth.
 */
export function reportsEmpty(id: string | undefined): CliError {
  const named = id === undefined ? 'the report' : `the report ${id}`;
  return new CliError(
    'REPORTS_EMPTY',
    `${named} of the platform has no runs, although there were runs in its time window`,
    {
      hints: [{ next: 'make-from-runs', like: id }, { next: 'report-service' }],
      ...(id !== undefined && { target: { report: id } }),
    },
  );
}
