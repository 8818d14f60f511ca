import * as z from 'zod/mini';
import { path } from '../http/path.js';
import { endpoint, json, text } from './endpoint.js';

const DEPLOY_TIMEOUT = 15 * 60 * 1000;

const Artifact = z.looseObject({ name: z.string(), version: z.string(), scope: z.string() });
const ApplicationDetail = z.looseObject({
  name: z.string(),
  appVersion: z.optional(z.string()),
  configuration: z.optional(z.string()),
  artifact: Artifact,
});

/** An application as GET shows it; `configuration` is a JSON document inside a string (contract 5.2). */
export type ApplicationDetail = z.infer<typeof ApplicationDetail>;

interface ApplicationPlace {
  readonly namespace: string;
  readonly application: string;
}

/** The latest version of an application; 404 when it is absent. */
export const getApplication = endpoint({
  method: 'GET',
  path: (place: ApplicationPlace) => path`/v3/namespaces/${place.namespace}/apps/${place.application}`,
  answer: json(ApplicationDetail, 'the application'),
});

/** Creates an application or makes a new version of it; `request` is the text of an AppRequest (contract 5.1). Never sent twice blindly. */
export const putApplication = endpoint({
  method: 'PUT',
  path: (place: ApplicationPlace & { readonly request: string }) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}`,
  body: ({ request }) => ({ kind: 'text', text: request, contentType: 'application/json' }),
  answer: text,
  headersTimeout: DEPLOY_TIMEOUT,
});
