import { json, notFound, Refusal, refuse, streamed } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import { bodyArray, isObject, parseJson, stringOf } from '../../http/json.js';
import type { Application, ApplicationVersion } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { latestOf } from '../../store/store.js';
import { checkedName, referenced } from './apps.js';
import { deploy, PIPELINES } from './deploy.js';
import { isWritable } from '../system/namespaces.js';
import { newestArtifact, upgradedConfig, type UpgradeRules } from './upgraded-config.js';

const NAMESPACE = '/v3/namespaces/{namespace}';

/** The calls that move applications to the newest artifacts (docs/platform.md 5.4). */
export const appUpgradeRoutes: readonly Route[] = [
  route('POST', `${NAMESPACE}/apps/{app}/upgrade`, (request) => {
    const namespace = namespaceOf(request);
    const rules = rulesOf(request);
    const application = referenced(request);
    const { version } = latestOf(application);
    if (!isPipeline(application)) {
      refuse(501, `Application application:${namespace}.${application.name}.${version} does not support update.`);
    }
    return json(answerItem(200, application, upgraded(request, application, rules).version));
  }),
  route('POST', `${NAMESPACE}/upgrade`, upgradedInBulk),
];

function namespaceOf({ store, param }: RouteRequest): string {
  const namespace = param('namespace');
  return isWritable(store, namespace) ? namespace : notFound(`namespace:${namespace}`);
}

function rulesOf({ query }: RouteRequest): UpgradeRules {
  const scopes = query.getAll('artifactScope').map((scope) => {
    return /^(?:system|user)$/iu.test(scope) ? scope.toUpperCase() : refuse(400, `Invalid scope ${scope}`);
  });
  return {
    scopes: scopes.length === 0 ? ['SYSTEM', 'USER'] : scopes,
    snapshots: query.get('allowSnapshot')?.toLowerCase() === 'true',
  };
}

function isPipeline(application: Application): boolean {
  return PIPELINES.includes(latestOf(application).artifact.name);
}

/** Makes the new version, also when nothing changes; schedules stay as they are. */
function upgraded({ store }: RouteRequest, application: Application, rules: UpgradeRules): ApplicationVersion {
  const latest = latestOf(application);
  const artifact = newestArtifact(store, application.namespace, latest.artifact, rules);
  const config = parseJson(latest.configuration);
  const source = { namespace: application.namespace, artifact, config: isObject(config) ? config : {} };
  const request = { config: upgradedConfig(store, source, rules), 'app.deploy.update.schedules': false };
  try {
    return deploy(store, application, request, artifact);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refuse(500, `Errors were encountered during validation. ${reasonOf(error.answer.body.toString())}`);
  }
}

/** What a refused deploy says about a stage, without the stage and without advice. */
function reasonOf(sentence: string): string {
  const reason = sentence.replace(/^Failed to configure pipeline: Stage '.*?' encountered : /su, '');
  return reason.replace(/ Please make sure plugin is deployed .*$/su, '');
}

function answerItem(statusCode: number, { name, namespace }: Pick<Application, 'name' | 'namespace'>, version: string) {
  return { statusCode, appId: { application: name, version, namespace, entity: 'APPLICATION' } };
}

function upgradedInBulk(request: RouteRequest): EmulatorAnswer {
  const namespace = namespaceOf(request);
  const names = bodyArray(request.text(), request.store.generation).map((item) => nameOf(item, request.text()));
  const rules = rulesOf(request);
  return streamed(names.map((name) => upgradedItem(request, { namespace, name }, rules)));
}

function nameOf(item: unknown, body: string): string {
  if (item === null) throw new Refusal({ status: 500, headers: {}, body: '' });
  if (!isObject(item)) {
    const found = `Expected BEGIN_OBJECT but was STRING at line 1 column ${body.indexOf('"') + 2} path $[0]`;
    refuse(400, `Request body is invalid json: java.lang.IllegalStateException: ${found}`);
  }
  return checkedName(stringOf(item, 'name') ?? refuse(400, 'Path parameter app-id cannot be empty'));
}

function upgradedItem(
  request: RouteRequest,
  place: Pick<Application, 'name' | 'namespace'>,
  rules: UpgradeRules,
): object {
  const { namespace, name } = place;
  const failed = (status: number, error: string): object => {
    const { statusCode, appId } = answerItem(status, place, '-SNAPSHOT');
    return { statusCode, error, appId };
  };
  const application = request.store.application(namespace, name);
  if (application === undefined) return failed(404, `'applicationreference:${namespace}.${name}' was not found.`);
  if (!isPipeline(application)) {
    return failed(501, `Application application:${namespace}.${name}.-SNAPSHOT does not support upgrade.`);
  }
  try {
    return answerItem(200, place, upgraded(request, application, rules).version);
  } catch (error) {
    if (error instanceof Refusal) return failed(500, 'Upgrade failed due to internal error.');
    throw error;
  }
}
