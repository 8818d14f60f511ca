import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { CliError } from '../core/errors.js';
import { path } from '../http/path.js';
import type { Platform } from './client.js';
import { endpoint, json, text } from './endpoint.js';

/** What the name of an application looks like: the platform refuses every other (docs/platform.md 0.1). */
export const APPLICATION_NAME = /^[\w-]+$/u;

const DEPLOY_TIMEOUT = 15 * 60 * 1000;

const Artifact = z.looseObject({ name: z.string(), version: z.string(), scope: z.string() });
const ApplicationDetail = z.looseObject({
  name: z.string(),
  description: z.optional(z.string()),
  appVersion: z.optional(z.string()),
  configuration: z.optional(z.string()),
  artifact: Artifact,
  programs: z.optional(listOf(z.looseObject({ type: z.string(), name: z.string() }))),
  plugins: z.optional(listOf(z.looseObject({ type: z.string(), name: z.string() }))),
});

const ApplicationRecord = z.looseObject({
  name: z.string(),
  version: z.optional(z.string()),
  artifact: Artifact,
});

/** An application as lists name it; up to 6.8 one for each of its versions (docs/platform.md 5.2). */
export type ApplicationRecord = z.infer<typeof ApplicationRecord>;
/** An application as GET shows it; `configuration` is a JSON document inside a string. */
export type ApplicationDetail = z.infer<typeof ApplicationDetail>;

const apps = (namespace: string) => path`/v3/namespaces/${namespace}/apps`;

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

/**
 * The applications that are made from any version of an artifact, of either scope. Without pages every platform answers
 * with an array.
 */
export const listApplications = endpoint({
  method: 'GET',
  path: ({ namespace }: { readonly namespace: string; readonly artifact: string }) => apps(namespace),
  query: ({ artifact }) => [['artifactName', artifact]],
  answer: json(listOf(ApplicationRecord), 'the list of applications'),
});

/**
 * Creates an application or makes a new version of it. `request` is the text of an AppRequest (docs/platform.md 5.1).
 * Never sent twice blindly.
 */
