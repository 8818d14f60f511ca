import { refuse } from '../../http/answers.js';
import type { Generation } from '../../store/generation.js';
import { isObject, stringOf, type JsonObject } from '../../http/json.js';
import type { Artifact, PluginClass, Program } from '../../store/model.js';
import type { Store } from '../../store/store.js';
import { parseWanted, VersionComplaint, type VersionRange } from '../../store/versions.js';
import { holds } from '../artifacts/selection.js';
import { summary, visibleArtifacts } from '../artifacts/artifacts.js';
import { offersFor, type Offer } from '../artifacts/extensions.js';

/** What deploying makes of a configuration. */
export interface ConfiguredApp {
  readonly description: string;
  readonly programs: Program[];
  readonly plugins: { id: string; name: string; type: string }[];
  readonly datasets?: { name: string; classname: string }[];
  readonly schedule?: { readonly cron: string; readonly maxConcurrency: number };
}

interface Choice {
  readonly offers: readonly Offer[];
  readonly generation: Generation;
}

const FORMATS: Readonly<Record<string, string>> = {
  batchsource: 'validatingInputFormat',
  batchsink: 'validatingOutputFormat',
};
const NOT_FOUND = 'Please make sure plugin is deployed in the namespace and try again';

/** Checks a pipeline as the platform does on deploy, and returns its programs and plugins. */
export function configurePipeline(
  store: Store,
  namespace: string,
  artifact: Artifact,
  config: JsonObject,
): ConfiguredApp {
  const isBatch = artifact.name === 'cdap-data-pipeline';
  checkResources(config);
  if (!isBatch) checkInterval(config);
  const stages = objects(config['stages']);
  if (stages.length === 0) refuse(400, 'A pipeline must contain at least one stage.');
  checkConnections(config, stages);
  const offers = offersFor(artifact, visibleArtifacts(store, namespace));
  const { generation } = store;
  const targets = objects(config['connections']).map(({ to }) => to);
  const sourcesFirst = stages.toSorted(
    (a, b) => Number(targets.includes(a['name'])) - Number(targets.includes(b['name'])),
  );
  const postActions = isBatch ? objects(config['postActions']) : [];
  const found = [...sourcesFirst, ...postActions].flatMap((stage) => stagePlugins({ offers, generation }, stage));
  const plugins = hashOrder(found, ({ id }) => id);
  const cron = stringOf(config, 'schedule');
  if (cron !== undefined && isBatch) checkCron(cron, 400, generation);
  return {
    description:
      stringOf(config, 'description') ?? (isBatch ? 'Data Pipeline Application' : 'Data Streams Application'),
    programs: isBatch ? batchPrograms(config, stages, generation) : streamPrograms,
    plugins,
    datasets: datasetsOf(stages, generation),
    ...(cron === undefined || !isBatch ? {} : { schedule: { cron, maxConcurrency: runsAtOnce(config) } }),
  };
}

/** A sink to a table makes the table when it is deployed. */
function datasetsOf(stages: readonly JsonObject[], { api }: Generation): NonNullable<ConfiguredApp['datasets']> {
  const classname = `${api.replaceAll('/', '.')}.api.dataset.table.Table`;
  return stages.flatMap(({ plugin }) => {
    if (!isObject(plugin) || plugin['name'] !== 'Table' || plugin['type'] !== 'batchsink') return [];
    const name = isObject(plugin['properties']) ? stringOf(plugin['properties'], 'name') : undefined;
    return name === undefined ? [] : [{ name, classname }];
  });
}

/** Refuses a cron entry that does not have 5 or 6 fields (docs/platform.md 8.4). */
export function checkCron(cron: string, status: number, { platform }: Generation): void {
  const fields = cron.trim().split(/\s+/u).length;
  if (fields === 5 || fields === 6) return;
  const rule = platform === '4.3.5' ? '' : '. Cron entry must contain 5 or 6 fields.';
  refuse(status, `Invalid cron entry format in '${cron}'${rule}`);
}

