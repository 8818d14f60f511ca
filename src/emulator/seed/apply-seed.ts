import * as z from 'zod/mini';
import { Refusal } from '../http/answers.js';
import { Program, type PluginClass } from '../store/model.js';
import { deploy, resolveArtifact } from '../resources/apps/deploy.js';
import { parseParents } from '../resources/artifacts/parents.js';
import { changeReportSettings } from '../resources/reports/service.js';
import { ReportRecord, runOfRecord } from '../resources/reports/seed.js';
import { ReportSettings } from '../store/report-store.js';
import type { Store } from '../store/store.js';
import { addGeneratedRuns, MOST_RUNS } from './generated-runs.js';
import { addGeneratedPipelines } from './generated-pipelines.js';

const PluginSeed = z.strictObject({
  type: z.string(),
  name: z.string(),
  className: z.string(),
  description: z.optional(z.string()),
  /** By name; without a type they are strings. */
  properties: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        type: z.optional(z.string()),
        required: z.optional(z.boolean()),
        macroSupported: z.optional(z.boolean()),
      }),
    ),
  ),
});
const ArtifactSeed = z.strictObject({
  namespace: z.optional(z.string()),
  name: z.string(),
  version: z.string(),
  parents: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), z.string())),
  plugins: z.optional(z.array(PluginSeed)),
  applications: z.optional(
    z.array(
      z.strictObject({
        className: z.string(),
        description: z.optional(z.string()),
        programs: z.optional(z.array(Program)),
      }),
    ),
  ),
});
const ApplicationSeed = z.looseObject({ namespace: z.optional(z.string()), name: z.string() });
const RunsSeed = z.strictObject({ count: z.int().check(z.nonnegative(), z.maximum(MOST_RUNS)) });
const PipelinesSeed = z.strictObject({ namespace: z.optional(z.string()), count: z.int().check(z.nonnegative()) });

/** What a seed file may hold: it is put into a fresh store before the emulator listens. */
export const Seed = z.strictObject({
  namespaces: z.optional(z.array(z.string())),
  artifacts: z.optional(z.array(ArtifactSeed)),
  applications: z.optional(z.array(ApplicationSeed)),
  pipelines: z.optional(z.array(PipelinesSeed)),
  runs: z.optional(RunsSeed),
  reports: z.optional(z.extend(ReportSettings, { records: z.optional(z.array(ReportRecord)) })),
});
/**
 * The content of a seed file. Applications are bodies of a deploy (docs/platform.md 5.1) with `name` and `namespace`.
 * An artifact of namespace `system` belongs to the platform. `pipelines` and `runs` are generated. `reports` sets how
 * the report service behaves and which further `records` it knows.
 */
export type Seed = z.infer<typeof Seed>;

/** Puts a seed into the store; throws with the platform's sentence when it does not fit. */
export function applySeed(store: Store, seed: Seed): void {
  for (const name of seed.namespaces ?? []) if (store.namespace(name) === undefined) store.addNamespace(name, '');
  try {
    for (const artifact of seed.artifacts ?? []) addArtifact(store, artifact);
    for (const { namespace = 'default', name, ...request } of seed.applications ?? []) {
      deploy(store, { namespace, name }, request, resolveArtifact(store, namespace, request));
    }
    for (const { namespace = 'default', count } of seed.pipelines ?? []) {
      addGeneratedPipelines(store, { namespace, count });
    }
    if (seed.runs !== undefined && seed.runs.count > 0) addGeneratedRuns(store, seed.runs.count);
    const { records = [], ...settings } = seed.reports ?? {};
    store.reports.records.push(...records.map(runOfRecord));
    changeReportSettings(store, settings);
  } catch (error) {
    if (error instanceof Refusal) throw new Error(`the seed does not fit: ${error.answer.body.toString()}`);
    throw error;
  }
}

function addArtifact(store: Store, seed: z.infer<typeof ArtifactSeed>): void {
  const { namespace = 'default', name, version, parents = '', properties = {}, plugins = [], applications = [] } = seed;
  store.putArtifact({
    namespace,
    name,
    version,
    parents: parseParents(namespace, parents),
    properties,
    plugins: plugins.map(pluginOf),
    applications: applications.map(({ className, description = '', programs = [] }) => ({
      className,
      description,
      programs,
    })),
    sha256: '',
    bytes: 0,
  });
}

function pluginOf({ description = '', properties = {}, ...rest }: z.infer<typeof PluginSeed>): PluginClass {
  const entries = Object.entries(properties).map(
    ([name, { type = 'string', required = false, macroSupported = true }]) => {
      const property = {
        name,
        description: '',
        type,
        required,
        macroSupported,
        macroEscapingEnabled: false,
        children: [],
      };
      return [name, property] as const;
    },
  );
  const requirements = { datasetTypes: [], capabilities: [] };
  return { ...rest, description, properties: Object.fromEntries(entries), requirements };
}
