import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';

/** All namespaces that the user may see; `system` is not among them (contract 9). */
export const listNamespaces = endpoint({
  method: 'GET',
  path: () => path`/v3/namespaces`,
  answer: json(listOf(z.looseObject({ name: z.string() })), 'the list of namespaces'),
});