/** Of the types of members, those of the numbers of resources are checked. */
function checkResources(config: JsonObject): void {
  const resources = ['resources', 'driverResources', 'clientResources'].map((name) => config[name]).filter(isObject);
  const numbers = resources.flatMap(({ memoryMB = 0, virtualCores = 0 }) => [memoryMB, virtualCores]);
  if (numbers.every((value) => value === null || Number.isInteger(Number(value)))) return;
  refuse(400, 'Invalid JSON configuration was provided. Please check the syntax.');
}

function checkInterval(config: JsonObject): void {
  const interval = stringOf(config, 'batchInterval');
  if (interval === undefined || !/^\d+[smhd]$/u.test(interval)) {
    refuse(400, `Unable to parse batchInterval '${interval ?? 'null'}'`);
  }
}

function runsAtOnce(config: JsonObject): number {
  const value = config['maxConcurrentRuns'];
  return typeof value === 'number' ? value : 1;
}

function checkConnections(config: JsonObject, stages: readonly JsonObject[]): void {
  const names = stages.map((stage) => stringOf(stage, 'name'));
  const connections = objects(config['connections']);
  if (connections.length === 0 && !isSingleAction(stages)) {
    const rule = 'This is only allowed if the pipeline consists of a single action plugin.';
    refuse(400, `Invalid pipeline. There are no connections between stages. ${rule}`);
  }
  for (const connection of connections) {
    const [from, to, port] = ['from', 'to', 'port'].map((key) => stringOf(connection, key) ?? 'null');
    const stranger = [from, to].find((name) => !names.includes(name));
    if (stranger === undefined) continue;
    const condition = typeof connection['condition'] === 'boolean' ? String(connection['condition']) : 'null';
    refuse(
      400,
      `Invalid connection Connection{from='${from}', to='${to}', port='${port}', condition='${condition}'}. ${stranger} is not a stage.`,
    );
  }
}

function isSingleAction(stages: readonly JsonObject[]): boolean {
  const [stage] = stages;
  const plugin = stage?.['plugin'];
  return stages.length === 1 && isObject(plugin) && plugin['type'] === 'action';
}

function stagePlugins({ offers, generation }: Choice, stage: JsonObject): ConfiguredApp['plugins'] {
  const name = stringOf(stage, 'name') ?? '';
  const plugin = isObject(stage['plugin']) ? stage['plugin'] : {};
  const properties = isObject(plugin['properties']) ? plugin['properties'] : {};
  const [type = '', wanted = ''] = [stringOf(plugin, 'type'), stringOf(plugin, 'name')];
  const selector = isObject(plugin['artifact']) ? plugin['artifact'] : {};
  const found = offers.filter((offer) => offer.plugin.type === type && offer.plugin.name === wanted);
  const chosen = found.filter(({ artifact }) => isSelected(selector, artifact)).at(-1);
  if (chosen === undefined) return missing(generation, { stage: name, type, name: wanted }, found, selector);
  checkProperties(generation, name, chosen.plugin, properties);
  return [...formatPlugins(offers, name, type, properties), { id: name, name: wanted, type }];
}

interface WantedPlugin {
  readonly stage: string;
  readonly type: string;
  readonly name: string;
}

/** What each platform says of a plugin that it does not have, or not in the artifact that is asked for. */
function missing(
  { platform, hasVersions }: Generation,
  { stage, type, name }: WantedPlugin,
  others: readonly Offer[],
  selector: JsonObject,
): never {
  if (hasVersions) fail(stage, `Plugin named '${name}' of type '${type}' not found. ${NOT_FOUND}`);
  if (platform === '6.1.1')
    refuse(400, `Failed to configure pipeline: Plugin named '${name}' of type '${type}' not found.`);
  if (others.length === 0) refuse(400, `No plugin of type ${type} and name ${name} could be found for stage ${stage}.`);
  const asked = `scope ${String(selector['scope'])} name ${String(selector['name'])}${String(selector['version'])}`;
  return refuse(400, `Could not find an artifact that matches ${asked} for plugin of type ${type} and name ${name}`);
}

