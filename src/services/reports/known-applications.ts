import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { getApplication, listApplicationPage } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { namespacesOf, notThere, wantedValues } from './known-namespaces.js';
import type { ReportRequest } from './request.js';

const AT_ONCE = 8;
const LARGEST_LIST = 1000;
/** No application has another name: the platform refuses them (contract 0.2). */
const NAME = /^[\w-]+$/u;

/** Refuses a report about an application that no namespace of the report has; NOT_FOUND. Where the user may not look it may be there. */
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
        ? `none of the namespaces of the report has an application "${name}"`
        : `namespace "${only}" has no application "${name}"`;
    const known = await namesIn(platform, namespaces, signal);
    throw notThere(message, [name, known], 'applications', { application: name });
  }
}

async function isThere(
  platform: Platform,
  application: string,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (!NAME.test(application)) return false;
  const look = async (namespace: string, each: AbortSignal): Promise<boolean> =>
    (await unlessForbidden(platform.find(getApplication, { namespace, application }, each), 'hidden')) !== undefined;
  for await (const found of mapConcurrent(namespaces, AT_ONCE, look, signal)) if (found) return true;
  return false;
}

/** The names of applications, of each namespace a page. */
async function namesIn(platform: Platform, namespaces: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const names = new Set<string>();
  const list = async (namespace: string, each: AbortSignal) => {
    const wanted = { namespace, pageToken: undefined, pageSize: LARGEST_LIST };
    return (await unlessForbidden(platform.find(listApplicationPage, wanted, each), undefined)) ?? [];
  };
  for await (const page of mapConcurrent(namespaces, AT_ONCE, list, signal))
    for (const { name } of 'applications' in page ? page.applications : page) names.add(name);
  return names;
}

async function unlessForbidden<T, D>(answer: Promise<T>, instead: D): Promise<T | D> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CliError && error.code === 'FORBIDDEN') return instead;
    throw error;
  }
}
