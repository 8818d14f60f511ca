import type { Platform } from '../store/generation.js';
import { configurationText } from '../http/json.js';
import type { Application, ApplicationVersion, Artifact, Schedule } from '../store/model.js';
import { summary } from '../resources/artifacts/artifacts.js';
import { newSchedule } from '../resources/apps/deploy-schedules.js';
import { configurePipeline, type ConfiguredApp } from '../resources/apps/pipeline.js';
import type { Store } from '../store/store.js';
import { generatedConfig, SHAPES, type Generations, type Shape } from './generated-config.js';
import { pluginArtifact } from '../store/system-artifacts.js';

/** The two generations of artifacts that a platform has, the older one first. */
const GENERATIONS: Readonly<Partial<Record<Platform, Generations>>> = {
  '6.11.0': { pipeline: ['6.10.0', '6.11.0'], core: ['2.12.0', '2.13.0'] },
  '6.1.1': { pipeline: ['6.0.0', '6.1.1'], core: ['2.2.0', '2.3.4'] },
};
const STREAMING_SOURCE = 'streamingsource Ticker streaming.source.TickerSource config - interval! referenceName!~';

/** How many pipelines to make, in which namespace. */
export interface GeneratedPipelines {
  readonly namespace: string;
  readonly count: number;
}

/**
 * Fills a namespace with pipelines that are generated from their number alone. Most use the older artifacts, some the
 * current ones; some are realtime, some have an active schedule. Configurations are written when they are read. Throws
 * on a platform that does not have two generations.
 */
export function addGeneratedPipelines(store: Store, { namespace, count }: GeneratedPipelines): void {
  const make = pipelineMaker(store, namespace);
  const made = function* (): Generator<Application> {
    for (let index = 0; index < count; index++) {
      const shape = SHAPES[index % SHAPES.length];
      if (shape !== undefined) yield make(`pipeline-${String(index).padStart(5, '0')}`, shape, index);
    }
  };
  store.putApplications(made());
}

/**
 * What makes the pipelines of a namespace: by name, shape and the number from which the rest follows. Throws on a
 * platform that has no two generations.
 */
export function pipelineMaker(
  store: Store,
  namespace: string,
): (name: string, shape: Shape, index: number) => Application {
  const { platform } = store.generation;
  const generations = GENERATIONS[platform];
  if (generations === undefined) throw new Error(`there are no generated pipelines on a platform ${platform}`);
  for (const version of ['1.0.0', '1.1.0']) {
    store.putArtifact(pluginArtifact('example-streaming', version, '6.0.0', STREAMING_SOURCE));
  }
  const patterns = new Map<Shape, Pattern>();
  return (name, shape, index) => {
    const pattern = patterns.get(shape) ?? patternOf({ store, namespace }, generations, shape);
    patterns.set(shape, pattern);
    return applicationOf({ store, namespace }, pattern, { name, index });
  };
}

interface Target {
  readonly store: Store;
  readonly namespace: string;
}

/** What all pipelines of a shape have in common. */
interface Pattern {
  readonly shape: Shape;
  readonly generations: Generations;
  readonly artifact: Artifact;
  readonly configured: ConfiguredApp;
}

function patternOf({ store, namespace }: Target, generations: Generations, shape: Shape): Pattern {
  const name = shape.kind === 'batch' ? 'cdap-data-pipeline' : 'cdap-data-streams';
  const version = generations.pipeline[shape.generation];
  const artifact = store.artifact('system', name, version);
  if (artifact === undefined) throw new Error(`there is no artifact ${name} ${version} for generated pipelines`);
  const config = generatedConfig(shape, generations, 0);
  return { shape, generations, artifact, configured: configurePipeline(store, namespace, artifact, config) };
}

function applicationOf(
  { store, namespace }: Target,
  pattern: Pattern,
  { name, index }: { readonly name: string; readonly index: number },
): Application {
  return {
    namespace,
    name,
    versions: [versionOf(store, pattern, index)],
    schedules: schedulesOf(store, { namespace, name }, pattern, index),
    runs: [],
  };
}

function versionOf(
  store: Store,
  { shape, generations, artifact, configured }: Pattern,
  index: number,
): ApplicationVersion {
  const { programs, plugins, datasets = [] } = configured;
  const { hasVersions } = store.generation;
  return {
    version: hasVersions ? store.newId() : '-SNAPSHOT',
    description: `Generated pipeline ${index}`,
    get configuration() {
      const config = generatedConfig(shape, generations, index);
      // As if it had been sent as a text, which newer platforms keep as it is.
      const isText = hasVersions && index % 3 === 0;
      return isText ? JSON.stringify(config, undefined, 2) : configurationText(config);
    },
    artifact: summary(artifact),
    created: store.now(),
    programs,
    plugins,
    datasets,
  };
}

function schedulesOf(
  store: Store,
  place: { readonly namespace: string; readonly name: string },
  { shape, generations }: Pattern,
  index: number,
): Schedule[] {
  const { schedule: cron } = generatedConfig(shape, generations, index);
  if (typeof cron !== 'string') return [];
  const schedule = newSchedule(store, place, { cron, maxConcurrency: 1 });
  return [{ ...schedule, status: shape.active ? 'SCHEDULED' : 'SUSPENDED' }];
}
