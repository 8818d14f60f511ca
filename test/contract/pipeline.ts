import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { json, type Call } from './suite.js';

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

/** The pipeline from file to file that runs to its end on the platform of `test/platform`; its schedule is `0 1 *\/1 * *`. */
export const PIPELINE = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../platform/pipelines/csv-to-csv-6.10.0.json'), 'utf8'),
) as PipelineRequest;

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

/** Deploys, expects success and gives the record. */
export async function deploy(call: Call, name: string, body: unknown = PIPELINE): Promise<AppRecord> {
  return json<AppRecord>(await call('PUT', `/apps/${name}`, { body }));
}

/** The pipeline that writes to a folder of its own: two runs of one minute would otherwise meet in the same folder. */
export function writingTo(folder: string): PipelineRequest {
  const stages = PIPELINE.config.stages.map((stage) =>
    stage.name === 'sink'
      ? {
          ...stage,
          plugin: {
            ...stage.plugin,
            properties: { ...(stage.plugin['properties'] as object), path: `file:///cdap/output/${folder}` },
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
