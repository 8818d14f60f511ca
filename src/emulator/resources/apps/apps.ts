import { empty, json, notFound, refuse, text } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import type { Generation } from '../../store/generation.js';
import { bodyArray, endOfInput, isObject, parseJson, stringOf, type JsonObject } from '../../http/json.js';
import type { Application, ApplicationVersion } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { latestOf, type Store } from '../../store/store.js';
import { listApplications, record } from './app-list.js';
import { deploy, readRequest, resolveArtifact } from './deploy.js';
import { isWritable } from '../system/namespaces.js';
import { activeRuns } from '../../store/runs.js';

const LIST = '/v3/namespaces/{namespace}/apps';
const LONGEST_NAME = 255;
const APP = `${LIST}/{app}`;

/** Applications: deploy, lists, detail, versions, delete (docs/platform.md 5). */
export const appRoutes: readonly Route[] = [
  route('GET', LIST, listApplications),
  route('PUT', APP, (request) => deployed(request)),
  route('POST', `${APP}/versions/{version}/create`, (request) => deployed(request, request.param('version'))),
  route('POST', `${APP}/update`, updated),
  route('GET', APP, (request) => {
    const application = referenced(request);
    return json(detail(request.store.generation, application, latestOf(application)));
  }),
  route('GET', `${APP}/versions`, (request) => {
    const { versions } = applicationAt(request, '-SNAPSHOT');
    const names = versions.map(({ version }) => version);
    return json(request.store.generation.hasVersions ? names.reverse() : names);
  }),
  route('GET', `${APP}/versions/{version}`, (request) => {
    const wanted = request.param('version');
    const application = applicationAt(request, wanted);
    const isLatest = wanted === '-SNAPSHOT' && request.store.generation.hasVersions;
    const found = isLatest ? latestOf(application) : versionOf(application, wanted);
    return json(detail(request.store.generation, application, found ?? notFound(named(request, wanted))));
  }),
  route('DELETE', `${APP}/versions/{version}`, deletedVersion),
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

function deployed(request: RouteRequest, wanted?: string): EmulatorAnswer {
  const place = { namespace: request.param('namespace'), name: appName(request) };
  checkNamespace(request);
  const { generation } = request.store;
  const body = readRequest(request.text(), generation);
  const inText = generation.hasVersions ? '' : '{}';
  if (place.name.length > LONGEST_NAME) refuse(500, `Deploy failed: ${inText}File name too long`);
  const artifact = resolveArtifact(request.store, place.namespace, body);
  const version = deploy(request.store, place, body, artifact, wanted);
  if (!generation.hasVersions) return text(200, 'Deploy Complete');
  const parent = isObject(body['change']) ? stringOf(body['change'], 'parentVersion') : undefined;
  return deployAnswer(request.store, place.name, version, parent);
}

/** What a deploy answers with. */
export function deployAnswer(
  { generation }: Store,
  name: string,
  version: ApplicationVersion,
  parentVersion?: string,
): EmulatorAnswer {
  return json(record(generation, name, version, parentVersion === undefined ? {} : { parentVersion }));
}

function deletedVersion(request: RouteRequest): EmulatorAnswer {
  const { store } = request;
  if (store.generation.hasVersions) refuse(403, 'Deletion of specific app version is not allowed.');
  const application = applicationAt(request, '-SNAPSHOT');
  const found = versionOf(application, request.param('version')) ?? notFound(named(request, '-SNAPSHOT'));
  const [first, ...rest] = application.versions.filter((version) => version !== found);
  if (first === undefined) store.deleteApplication(application);
  else store.putApplication({ ...application, versions: [first, ...rest] });
  return empty();
}

function updated(request: RouteRequest): ReturnType<typeof json> {
  const { store } = request;
  const application = referenced(request, '-SNAPSHOT');
  const body = readUpdate(request);
  const latest = latestOf(application);
  const wanted = isObject(body['artifact']) ? body['artifact'] : latest.artifact;
  if (wanted.name !== latest.artifact.name) {
    refuse(
      400,
      ` Only artifact version updates are allowed. Cannot change from artifact '${latest.artifact.name}' to '${String(wanted.name)}'.`,
    );
  }
  const config: unknown = store.generation.hasVersions ? latest.configuration : parseJson(latest.configuration);
  const named = { artifact: wanted, config, ...body };
  const where = String(wanted.scope).toLowerCase() === 'system' ? 'system' : application.namespace;
  const exact = store.artifact(where, latest.artifact.name, String(wanted.version));
  if (exact === undefined) notFound(`artifact:${where}.${latest.artifact.name}.${String(wanted.version)}`);
  deploy(store, application, named, exact);
  return text(200, 'Update complete.');
}

/** The name of the path, or the 400 about one that the platform refuses (docs/platform.md 0.1). */
export function appName({ param }: RouteRequest): string {
  return checkedName(param('app'));
}

/** A name of an application, or the 400 about one that the platform refuses. */
export function checkedName(name: string): string {
  return /^[\w-]+$/u.test(name) ? name : refuse(400, `Invalid app name '${name}'`);
}

function checkNamespace({ store, param }: RouteRequest): void {
  if (!isWritable(store, param('namespace'))) notFound(`namespace:${param('namespace')}`);
}

/** The application of the path, or the 404 that names it by reference. */
export function referenced(request: RouteRequest, version?: string): Application {
  const { store } = request;
  const [namespace, name] = [request.param('namespace'), appName(request)];
  const application = store.application(namespace, name);
  if (!store.generation.hasVersions) {
    if (namespace === 'system' && store.generation.platform === '4.3.5') notFound('namespace:system');
    const found = application === undefined ? undefined : versionOf(application, '-SNAPSHOT');
    return found === undefined || application === undefined ? notFound(named(request, '-SNAPSHOT')) : application;
  }
  if (application !== undefined) return application;
  return notFound(version === undefined ? `applicationreference:${namespace}.${name}` : named(request, version));
}

function readUpdate({ text: body, store }: RouteRequest): JsonObject {
  const source = body();
  const isBroken = !store.generation.hasVersions && source !== '' && parseJson(source) === undefined;
  return isBroken
    ? refuse(400, `Request body is invalid json: ${endOfInput(source)}`)
    : readRequest(source, store.generation);
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
    const where = `${application.namespace}.${application.name}`;
    const reference = store.generation.hasVersions ? `applicationreference:${where}` : `application:${where}.-SNAPSHOT`;
    refuse(409, `'${reference}' could not be deleted. Reason: The following programs are still running: ${programs}`);
  }
  store.deleteApplication(application);
}

function detail(generation: Generation, application: Application, version: ApplicationVersion): unknown {
  const { name } = application;
  const isLatest = latestOf(application) === version;
  const { description, change, artifact } = record(generation, name, version, { latest: isLatest });
  const isFirst = generation.platform === '4.3.5';
  return {
    name,
    appVersion: version.version,
    ...(isFirst ? { artifactVersion: artifact.version, streams: [] } : {}),
    description,
    change,
    configuration: version.configuration,
    datasets: version.datasets,
    programs: version.programs.map((program) => ({
      ...program,
      type: generation.hasVersions || program.type !== 'MapReduce' ? program.type : 'Mapreduce',
      app: name,
      ...(isFirst ? { id: program.name } : {}),
    })),
    plugins: version.plugins,
    artifact,
  };
}

function batchDetail(request: RouteRequest): ReturnType<typeof json> {
  const { generation } = request.store;
  const items = isObject(parseJson(request.text()))
    ? refuse(500, 'Cannot cast com.google.gson.JsonObject to com.google.gson.JsonArray')
    : bodyArray(request.text(), generation);
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
    return { statusCode: 200, detail: detail(generation, application, found) };
  });
  return json(answers);
}