function isSelected(selector: JsonObject, artifact: Artifact): boolean {
  const [name, version, scope] = ['name', 'version', 'scope'].map((key) => stringOf(selector, key));
  if (name !== undefined && name !== artifact.name) return false;
  if (scope !== undefined && scope.toUpperCase() !== summary(artifact).scope) return false;
  return version === undefined || holds(wantedRange(version), artifact.version);
}

function wantedRange(version: string): VersionRange {
  try {
    return parseWanted(version);
  } catch (error) {
    if (!(error instanceof VersionComplaint)) throw error;
    return refuse(
      400,
      `${version} is an invalid artifact version.Must be an exact version or a version range with a lower and upper bound.`,
    );
  }
}

function checkProperties({ platform }: Generation, stage: string, plugin: PluginClass, properties: JsonObject): void {
  const missing = Object.values(plugin.properties).find(({ name, required }) => required && !(name in properties));
  if (missing === undefined) return;
  const { type, name } = plugin;
  if (platform !== '4.3.5') fail(stage, `Required property '${missing.name}' has no value.`);
  refuse(400, `Required property '${missing.name}' missing for plugin of type ${type}, name ${name}.`);
}

/** A file plugin brings the plugin of its format into the pipeline. All of them when the format is a macro. */
function formatPlugins(
  offers: readonly Offer[],
  stage: string,
  type: string,
  properties: JsonObject,
): ConfiguredApp['plugins'] {
  const format = stringOf(properties, 'format');
  const formatType = FORMATS[type];
  if (format === undefined || formatType === undefined) return [];
  const known = new Set(offers.filter(({ plugin }) => plugin.type === formatType).map(({ plugin }) => plugin.name));
  const isMacro = format.includes('${');
  if (!isMacro && !known.has(format)) {
    fail(stage, `Could not find the '${format}' ${type === 'batchsource' ? 'input' : 'output'} format.`);
  }
  return [...(isMacro ? known : [format])].map((name) => ({ id: `${stage}:${name}`, name, type: formatType }));
}

function fail(stage: string, reason: string): never {
  refuse(400, `Failed to configure pipeline: Stage '${stage}' encountered : ${reason}`);
}

const streamPrograms: Program[] = [{ type: 'Spark', name: 'DataStreamsSparkStreaming', description: '' }];

function batchPrograms(config: JsonObject, stages: readonly JsonObject[], { hasVersions }: Generation): Program[] {
  const connections = objects(config['connections']);
  const ends = (side: string) => connections.map((connection) => stringOf(connection, side));
  const names = stages.map((stage) => stringOf(stage, 'name') ?? '');
  const list = (among: readonly (string | undefined)[]) => names.filter((name) => !among.includes(name)).join(', ');
  const engine = stringOf(config, 'engine')?.toLowerCase() ?? 'mapreduce';
  const type = hasVersions || engine === 'spark' ? 'Spark' : 'MapReduce';
  return [
    { type, name: 'phase-1', description: `Sources '${list(ends('to'))}' to sinks '${list(ends('from'))}'.` },
    { type: 'Workflow', name: 'DataPipelineWorkflow', description: 'Data Pipeline Workflow' },
  ];
}

function objects(value: unknown): JsonObject[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isObject);
}

/** Sorts items as a Java hash map would list them after they were added in the given order. Keys must be distinct. */
function hashOrder<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  let slots = 16;
  while (items.length > slots * 0.75) slots *= 2;
  return items.toSorted((a, b) => slotOf(keyOf(a), slots) - slotOf(keyOf(b), slots));
}

function slotOf(key: string, slots: number): number {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(31, hash) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & (slots - 1);
}
