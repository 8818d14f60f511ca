import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { path } from '../http/path.js';
import { endpoint, json, SMALL_ANSWER } from './endpoint.js';

/** The version of the platform (docs/platform.md 9); also the probe for a valid token. */
export const getVersion = endpoint({
  method: 'GET',
  path: () => path`/v3/version`,
  answer: json(z.looseObject({ version: z.string().check(z.maxLength(1000)) }), 'the version'),
  maxBytes: SMALL_ANSWER,
});

/** The statuses of the services by name: OK, NOTOK. */
export const getServiceStatuses = endpoint({
  method: 'GET',
  path: () => path`/v3/system/services/status`,
  answer: json(z.record(z.string(), z.string()), 'the statuses of the services'),
  maxBytes: SMALL_ANSWER,
});

/** One namespace; 404 when it is absent, also for `system`. */
export const getNamespace = endpoint({
  method: 'GET',
  path: (parameters: { readonly namespace: string }) => path`/v3/namespaces/${parameters.namespace}`,
  answer: json(z.looseObject({ name: z.string() }), 'the namespace'),
  maxBytes: SMALL_ANSWER,
});

/** The configuration of the platform, which names its hubs. */
export const getConfiguration = endpoint({
  method: 'GET',
  path: () => path`/v3/config/cdap`,
  query: () => [['format', 'json']] as const,
  answer: json(
    listOf(z.looseObject({ name: z.string(), value: z.optional(z.nullable(z.string())) })),
    'the configuration',
  ),
});
