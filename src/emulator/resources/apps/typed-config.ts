import { isObject, type JsonObject } from '../../http/json.js';

// The order of the members is that in which the platform writes them.
const COMMON =
  'description stages connections resources driverResources clientResources stageLoggingEnabled processTimingEnabled ' +
  'numOfRecordsPreview properties comments connectionConfig';
const BATCH = `engine schedule maxConcurrentRuns postActions service pushdownEnabled transformationPushdown ${COMMON}`;
const RESOURCES = 'virtualCores memoryMB';
const STREAMS = `batchInterval extraJavaOpts disableCheckpoints checkpointDir stopGracefully isUnitTest ${COMMON}`;
const STAGE = 'name plugin inputSchema outputSchema id label description information';
const PLUGIN = 'name type properties artifact label';
const SELECTOR = 'scope name version';
const CONNECTION = 'from to port condition';
const ENGINES = ['SPARK', 'MAPREDUCE'];

/**
 * The configuration after it went through the platform's typed model. Members that the model does not know are gone,
 * and so is an engine in lower case.
 */
export function typedConfig(config: JsonObject, isStreams: boolean): Record<string, unknown> {
  const kept = only(config, isStreams ? STREAMS : BATCH);
  if (!ENGINES.includes(String(kept['engine']))) delete kept['engine'];
  if (isStreams) kept['isUnitTest'] ??= false;
  for (const name of ['resources', 'driverResources', 'clientResources']) {
    if (isObject(kept[name])) kept[name] = only(kept[name], RESOURCES);
  }
  if (Array.isArray(kept['stages'])) kept['stages'] = objects(kept['stages']).map(typedStage);
  if (Array.isArray(kept['connections'])) {
    kept['connections'] = objects(kept['connections']).map((connection) => only(connection, CONNECTION));
  }
  return kept;
}

function typedStage(stage: JsonObject): Record<string, unknown> {
  const kept = only(stage, STAGE);
  if (!isObject(kept['plugin'])) return kept;
  const plugin = only(kept['plugin'], PLUGIN);
  if (isObject(plugin['artifact'])) plugin['artifact'] = only(plugin['artifact'], SELECTOR);
  return { ...kept, plugin };
}

function only(object: JsonObject, members: string): Record<string, unknown> {
  const entries = members.split(' ').map((name) => [name, object[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}

function objects(value: readonly unknown[]): JsonObject[] {
  return value.filter(isObject);
}
