import { CliError } from '../../core/errors.js';
import type { Platform } from '../../platform/client.js';
import type { EngineName } from './choose-engine.js';
import type { ReportRequest } from './request/request.js';
import { checkApplications } from './runs/known-applications.js';
import { checkNamespaces } from './runs/known-namespaces.js';

/**
 * Checks that the namespaces and applications of a request exist. The service of the platform also knows runs of
 * deleted ones, so with it a missing one is no error: it is returned, for a warning.
 * @throws NOT_FOUND when one is missing and the engine is another
 */
export async function checkNamed(
  platform: Platform,
  request: ReportRequest,
  engine: EngineName,
  signal: AbortSignal,
): Promise<CliError | undefined> {
  try {
    await checkNamespaces(platform, request, signal);
    await checkApplications(platform, request, signal);
    return undefined;
  } catch (error) {
    if (engine !== 'platform' || !(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    return error;
  }
}
