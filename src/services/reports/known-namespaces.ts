import { closest } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import type { Platform } from '../../platform/client.js';
import { listNamespaces } from '../../platform/namespaces.js';
import type { ReportRequest } from './request.js';

/** Refuses a report about a namespace that the platform does not have, which would be empty; NOT_FOUND. */
export async function checkNamespaces(
  platform: Platform,
  { filters }: Pick<ReportRequest, 'filters'>,
  signal: AbortSignal,
): Promise<void> {
  const named = filters.flatMap((filter) =>
    filter.fieldName === 'namespace' && 'whitelist' in filter ? filter.whitelist : [],
  );
  if (named.length === 0) return;
  // Always there, never listed (contract 9).
  const known = ['system', ...(await platform.call(listNamespaces, {}, signal)).map(({ name }) => name)];
  const namespace = named.find((name) => !known.includes(name));
  if (namespace === undefined) return;
  const near = closest(namespace, known);
  throw new CliError('NOT_FOUND', `the platform has no namespace "${namespace}"`, {
    hints: [
      ...(near === undefined ? [] : [`did you mean "${near}"?`]),
      'reports of the platform (--engine platform) also have the runs of namespaces that were deleted',
    ],
    target: { namespace },
  });
}
