import type { ApplicationClass, Artifact, ParentRange, PluginClass, PluginProperty } from '../model.js';
import { parseRange } from '../versions.js';
import { CORE_PLUGINS, FORMAT_DELIMITED } from './plugin-table.js';

const STRING_MAP = { type: 'map', keys: 'string', values: ['string', 'null'] };
const PROPERTY = /^(?<name>[^!~:]+)(?<required>!?)(?<plain>~?)(?::(?<type>.+))?$/u;

/** The artifacts that a platform 6.11.0 brings with it. */
export function systemArtifacts(): Artifact[] {
  return [
    ...['2.12.0', '2.13.0'].map((version) => artifact('core-plugins', version, { plugins: readTable(CORE_PLUGINS) })),
    artifact('format-delimited', '2.12.0', { plugins: readTable(FORMAT_DELIMITED) }),
    ...['6.10.0', '6.11.0'].flatMap((version) => [
      artifact('cdap-data-streams', version, {
        applications: [application('io.cdap.cdap.datastreams.DataStreamsApp', 'DataStreamsConfig')],
      }),
      artifact('cdap-data-pipeline', version, {
        applications: [application('io.cdap.cdap.datapipeline.DataPipelineApp', 'ETLBatchConfig')],
      }),
    ]),
    artifact('cdap-program-report', '6.11.0', {
      applications: [{ className: 'io.cdap.cdap.report.ReportGenerationApp', description: '' }],
    }),
  ];
}

function artifact(
  name: string,
  version: string,
  content: Partial<Pick<Artifact, 'plugins' | 'applications'>>,
): Artifact {
  const { plugins = [], applications = [] } = content;
  const parents = plugins.length === 0 ? [] : ['cdap-data-pipeline', 'cdap-data-streams'].map(parent);
  return { namespace: 'system', name, version, properties: {}, parents, plugins, applications, sha256: '', bytes: 0 };
}

function parent(name: string): ParentRange {
  return { namespace: 'system', name, ...parseRange('[6.8.0-SNAPSHOT,7.0.0-SNAPSHOT)') };
}

/** A short form of the configuration's schema: the real one describes every member, ours the ones around the stages. */
function application(className: string, config: string): ApplicationClass {
  const prefix = 'io.cdap.cdap.etl.proto';
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
  return { className, description: '', configSchema: record(`${prefix}.v2.${config}`, members) };
}

function record(name: string, members: Readonly<Record<string, unknown>>): unknown {
  return { type: 'record', name, fields: Object.entries(members).map(([member, type]) => ({ name: member, type })) };
}

function readTable(table: string): PluginClass[] {
  return table.trim().split('\n').map(readPlugin);
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
