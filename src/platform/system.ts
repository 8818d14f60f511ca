import * as z from 'zod/mini';
import { path } from '../http/path.js';
import { endpoint, json } from './endpoint.js';

/** The version of the platform (contract 9); also the probe for a valid token. */
export const getVersion = endpoint({
  method: 'GET',
  path: () => path`/v3/version`,
  answer: json(z.looseObject({ version: z.string() }), 'the version'),
});

/** One namespace; 404 when it is absent, also for `system` (contract 9). */
export const getNamespace = endpoint({
  method: 'GET',
  path: (parameters: { readonly namespace: string }) => path`/v3/namespaces/${parameters.namespace}`,
  answer: json(z.looseObject({ name: z.string() }), 'the namespace'),
});

/** The configuration of the platform, which names its hubs (contract 9). */
export const getConfiguration = endpoint({
  method: 'GET',
  path: () => path`/v3/config/cdap`,
  query: () => [['format', 'json']] as const,
  answer: json(
    z.array(z.looseObject({ name: z.string(), value: z.optional(z.nullable(z.string())) })),
    'the configuration',
  ),
});
