import { CliError, type ErrorCode } from '../../../core/errors.js';
import { compareVersionTexts } from '../../../core/version.js';
import { getProgramStatus } from '../../../platform/apps.js';
import { listArtifacts, type ArtifactSummary } from '../../../platform/artifacts.js';
import type { Platform } from '../../../platform/client.js';
import { getHealth } from '../../../platform/programs.js';

/** The program that makes reports on a platform (docs/platform.md 1). */
export const REPORT_PROGRAM = {
  namespace: 'system',
  application: 'ReportGenerationApp',
  type: 'spark',
  program: 'ReportGenerationSpark',
} as const;

/** The artifact that its application is made from; it comes with the platform. */
export const REPORT_ARTIFACT = 'cdap-program-report';

/**
 * The state of a platform's report service. `no-artifact`: the service is not available; `absent`: its application is
 * not deployed; `starting`: it does not answer yet.
 */
export type ReportServiceState = 'no-artifact' | 'absent' | 'stopped' | 'starting' | 'running';

/**
 * The newest artifact of the report service. Undefined where the platform ships without reports (docs/platform.md 1.1).
 */
export async function reportArtifact(platform: Platform, signal: AbortSignal): Promise<ArtifactSummary | undefined> {
  // The namespace system has no list of its own; every namespace sees the artifacts of the system.
  const all = (await platform.find(listArtifacts, { namespace: 'default' }, signal)) ?? [];
  return all
    .filter(({ name, scope }) => name === REPORT_ARTIFACT && scope.toUpperCase() === 'SYSTEM')
    .sort((a, b) => compareVersionTexts(b.version, a.version))[0];
}

/** How a service looks that warms up: the platform says 503, or closes each connection. */
const WARMING_UP: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'NET_RESET']);

/** Whether the service answers (docs/platform.md 1.1). */
export async function isReportServiceHealthy(platform: Platform, signal: AbortSignal): Promise<boolean> {
  try {
    return (await platform.find(getHealth, REPORT_PROGRAM, signal)) !== undefined;
  } catch (error) {
    if (error instanceof CliError && WARMING_UP.has(error.code)) return false;
    throw error;
  }
}

/** How the report service of a platform is right now; only reads. */
export async function reportServiceState(platform: Platform, signal: AbortSignal): Promise<ReportServiceState> {
  const program = await platform.find(getProgramStatus, REPORT_PROGRAM, signal);
  if (program === undefined) return (await reportArtifact(platform, signal)) === undefined ? 'no-artifact' : 'absent';
  if (program.status === 'STOPPED') return 'stopped';
  if (program.status !== 'RUNNING') return 'starting';
  return (await isReportServiceHealthy(platform, signal)) ? 'running' : 'starting';
}
