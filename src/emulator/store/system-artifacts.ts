import type { ApplicationClass, Artifact, PluginClass, PluginProperty } from './model.js';
import { parseRange } from './versions.js';
import { CORE_PLUGINS_2_2, CORE_PLUGINS_2_3, CORE_PLUGINS_6_1 } from './plugin-table-6.1.js';
import { CORE_PLUGINS, FORMAT_DELIMITED } from './plugin-table.js';
import type { Generation, Platform } from './generation.js';
import { REPORT_DATASETS, REPORT_SPARK } from './report-program.js';

const STRING_MAP = { type: 'map', keys: 'string', values: ['string', 'null'] };
const PROPERTY = /^(?<name>[^!~:]+)(?<required>!?)(?<plain>~?)(?::(?<type>.+))?$/u;

/** The artifacts that a platform brings with it. */
export function systemArtifacts(generation: Generation): Artifact[] {
  const brought: Readonly<Record<Platform, () => Artifact[]>> = {
    '6.11.0': () => [
      ...['2.12.0', '2.13.0'].map((version) => pluginArtifact('core-plugins', version, '6.8.0-SNAPSHOT', CORE_PLUGINS)),
      pluginArtifact('format-delimited', '2.12.0', '6.8.0-SNAPSHOT', FORMAT_DELIMITED),
      ...applications(generation, ['6.10.0', '6.11.0']),
    ],
    '6.1.1': () => [
      pluginArtifact('core-plugins', '2.2.0', '6.0.0', CORE_PLUGINS_6_1 + CORE_PLUGINS_2_2),
      pluginArtifact('core-plugins', '2.3.4', '6.1.0', CORE_PLUGINS_6_1 + CORE_PLUGINS_2_3),
      ...applications(generation, ['6.0.0', '6.1.1']),
    ],
    '4.3.5': () => [pipelines(generation, 'cdap-data-pipeline', '4.3.5')],
  };
  return brought[generation.platform]();
}

function applications(generation: Generation, versions: readonly string[]): Artifact[] {
  const className = 'io.cdap.cdap.report.ReportGenerationApp';
  return [
    ...versions.flatMap((version) => [
      pipelines(generation, 'cdap-data-streams', version),
      pipelines(generation, 'cdap-data-pipeline', version),
    ]),
    artifact('cdap-program-report', generation.platform, {
      applications: [{ className, description: '', programs: [REPORT_SPARK], datasets: REPORT_DATASETS }],
    }),
  ];
}

function pipelines({ api }: Generation, name: 'cdap-data-streams' | 'cdap-data-pipeline', version: string): Artifact {
  const root = api.replaceAll('/', '.');
  const described =
    name === 'cdap-data-streams'
      ? application(root, 'datastreams.DataStreamsApp', 'DataStreamsConfig')
      : application(root, 'datapipeline.DataPipelineApp', 'ETLBatchConfig');
  return artifact(name, version, { applications: [described] });
}

/** An artifact of the platform with the plugins of a table, which extend pipelines from a version on. */
export function pluginArtifact(name: string, version: string, from: string, table: string): Artifact {
  const range = parseRange(`[${from},7.0.0-SNAPSHOT)`);
  const parents = ['cdap-data-pipeline', 'cdap-data-streams'].map((parent) => {
    return { namespace: 'system', name: parent, ...range };
  });
  return artifact(name, version, { plugins: readTable(table), parents });
}

function artifact(
  name: string,
  version: string,
  content: Partial<Pick<Artifact, 'plugins' | 'parents' | 'applications'>>,
): Artifact {
  const empty = { properties: {}, parents: [], plugins: [], applications: [], sha256: '', bytes: 0 };
  return { namespace: 'system', name, version, ...empty, ...content };
}

/**
 * A short form of the configuration's schema: it describes only the members around the stages. The real one describes
 * every member.
 */
function application(root: string, className: string, config: string): ApplicationClass {
  const prefix = `${root}.etl.proto`;
  const selector = record(`${prefix}.ArtifactSelectorConfig`, { name: 'string', scope: 'string', version: 'string' });
  const plugin = record(`${prefix}.v2.ETLPlugin`, {
    artifact: selector,
    name: 'string',
    type: 'string',
    properties: STRING_MAP,
  });
  const comment = record(`${prefix}.v2.StageComments$Comment`, { content: 'string', createDate: 'long' });
  const comments = record(`${prefix}.v2.StageComments`, { list: { type: 'array', items: [comment, 'null'] } });
  const information = record(`${prefix}.v2.StageInformation`, { comments });
  const stage = record(`${prefix}.v2.ETLStage`, { name: 'string', information, plugin });
  const members = { description: 'string', properties: STRING_MAP, stages: { type: 'array', items: [stage, 'null'] } };
  return {
    className: `${root}.${className}`,
    description: '',
    configSchema: record(`${prefix}.v2.${config}`, members),
  };
}

function record(name: string, members: Readonly<Record<string, unknown>>): unknown {
  return { type: 'record', name, fields: Object.entries(members).map(([member, type]) => ({ name: member, type })) };
}

function readTable(table: string): PluginClass[] {
  const lines = table.split('\n').filter((line) => line !== '');
  return lines.map(readPlugin);
}

function readPlugin(line: string): PluginClass {
  const [type = '', name = '', className = '', field = '-', datasets = '-', ...properties] = line.split(' ');
  return {
    type,
    name,
    description: `${name} (${type})`,
    className: `io.cdap.plugin.${className}`,
    ...(field === '-' ? {} : { configFieldName: field }),
    properties: Object.fromEntries(properties.map(readProperty).map((property) => [property.name, property])),
    requirements: { datasetTypes: datasets === '-' ? [] : datasets.split(','), capabilities: [] },
  };
}

function readProperty(source: string): PluginProperty {
  const { name = source, required, plain, type = 'string' } = PROPERTY.exec(source)?.groups ?? {};
  return {
    name,
    description: '',
    type,
    required: required === '!',
    macroSupported: plain !== '~',
    macroEscapingEnabled: false,
    children: [],
  };
}
