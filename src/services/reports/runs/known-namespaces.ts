import { closest, didYouMean } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import type { Platform } from '../../../platform/client.js';
import { listNamespaces } from '../../../platform/namespaces.js';
import type { ReportRequest } from '../request/request.js';
import { passes } from './run-record.js';

type Filters = Pick<ReportRequest, 'filters'>;

/** The values of a field of which every run of a report has one; none: all are welcome. */
export function wantedValues({ filters }: Filters, field: string): readonly string[] {
  return filters.flatMap((filter) => (filter.fieldName === field && 'whitelist' in filter ? filter.whitelist : []));
}

/** The namespaces whose runs a report is about: those of its filters, else all that the platform shows. */
export async function namespacesOf(
  platform: Platform,
  request: Filters,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = wantedValues(request, 'namespace');
  const filters = request.filters.filter(({ fieldName }) => fieldName === 'namespace');
  const all = named.length > 0 ? named : await visibleNamespaces(platform, signal);
  return [...new Set(all)].filter((namespace) => passes({ namespace }, filters));
}

/** All namespaces: `system`, which no list has, among them (docs/platform.md 9). */
async function visibleNamespaces(platform: Platform, signal: AbortSignal): Promise<readonly string[]> {
  return [...(await platform.call(listNamespaces, {}, signal)).map(({ name }) => name), 'system'];
}

/**
 * The error of a report about something that is not there, which would be empty. `known` are the names that may be
 * meant, `list` what lists them.
 */
export function notThere(
  message: string,
  [name, known]: readonly [string, Iterable<string>],
  what: string,
  target: Readonly<Record<string, string>>,
  list: Hint,
): CliError {
  const near = closest(name, known);
  const hints: readonly Hint[] = [...didYouMean(near), list, { next: 'make-by-platform', what }];
  return new CliError('NOT_FOUND', message, { hints, target });
}

/**
 * Refuses a report about a namespace that the platform does not have.
 * @throws NOT_FOUND
 */
export async function checkNamespaces(platform: Platform, request: Filters, signal: AbortSignal): Promise<void> {
  const named = wantedValues(request, 'namespace');
  if (named.length === 0) return;
  const known = await visibleNamespaces(platform, signal);
  const namespace = named.find((name) => !known.includes(name));
  if (namespace !== undefined)
    throw notThere(
      `the platform has no namespace "${namespace}"`,
      [namespace, known],
      'namespaces',
      { namespace },
      { next: 'list-namespaces' },
    );
}
