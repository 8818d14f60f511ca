import { getApplication, getProgramStatus } from '../../../platform/apps.js';
import type { Platform } from '../../../platform/client.js';
import { knownFreshness, type ReportFreshness } from './freshness.js';
import { isReportServiceHealthy, REPORT_PROGRAM, reportArtifact, type ReportServiceState } from './state.js';

/** Something that is done, or in a dry run would be done, to the report service. */
export interface ServiceChange {
  readonly what: 'deploy' | 'start' | 'stop';
  readonly state: 'planned' | 'done';
}

/** The report service of a platform as it was found, and what was done to it. */
export interface ReportService {
  readonly url: string;
  readonly platformVersion: string;
  readonly state: ReportServiceState;
  /** The artifact that its application is made from; undefined when it is not deployed. */
  readonly application?: { readonly artifact: string; readonly version: string } | undefined;
  /** The status of its program: STOPPED, STARTING or RUNNING. */
  readonly program?: string | undefined;
  /** Whether it answers. */
  readonly healthy: boolean;
  /** What it has collected; undefined when it does not run or nobody was asked. */
  readonly freshness?: ReportFreshness | undefined;
  readonly changes: readonly ServiceChange[];
}

/** Where a report service is, and of which version its platform. */
export interface ServicePlace {
  readonly platform: Platform;
  readonly url: string;
  readonly version: string;
}

/** Reads the status of the report service: application, program, health and what it has collected. */
export async function serviceStatus(
  { platform, url, version }: ServicePlace,
  signal: AbortSignal,
): Promise<ReportService> {
  const found = { url, platformVersion: version, healthy: false, changes: [] };
  const deployed = await platform.find(getApplication, REPORT_PROGRAM, signal);
  const program = deployed && (await platform.find(getProgramStatus, REPORT_PROGRAM, signal))?.status;
  if (deployed === undefined || program === undefined) {
    const artifact = await reportArtifact(platform, signal);
    return { ...found, state: artifact === undefined ? 'no-artifact' : 'absent' };
  }
  const application = { artifact: deployed.artifact.name, version: deployed.artifact.version };
  if (program === 'STOPPED') return { ...found, state: 'stopped', application, program };
  const healthy = await isReportServiceHealthy(platform, signal);
  const state = healthy && program === 'RUNNING' ? 'running' : 'starting';
  // Where the metrics cannot be had, all the rest is still worth telling.
  return { ...found, state, application, program, healthy, freshness: await knownFreshness(platform, signal) };
}
