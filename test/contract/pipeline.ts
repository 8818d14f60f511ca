import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DOES, LINE } from './line.js';
import { expectText, json, type Answer, type Call } from './suite.js';

/** A request that deploys a pipeline, as far as the cases change it. */
export interface PipelineRequest {
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
  readonly config: Readonly<Record<string, unknown>> & {
    readonly stages: readonly { readonly name: string; readonly plugin: Record<string, unknown> }[];
  };
  readonly [member: string]: unknown;
}

/** What the platform answers to a deploy, and the elements of its lists. */
export interface AppRecord {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly artifact: PipelineRequest['artifact'];
  readonly change: Readonly<Record<string, unknown>>;
}

const at = (file: string): PipelineRequest =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../platform/pipelines', file), 'utf8')) as PipelineRequest;

/** The same pipeline of the older artifacts that this platform has, with its first and its last stage only. */
function here({ artifact, config: given }: PipelineRequest): PipelineRequest {
  const config = Object.fromEntries(
    Object.entries(given).filter(([member]) => member !== 'description'),
  ) as PipelineRequest['config'];
  const stages = [...config.stages.slice(0, 1), ...config.stages.slice(-1)].map((stage) => {
    const own = { name: 'core-plugins', version: LINE.plugins.old, scope: 'SYSTEM' };
    return { ...stage, plugin: { ...stage.plugin, artifact: own } };
  });
  const connections = [{ from: 'src', to: 'sink' }];
  return { artifact: { ...artifact, version: LINE.pipeline.old }, config: { ...config, stages, connections } };
}

/** A pipeline of two stages, `src` and `sink`, that runs to its end on the platform of `test/platform`; its schedule is `0 1 *\/1 * *`. */
export const PIPELINE = here(at(LINE.hasFormats ? 'csv-to-csv-6.10.0.json' : 'xml-to-table-6.0.0.json'));
/** The plugin of its first stage. */
export const SOURCE = String(PIPELINE.config.stages[0]?.plugin['name']);

/** The pipeline with other members of its configuration; `undefined` leaves a member out. */
export function configured(config: Readonly<Record<string, unknown>>): PipelineRequest {
  return { ...PIPELINE, config: { ...PIPELINE.config, ...config } };
}

/** The pipeline with another plugin in its first stage. */
export function withSource(plugin: Readonly<Record<string, unknown>>): PipelineRequest {
  return configured({
    stages: PIPELINE.config.stages.map((stage, index) =>
      index === 0 ? { ...stage, plugin: { ...stage.plugin, ...plugin } } : stage,
    ),
  });
}

/** The record in an answer to a deploy; before 6.8 the answer is a few words, and the application tells the rest. */
export async function deployed(
  answer: Answer,
  call: Call,
  name: string,
  words = 'Deploy Complete',
): Promise<AppRecord> {
  if (DOES.tellRecords) return json<AppRecord>(answer);
  expectText(answer, 200, words);
  const app = json<AppRecord & { appVersion: string }>(await call('GET', `/apps/${name}`));
  return { ...app, type: 'App', version: app.appVersion };
}

/** Deploys, expects success and gives the record. */
export async function deploy(call: Call, name: string, body: unknown = PIPELINE): Promise<AppRecord> {
  return deployed(await call('PUT', `/apps/${name}`, { body }), call, name);
}

/** The pipeline that writes to a folder, or a table, of its own: two runs of one minute would otherwise meet in the same one. */
export function writingTo(folder: string): PipelineRequest {
  const own = LINE.hasFormats ? { path: `file:///cdap/output/${folder}` } : { name: folder };
  const stages = PIPELINE.config.stages.map((stage) =>
    stage.name === 'sink'
      ? {
          ...stage,
          plugin: {
            ...stage.plugin,
            properties: { ...(stage.plugin['properties'] as object), ...own },
          },
        }
      : stage,
  );
  return configured({ stages });
}

/** The pipeline with a transform of the user between its two stages: `Bare` of the artifact `plugin` 1.0.0. */
export function passingThrough(request: PipelineRequest): PipelineRequest {
  const artifact = { name: 'plugin', version: '1.0.0', scope: 'USER' };
  const pass = { name: 'pass', plugin: { name: 'Bare', type: 'transform', label: 'pass', artifact, properties: {} } };
  const connections = [
    { from: 'src', to: 'pass' },
    { from: 'pass', to: 'sink' },
  ];
  return { ...request, config: { ...request.config, stages: [...request.config.stages, pass], connections } };
}
