import { empty, json, notFound, refuse, text } from '../answers.js';
import type { EmulatorAnswer } from '../exchange.js';
import { bodyArray, isObject, parseJson, stringOf } from '../json.js';
import type { Application, ApplicationVersion } from '../model.js';
import { route, type Route, type RouteRequest } from '../router.js';
import { latestOf } from '../store.js';
import { listApplications, record } from './app-list.js';
import { deploy, readRequest, resolveArtifact } from './deploy.js';
import { isWritable } from './namespaces.js';
import { activeRuns } from './runs.js';

const LIST = '/v3/namespaces/{namespace}/apps';
const LONGEST_NAME = 255;
const APP = `${LIST}/{app}`;

/** Applications: deploy, lists, detail, versions, delete (contract 5). */
export const appRoutes: readonly Route[] = [
  route('GET', LIST, listApplications),
  route('PUT', APP, deployed),
  route('POST', `${APP}/versions/{version}/create`, deployed),
  route('POST', `${APP}/update`, updated),
  route('GET', APP, (request) => {
    const application = referenced(request);
    return json(detail(application, latestOf(application)));
  }),
  route('GET', `${APP}/versions`, (request) => {
    const { versions } = applicationAt(request, '-SNAPSHOT');
    return json(versions.map(({ version }) => version).reverse());
  }),
  route('GET', `${APP}/versions/{version}`, (request) => {
    const wanted = request.param('version');
    const application = applicationAt(request, wanted);
    const found = wanted === '-SNAPSHOT' ? latestOf(application) : versionOf(application, wanted);
    return json(detail(application, found ?? notFound(named(request, wanted))));
  }),
  route('DELETE', `${APP}/versions/{version}`, () => refuse(403, 'Deletion of specific app version is not allowed.')),
  route('DELETE', APP, (request) => {
    remove(request, referenced(request));
    return empty();
  }),
  route('DELETE', LIST, (request) => {
    checkNamespace(request);
    for (const application of request.store.applications(request.param('namespace'))) remove(request, application);
    return empty();
  }),
  route('POST', '/v3/namespaces/{namespace}/appdetail', batchDetail),
];

function deployed(request: RouteRequest): ReturnType<typeof json> {
  const place = { namespace: request.param('namespace'), name: appName(request) };
  checkNamespace(request);
  const body = readRequest(request.text());
  if (place.name.length > LONGEST_NAME) refuse(500, 'Deploy failed: File name too long');
  const artifact = resolveArtifact(request.store, place.namespace, body);
  const version = deploy(request.store, place, body, artifact);
  const parent = isObject(body['change']) ? stringOf(body['change'], 'parentVersion') : undefined;
  return deployAnswer(place.name, version, parent);
}

/** What a deploy answers with. */
export function deployAnswer(name: string, version: ApplicationVersion, parentVersion?: string): EmulatorAnswer {
  return json(record(name, version, parentVersion === undefined ? {} : { parentVersion }));
}

function updated(request: RouteRequest): ReturnType<typeof json> {
  const { store } = request;
  const application = applicationAt(request, '-SNAPSHOT');
  const body = readRequest(request.text());
  const latest = latestOf(application);
  const wanted = isObject(body['artifact']) ? body['artifact'] : latest.artifact;
  if (wanted.name !== latest.artifact.name) {
    refuse(
      400,
      ` Only artifact version updates are allowed. Cannot change from artifact '${latest.artifact.name}' to '${String(wanted.name)}'.`,
    );
  }
  const named = { artifact: wanted, config: latest.configuration, ...body };
  const where = String(wanted.scope).toLowerCase() === 'system' ? 'system' : application.namespace;
  const exact = store.artifact(where, latest.artifact.name, String(wanted.version));
  if (exact === undefined) notFound(`artifact:${where}.${latest.artifact.name}.${String(wanted.version)}`);
  deploy(store, application, named, exact);
  return text(200, 'Update complete.');
}

/** The name of the path, or the 400 about one that the platform refuses (contract 0.1). */
export function appName({ param }: RouteRequest): string {
  const name = param('app');
  return /^[\w-]+$/u.test(name) ? name : refuse(400, `Invalid app name '${name}'`);
}

function checkNamespace({ store, param }: RouteRequest): void {
  if (!isWritable(store, param('namespace'))) notFound(`namespace:${param('namespace')}`);
}

/** The application of the path, or the 404 that names it by reference. */
export function referenced(request: RouteRequest): Application {
  const [namespace, name] = [request.param('namespace'), appName(request)];
  return request.store.application(namespace, name) ?? notFound(`applicationreference:${namespace}.${name}`);
}

/** The application of the path, or the 404 that names it with a version. */
export function applicationAt(request: RouteRequest, version: string): Application {
  const application = request.store.application(request.param('namespace'), appName(request));
  return application ?? notFound(named(request, version));
}

function named({ param }: RouteRequest, version: string): string {
  return `application:${param('namespace')}.${param('app')}.${version}`;
}

function versionOf(application: Application, wanted: string): ApplicationVersion | undefined {
  return application.versions.find(({ version }) => version === wanted);
}

function remove({ store }: RouteRequest, application: Application): void {
  const running = activeRuns(application, store.now()).map(({ program }) => program);
  if (running.length > 0) {
    const programs = [...new Set(running)].join(', ');
    const reference = `applicationreference:${application.namespace}.${application.name}`;
    refuse(409, `'${reference}' could not be deleted. Reason: The following programs are still running: ${programs}`);
  }
  store.deleteApplication(application);
}

function detail(application: Application, version: ApplicationVersion): unknown {
  const { name } = application;
  const { description, change, artifact } = record(name, version, { latest: latestOf(application) === version });
  return {
    name,
    appVersion: version.version,
    description,
    change,
    configuration: version.configuration,
    datasets: [],
    programs: version.programs.map((program) => ({ ...program, app: name })),
    plugins: version.plugins,
    artifact,
  };
}

function batchDetail(request: RouteRequest): ReturnType<typeof json> {
  const items = isObject(parseJson(request.text()))
    ? refuse(500, 'Cannot cast com.google.gson.JsonObject to com.google.gson.JsonArray')
    : bodyArray(request.text());
  const wanted = items.map((item) => {
    const id = isObject(item) ? stringOf(item, 'appId') : undefined;
    if (!isObject(item) || id === undefined) refuse(400, "Missing 'appId' in the request element.");
    if (!/^[\w-]+$/u.test(id)) refuse(400, `Invalid app name '${id}'`);
    return { id, version: stringOf(item, 'version') ?? '-SNAPSHOT' };
  });
  const namespace = request.param('namespace');
  const answers = wanted.map(({ id, version }) => {
    const application = request.store.application(namespace, id);
    const found = application === undefined ? undefined : versionOf(application, version);
    if (application === undefined || found === undefined) {
      return { statusCode: 404, error: `'application:${namespace}.${id}.${version}' was not found.` };
    }
    return { statusCode: 200, detail: detail(application, found) };
  });
  return json(answers);
}
