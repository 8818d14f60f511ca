import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import type { Platform } from '../../platform/client.js';
import type { ReportRequest } from './request.js';
import { runRecords } from './runs-report.js';
import { collects, reportFreshness } from './service-freshness.js';
import { reportServiceState, type ReportServiceState } from './service-state.js';
import type { ReportDetail, ReportEngine } from './source.js';

/** Which engine is to make a report: one of the two, or the platform's service where it runs and has data. */
export const ENGINES = ['auto', 'platform', 'runs'] as const;
/** One of `ENGINES`. */
export type EngineWanted = (typeof ENGINES)[number];

/** The engine of a report; `why` is for people, and undefined when it was asked for by name. */
export interface EngineChoice {
  readonly engine: ReportEngine;
  readonly why?: string;
}

const OFF: Readonly<Record<Exclude<ReportServiceState, 'running'>, string>> = {
  'no-artifact': 'this platform ships without a report service',
  absent: 'the report service of the platform is not deployed',
  stopped: 'the report service of the platform is stopped',
  starting: 'the report service of the platform does not answer yet',
};
/** Statuses of runs that the report service has not heard of. */
const NOT_BEGUN: readonly unknown[] = ['PENDING', 'REJECTED'];

/** Chooses who makes a report: `auto` takes the platform's service where it runs and has collected anything, else the records of runs (decision 8). */
export async function chooseEngine(
  wanted: EngineWanted,
  platform: Platform,
  signal: AbortSignal,
): Promise<EngineChoice> {
  if (wanted !== 'auto') return { engine: wanted };
  try {
    const state = await reportServiceState(platform, signal);
    if (state !== 'running') return { engine: 'runs', why: OFF[state] };
    if (collects(await reportFreshness(platform, signal)))
      return { engine: 'platform', why: 'the report service of the platform runs and collects' };
    return { engine: 'runs', why: 'the report service of the platform has collected nothing' };
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'FORBIDDEN') throw error;
    return { engine: 'runs', why: 'the platform does not let you look at its report service' };
  }
}

/** Whether a finished report of the platform has no record although runs are in its window that pass its filters: its service missed them. */
export async function missesRuns(
  platform: Platform,
  { summary, request, created }: Pick<ReportDetail, 'summary' | 'request' | 'created'>,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (summary === undefined || summary.recordCount > 0) return false;
  const looked: ReportRequest = { ...request, fields: ['run'] };
  for await (const records of runRecords(platform, looked, clock, signal))
    if (records.some(({ start, status }) => Number(start) <= created && !NOT_BEGUN.includes(status))) return true;
  return false;
}

/** The error of a report without records whose service missed the runs (contract 1.1): an empty answer would pass for the truth. */
export function reportsEmpty(id: string | undefined): CliError {
  const named = id === undefined ? 'the report' : `the report ${id}`;
  return new CliError('REPORTS_EMPTY', `${named} of the platform has no runs, although there were some in its window`, {
    hints: [
      'the same command with --engine runs makes the report from the records of runs',
      'cdapctl report service status',
    ],
    ...(id !== undefined && { target: { report: id } }),
  });
}
