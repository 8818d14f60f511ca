import * as z from 'zod/mini';
import { closest, didYouMean } from '../core/closest.js';
import { listOf } from '../core/collections.js';
import { CliError } from '../core/errors.js';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';

const Namespace = z.looseObject({ name: z.string(), description: z.optional(z.nullable(z.string())) });

/** All namespaces that the user may see; `system` is not among them. */
export const listNamespaces = endpoint({
  method: 'GET',
  path: () => path`/v3/namespaces`,
  answer: json(listOf(Namespace), 'the list of namespaces'),
});

/** The error for a namespace that is not there; `known` are those that may be meant. */
export function noNamespace(namespace: string, known: Iterable<string> = []): CliError {
  return new CliError('NOT_FOUND', `the platform has no namespace "${namespace}"`, {
    hints: [...didYouMean(closest(namespace, known)), { next: 'list-namespaces' }],
    target: { namespace },
  });
}
