import { getApplicationVersion, type ApplicationDetail } from '../../platform/apps.js';
import type { RunRecord } from '../../platform/runs.js';
import type { FoundPipeline } from './find.js';
import type { RunDeps } from './wait.js';

/** The pipeline in a run: today's if the run tells no version, undefined if that version is gone. */
export async function detailOfRun(
  { version }: Pick<RunRecord, 'version'>,
  { namespace, name, detail }: Pick<FoundPipeline, 'namespace' | 'name' | 'detail'>,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<ApplicationDetail | undefined> {
  if (version === undefined || version === detail.appVersion) return detail;
  return platform.find(getApplicationVersion, { namespace, application: name, version }, signal);
}
