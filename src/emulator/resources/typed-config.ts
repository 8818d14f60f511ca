import { isObject, type JsonObject } from '../json.js';

const COMMON =
  'description stages connections resources driverResources clientResources stageLoggingEnabled processTimingEnabled ' +
  'numOfRecordsPreview properties comments connectionConfig';
const BATCH = `${COMMON} schedule engine maxConcurrentRuns postActions service pushdownEnabled transformationPushdown`;
const STREAMS = `${COMMON} batchInterval extraJavaOpts disableCheckpoints checkpointDir stopGracefully isUnitTest`;
const STAGE = 'name plugin inputSchema outputSchema id label description information';
const PLUGIN = 'name type properties artifact label';
const SELECTOR = 'scope name version';
const CONNECTION = 'from to port condition';
const ENGINES = ['SPARK', 'MAPREDUCE'];

/** The configuration after a way through the platform's typed model: members that it does not know are gone, and so is an engine in lower case. */
export function typedConfig(config: JsonObject, isStreams: boolean): Record<string, unknown> {
  const kept = only(config, isStreams ? STREAMS : BATCH);
  if (!ENGINES.includes(String(kept['engine']))) delete kept['engine'];
  if (isStreams) kept['isUnitTest'] ??= false;
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
  const known = members.split(' ');
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => known.includes(name) && value !== null));
}

function objects(value: readonly unknown[]): JsonObject[] {
  return value.filter(isObject);
}
