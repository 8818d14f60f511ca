import type { Hint } from '../../../core/next-step.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import { CliError, ERRORS } from '../../../core/errors.js';
import { APPLICATION_NAME, getApplication, listApplicationPage } from '../../../platform/apps.js';
import type { Platform } from '../../../platform/client.js';
import { namespacesOf, notThere, wantedValues } from './known-namespaces.js';
import type { ReportRequest } from '../request/request.js';

const AT_ONCE = 8;
const LARGEST_LIST = 1000;
/** Exit codes of errors of one answer; those of the connection and the token end the report anyway. */
const HIDDEN: readonly number[] = [ERRORS.FORBIDDEN.exit, ERRORS.REMOTE_FAILED.exit, ERRORS.BAD_ANSWER.exit];

/**
 * Refuses a report about an application that no namespace of the report has. Where the user may not look, or the
 * platform cannot show it, it may be there.
 * @throws NOT_FOUND
 */
export async function checkApplications(
  platform: Platform,
  request: Pick<ReportRequest, 'filters'>,
  signal: AbortSignal,
): Promise<void> {
  const named = new Set(wantedValues(request, 'applicationName'));
  if (named.size === 0) return;
  const namespaces = await namespacesOf(platform, request, signal);
  const [only, ...others] = namespaces;
  if (only === undefined) return;
  for (const name of named) {
    if (await isThere(platform, name, namespaces, signal)) continue;
    const message =
      others.length > 0
        ? `no namespace of the report has a pipeline or application "${name}"`
        : `namespace "${only}" has no pipeline or application "${name}"`;
    const known = await namesIn(platform, namespaces, signal);
    const list: Hint = { next: 'list-pipelines', namespace: others.length > 0 ? undefined : only };
    throw notThere(message, [name, known], 'pipelines', { application: name }, list);
  }
}

async function isThere(
  platform: Platform,
  application: string,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (!APPLICATION_NAME.test(application)) return false;
  const look = async (namespace: string, each: AbortSignal): Promise<boolean> =>
    (await unlessHidden(platform.find(getApplication, { namespace, application }, each), 'hidden')) !== undefined;
  for await (const found of mapConcurrent(namespaces, AT_ONCE, look, signal)) if (found) return true;
  return false;
}

/** The names of applications, of each namespace a page. */
async function namesIn(platform: Platform, namespaces: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const names = new Set<string>();
  const list = async (namespace: string, each: AbortSignal) => {
    const wanted = { namespace, pageToken: undefined, pageSize: LARGEST_LIST };
    return (await unlessHidden(platform.find(listApplicationPage, wanted, each), undefined)) ?? [];
  };
  for await (const page of mapConcurrent(namespaces, AT_ONCE, list, signal))
    for (const { name } of 'applications' in page ? page.applications : page) names.add(name);
  return names;
}

async function unlessHidden<T, D>(answer: Promise<T>, instead: D): Promise<T | D> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CliError && HIDDEN.includes(error.exitCode)) return instead;
    throw error;
  }
}
