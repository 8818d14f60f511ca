import { empty, notFound, Refusal, refuse } from '../answers.js';
import { configurationText, isObject, objectComplaint, parseJson, stringOf, type JsonObject } from '../json.js';
import type { Application, ApplicationVersion, Artifact, ArtifactName, Schedule } from '../model.js';
import { latestOf, type Store } from '../store.js';
import { parseWanted, rangeText } from '../versions.js';
import { holds, readable } from './artifact-selection.js';
import { summary } from './artifacts.js';
import { configurePipeline, type Configured } from './pipeline.js';

const PIPELINES = ['cdap-data-pipeline', 'cdap-data-streams'];
const CONFIG_CLASS: Readonly<Record<string, string>> = {
  'cdap-data-pipeline': 'io.cdap.cdap.etl.proto.v2.ETLBatchConfig',
  'cdap-data-streams': 'io.cdap.cdap.etl.proto.v2.DataStreamsConfig',
};

/** Where an application is deployed. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Reads the body of a deploy or update (contract 5.1). */
export function readRequest(body: string): JsonObject {
  const value = parseJson(body);
  if (body === '' || value === null) throw new Refusal(empty(400));
  return isObject(value) ? value : refuse(400, objectComplaint(body));
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
  return found.at(-1) ?? notFound(`${where}:${name} ${asked}`);
}

/** Deploys a new version of an application and sets its schedule, suspended as the platform does since 6.9 (contract 5.3). */
export function deploy(store: Store, place: Place, request: JsonObject, artifact: Artifact): ApplicationVersion {
  const before = store.application(place.namespace, place.name);
  checkParent(before, request);
  const { configuration, configured } = configure(store, place.namespace, request, artifact);
  const change = isObject(request['change']) ? request['change'] : {};
  const changeDescription = stringOf(change, 'description');
  const { description, programs, plugins } = configured;
  const version: ApplicationVersion = {
    version: store.newId(),
    description,
    configuration,
    artifact: summary(artifact),
    created: store.now(),
    ...(changeDescription === undefined ? {} : { changeDescription }),
    programs,
    plugins,
  };
  const keeps = request['app.deploy.update.schedules'] === false;
  store.putApplication({
    ...place,
    versions: [...(before?.versions ?? []), version],
    schedules: keeps ? (before?.schedules ?? []) : schedulesOf(store, place, configured),
    runs: before?.runs ?? [],
  });
  return version;
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
  readonly configured: Configured;
}

function configure(store: Store, namespace: string, request: JsonObject, artifact: Artifact): Configuration {
  const [application] = artifact.applications;
  if (application === undefined) refuse(400, noApplication(namespace, summary(artifact)));
  const config = request['config'] ?? request['configuration'];
  const absent = config === undefined || config === null;
  if (!PIPELINES.includes(artifact.name)) {
    const { description, programs = [] } = application;
    const configuration = absent ? '' : textOf(config);
    return { configuration, configured: { description, programs, plugins: [] } };
  }
  if (absent) refuse(400, CONFIG_CLASS[artifact.name] ?? '');
  const value = typeof config === 'string' ? parseJson(config) : config;
  if (!isObject(value)) refuse(400, 'Invalid JSON configuration was provided. Please check the syntax.');
  const configured = configurePipeline(store, namespace, artifact, value);
  return { configuration: textOf(config), configured };
}

/** The 400 about an artifact that has no application. */
export function noApplication(namespace: string, { name, version, scope }: ArtifactName): string {
  const artifact = `ArtifactId{name='${name}', version=${version}, scope='${scope}'}`;
  return `No application class found in artifact '${artifact}' in namespace 'namespace:${namespace}'.`;
}

function textOf(config: unknown): string {
  return typeof config === 'string' ? config : configurationText(config);
}

function schedulesOf(store: Store, { namespace, name }: Place, { schedule }: Configured): Schedule[] {
  if (schedule === undefined) return [];
  return [
    {
      namespace,
      application: name,
      name: 'dataPipelineSchedule',
      description: 'Data pipeline schedule',
      program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
      properties: {},
      trigger: { cronExpression: schedule.cron, type: 'TIME' },
      constraints: [{ maxConcurrency: schedule.maxConcurrency, type: 'CONCURRENCY', waitUntilMet: false }],
      timeoutMillis: 86_400_000,
      status: 'SUSPENDED',
      lastUpdateTime: store.now(),
    },
  ];
}
