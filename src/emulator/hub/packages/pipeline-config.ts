import { jsonResource } from './parts.js';

/** A stage between source and sink. */
export interface MiddleStage {
  readonly name: string;
  /** Plugin type, for example `transform`. */
  readonly type: string;
  readonly plugin: string;
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
}

/** What distinguishes our pipelines: two paths, both usually macros, and a stage in the middle. */
export interface FilePipeline {
  readonly input: string;
  readonly output: string;
  readonly middle?: MiddleStage;
}

const FILES = { name: 'core-plugins', version: '2.13.0', scope: 'SYSTEM' };
const SMALL = { memoryMB: 512, virtualCores: 1 };
const FIELDS = ['a', 'b'].map((name) => ({ name, type: 'string' }));
const SCHEMA = JSON.stringify({ type: 'record', name: 'row', fields: FIELDS });

function fileStage(name: string, type: string, path: string, more: object): object {
  const properties = { referenceName: name, path, format: 'csv', schema: SCHEMA, ...more };
  return { name, plugin: { name: 'File', type, label: name, artifact: FILES, properties } };
}

/** The configuration of a batch pipeline that reads and writes delimited files with two text columns. */
export function filePipeline({ input, output, middle }: FilePipeline): Buffer {
  const names = ['rows', ...(middle === undefined ? [] : [middle.name]), 'copies'];
  const inner = middle && {
    name: middle.name,
    plugin: { name: middle.plugin, type: middle.type, label: middle.name, artifact: middle.artifact, properties: {} },
  };
  const stages = [
    fileStage('rows', 'batchsource', input, {}),
    inner,
    fileStage('copies', 'batchsink', output, { suffix: 'yyyy-MM-dd-HH-mm' }),
  ];
  return jsonResource({
    stages: stages.filter((stage) => stage !== undefined),
    connections: names.slice(1).map((to, at) => ({ from: names[at], to })),
    comments: [],
    postActions: [],
    properties: {},
    processTimingEnabled: true,
    stageLoggingEnabled: false,
    resources: SMALL,
    driverResources: SMALL,
    clientResources: SMALL,
    schedule: '0 1 */1 * *',
    engine: 'spark',
    numOfRecordsPreview: 100,
    maxConcurrentRuns: 1,
  });
}
