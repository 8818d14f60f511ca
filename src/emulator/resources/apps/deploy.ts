import { empty, notFound, Refusal, refuse } from '../../http/answers.js';
import type { Generation } from '../../store/generation.js';
import { configurationText, isObject, objectComplaint, parseJson, stringOf, type JsonObject } from '../../http/json.js';
import type { Application, ApplicationVersion, Artifact, ArtifactName } from '../../store/model.js';
import { latestOf, type Store } from '../../store/store.js';
import { parseWanted, rangeText } from '../../store/versions.js';
import { holds, readable } from '../artifacts/selection.js';
import { summary } from '../artifacts/artifacts.js';
import { schedulesAfter } from './deploy-schedules.js';
import { configurePipeline, type ConfiguredApp } from './pipeline.js';

/** The artifacts that make pipelines. */
export const PIPELINES = ['cdap-data-pipeline', 'cdap-data-streams'];
const CONFIG_CLASS: Readonly<Record<string, string>> = {
  'cdap-data-pipeline': 'etl.proto.v2.ETLBatchConfig',
  'cdap-data-streams': 'etl.proto.v2.DataStreamsConfig',
};
const SYNTAX = 'Invalid JSON configuration was provided. Please check the syntax.';

/** Where an application is deployed. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Reads the body of a deploy or update (docs/platform.md 5.1). */
export function readRequest(body: string, { hasVersions }: Generation): JsonObject {
  const value = parseJson(body);
  if (body === '' || value === null) throw new Refusal(empty(400));
  return isObject(value) ? value : refuse(400, objectComplaint(body, hasVersions ? ' path $' : ''));
}

/** Finds the artifact that a request names by exact version or range; the highest match is taken. */
export function resolveArtifact(store: Store, namespace: string, request: JsonObject): Artifact {
  const named = request['artifact'];
  const version = isObject(named) ? stringOf(named, 'version') : undefined;
  if (!isObject(named) || version === undefined) throw new Refusal(empty(400));
  const name = stringOf(named, 'name');
  if (name === undefined) {
    refuse(400, 'Field artifact_name of table artifact_data is a primary key but the value is null');
  }
  const range = readable(400, () => parseWanted(version));
  const where = stringOf(named, 'scope')?.toLowerCase() === 'system' ? 'system' : namespace;
  const found = store.artifacts(where).filter((entry) => entry.name === name && holds(range, entry.version));
  const asked = /^[[(]/u.test(version) ? rangeText(range) : version;
  return found.at(-1) ?? notFound(`${where}:${name}${store.generation.hasVersions ? ` ${asked}` : ''}`);
}

/**
 * Deploys a version of an application and sets its schedule (docs/platform.md 5.3). `wanted` names the version where
 * the platform lets a client do so.
 */
export function deploy(
  store: Store,
  place: Place,
  request: JsonObject,
  artifact: Artifact,
  wanted = '-SNAPSHOT',
): ApplicationVersion {
  const before = store.application(place.namespace, place.name);
  if (store.generation.hasVersions) checkParent(before, request);
  checkNew(store, before, wanted);
  const { configuration, configured } = configure(store, place.namespace, request, artifact);
  const change = isObject(request['change']) ? request['change'] : {};
  const changeDescription = stringOf(change, 'description');
  const { description, programs, plugins, datasets = [] } = configured;
  const version: ApplicationVersion = {
    version: store.generation.hasVersions ? store.newId() : wanted,
    description,
    configuration,
    artifact: summary(artifact),
    created: store.now(),
    ...(changeDescription === undefined ? {} : { changeDescription }),
    programs,
    plugins,
    datasets,
  };
  const keeps = request['app.deploy.update.schedules'] === false;
  store.putApplication({
    ...place,
    versions: withVersion(before?.versions ?? [], version),
    schedules: keeps ? (before?.schedules ?? []) : schedulesAfter(store, place, configured.schedule, before),
    runs: before?.runs ?? [],
  });
  return version;
}

/** The versions with a new one: in place of that of the same name, and `-SNAPSHOT` last. */
function withVersion(before: readonly ApplicationVersion[], version: ApplicationVersion): ApplicationVersion[] {
  const others = before.filter((other) => other.version !== version.version);
  if (version.version === '-SNAPSHOT') return [...others, version];
  const snapshot = others.filter((other) => other.version === '-SNAPSHOT');
  return [...others.filter((other) => other.version !== '-SNAPSHOT'), version, ...snapshot];
}

function checkNew({ generation }: Store, before: Application | undefined, wanted: string): void {
  const isFree = generation.hasVersions || /-snapshot$/iu.test(wanted);
  if (isFree || before?.versions.some(({ version }) => version === wanted) !== true) return;
  refuse(409, `Cannot update the application because version ${wanted} already exists`);
}

function checkParent(before: Application | undefined, request: JsonObject): void {
  const change = request['change'];
  const parent = isObject(change) ? stringOf(change, 'parentVersion') : undefined;
  const latest = before === undefined ? undefined : latestOf(before).version;
  if (parent === undefined || latest === undefined || parent === latest) return;
  refuse(
    409,
    `Cannot deploy the application because parent version '${parent}' does not match the latest version '${latest}'.`,
  );
}

interface Configuration {
  readonly configuration: string;
  readonly configured: ConfiguredApp;
}

function configure(store: Store, namespace: string, request: JsonObject, artifact: Artifact): Configuration {
  const [application] = artifact.applications;
  if (application === undefined) refuse(400, noApplication(namespace, summary(artifact)));
  const { generation } = store;
  const config = request['config'] ?? (generation.hasVersions ? request['configuration'] : undefined);
  const absent = config === undefined || config === null;
  if (!PIPELINES.includes(artifact.name)) {
    const { description, programs = [], datasets = [] } = application;
    const configuration = absent ? '' : textOf(config);
    return { configuration, configured: { description, programs, plugins: [], datasets } };
  }
  if (absent) {
    const name = `${generation.api.replaceAll('/', '.')}.${CONFIG_CLASS[artifact.name] ?? ''}`;
    refuse(400, generation.platform === '4.3.5' ? `java.lang.InstantiationException: ${name}` : name);
  }
  const value = typeof config === 'string' && generation.hasVersions ? parseJson(config) : config;
  if (!isObject(value)) refuseConfig(generation, SYNTAX);
  const configured = explained(generation, () => configurePipeline(store, namespace, artifact, value));
  const needsSchedule = generation.platform === '4.3.5' && artifact.name === 'cdap-data-pipeline';
  if (needsSchedule && configured.schedule === undefined) refuse(400, 'java.lang.NullPointerException');
  return { configuration: textOf(config), configured };
}

/** The 400 about a configuration; a platform 4.3.5 names the class of the exception. */
export function refuseConfig({ platform }: Generation, sentence: string): never {
  refuse(400, platform === '4.3.5' ? `java.lang.IllegalArgumentException: ${sentence}` : sentence);
}

function explained(generation: Generation, configure: () => ConfiguredApp): ConfiguredApp {
  try {
    return configure();
  } catch (error) {
    if (!(error instanceof Refusal) || generation.platform !== '4.3.5') throw error;
    return refuseConfig(generation, error.answer.body.toString());
  }
}

/** The 400 about an artifact that has no application. */
export function noApplication(namespace: string, { name, version, scope }: ArtifactName): string {
  const artifact = `ArtifactId{name='${name}', version=${version}, scope='${scope}'}`;
  return `No application class found in artifact '${artifact}' in namespace 'namespace:${namespace}'.`;
}

function textOf(config: unknown): string {
  return typeof config === 'string' ? config : configurationText(config);
}