export const putApplication = endpoint({
  method: 'PUT',
  path: (place: ApplicationPlace & { readonly request: string }) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}`,
  body: ({ request }) => ({ kind: 'text', text: request, contentType: 'application/json' }),
  answer: text,
  headersTimeout: DEPLOY_TIMEOUT,
});

/** What a deploy from a JAR says: the name of the file gives the artifact its name and version. */
export interface JarDeploy {
  readonly namespace: string;
  readonly archive: string;
  /**
   * Leaves the schedules of the application that is deployed over as they are. A first deploy with it makes none at
   * all.
   */
  readonly keepSchedules: boolean;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Makes an artifact and an application from a JAR. 409 when that release of the artifact exists (docs/platform.md 5).
 * Never sent twice blindly.
 */
export const deployJar = endpoint({
  method: 'POST',
  path: ({ namespace }: JarDeploy) => apps(namespace),
  headers: ({ archive, keepSchedules }) => ({
    'X-Archive-Name': archive,
    ...(keepSchedules && { 'X-App-Deploy-Update-Schedules': 'false' }),
  }),
  body: ({ file, bytes, sha256 }) => ({ kind: 'file', file, bytes, sha256, contentType: 'application/octet-stream' }),
  answer: text,
  headersTimeout: DEPLOY_TIMEOUT,
});

const ApplicationPage = z.union([
  listOf(ApplicationRecord),
  z.looseObject({ applications: listOf(ApplicationRecord), nextPageToken: z.optional(z.string()) }),
]);

const PAGE_SIZE = 100;
/** Lists that page by token cannot be run ahead. */
const LARGE_PAGE = 1000;

/** Which applications to list: those of any of the `artifacts`, or all. `pageToken` is that of the page before. */
export interface ApplicationPageOptions {
  readonly namespace: string;
  readonly pageToken: string | undefined;
  readonly artifacts?: readonly string[];
  readonly pageSize?: number;
}

/**
 * Lists applications of a namespace, a page at a time. A page has 100 unless told otherwise. Platforms without pages
 * answer with an array of all.
 */
export const listApplicationPage = endpoint({
  method: 'GET',
  path: ({ namespace }: ApplicationPageOptions) => apps(namespace),
  query: ({ pageToken, artifacts = [], pageSize = PAGE_SIZE }) => [
    ...(artifacts.length === 0 ? [] : [['artifactName', artifacts.join(',')] as const]),
    ['pageSize', String(pageSize)],
    ...(pageToken === undefined ? [] : [['pageToken', pageToken] as const]),
  ],
  answer: json(ApplicationPage, 'the list of applications'),
});

/**
 * The applications of a namespace as they are listed, a page or all of them at a time.
 * @throws BAD_ANSWER where a token comes twice
 */
export async function* applicationPages(
  wanted: Omit<ApplicationPageOptions, 'pageToken'>,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<readonly ApplicationRecord[]> {
  const seen = new Set<string>();
  let pageToken: string | undefined;
  do {
    const page = await platform.call(listApplicationPage, { pageSize: LARGE_PAGE, ...wanted, pageToken }, signal);
    yield 'applications' in page ? page.applications : page;
    pageToken = 'applications' in page ? page.nextPageToken : undefined;
    if (pageToken !== undefined && seen.has(pageToken))
      throw new CliError('BAD_ANSWER', `the list of applications of namespace "${wanted.namespace}" repeats itself`);
    if (pageToken !== undefined) seen.add(pageToken);
  } while (pageToken !== undefined);
}

/** One version of an application, which up to 6.8 may have a name of its own; 404 when it is absent. */
export const getApplicationVersion = endpoint({
  method: 'GET',
  path: ({ namespace, application, version }: ApplicationPlace & { readonly version: string }) =>
    path`/v3/namespaces/${namespace}/apps/${application}/versions/${version}`,
  answer: json(ApplicationDetail, 'the application'),
});

/** The names of the versions of an application; 404 when it is absent. */
export const listVersions = endpoint({
  method: 'GET',
  path: (place: ApplicationPlace) => path`/v3/namespaces/${place.namespace}/apps/${place.application}/versions`,
  answer: json(z.array(z.string()), 'the versions of the application'),
});

/**
 * Removes an application with its runs and schedules; from 6.9 on all its versions. 409 while a program of it runs, 404
 * when it is absent (docs/platform.md 5). Never sent twice blindly.
 */
export const deleteApplication = endpoint({
  method: 'DELETE',
  path: (place: ApplicationPlace) => path`/v3/namespaces/${place.namespace}/apps/${place.application}`,
  answer: text,
});

/**
 * Lets the platform upgrade a pipeline to its newest artifacts. Makes a new version even if there is nothing to do, and
 * drops unknown members of the configuration (docs/platform.md 5.4). 404 up to 6.1. Its effect is read back. Never sent
 * twice blindly.
 */
export const upgradeApplication = endpoint({
  method: 'POST',
  path: (place: ApplicationPlace & { readonly allowSnapshot?: boolean }) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/upgrade`,
  query: ({ allowSnapshot = false }) => (allowSnapshot ? [['allowSnapshot', 'true']] : []),
  answer: text,
  headersTimeout: DEPLOY_TIMEOUT,
});

/**
 * The name of each program type in paths (docs/platform.md 8.1). Keys are in lower case, as in the detail of an
 * application.
 */
export const PROGRAM_PATHS: Readonly<Record<string, string>> = {
  workflow: 'workflows',
  mapreduce: 'mapreduce',
  spark: 'spark',
  service: 'services',
  worker: 'workers',
  flow: 'flows',
};

/** Whether a program of an application is at work: STOPPED, STARTING or RUNNING. `type` is its plural in lower case. */
export const getProgramStatus = endpoint({
  method: 'GET',
  path: (place: ApplicationPlace & { readonly type: string; readonly program: string }) =>
    path`/v3/namespaces/${place.namespace}/apps/${place.application}/${place.type}/${place.program}/status`,
  answer: json(z.looseObject({ status: z.string() }), 'the status of the program'),
});
