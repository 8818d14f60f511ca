/** Versions of the artifacts of generated pipelines, the older one first. */
export interface Generations {
  readonly pipeline: readonly [older: string, current: string];
  readonly core: readonly [older: string, current: string];
}

/** What a generated pipeline is like; `generation` 0 is the older one. */
export interface Shape {
  readonly kind: 'batch' | 'realtime';
  readonly generation: 0 | 1;
  /** Its schedule is active. */
  readonly active: boolean;
  /** It sends a mail when it has run. */
  readonly mail: boolean;
}

const OLDER: Shape = { kind: 'batch', generation: 0, active: false, mail: false };
const CURRENT: Shape = { ...OLDER, generation: 1 };

/** The shapes of ten pipelines in a row, after which they begin anew. */
export const SHAPES: readonly Shape[] = [
  OLDER,
  { ...OLDER, active: true },
  OLDER,
  { ...OLDER, mail: true },
  OLDER,
  { ...OLDER, active: true, mail: true },
  CURRENT,
  { ...CURRENT, active: true },
  OLDER,
  { ...OLDER, kind: 'realtime' },
];

const SCHEMA =
  '{"type":"record","name":"row","fields":[{"name":"id","type":"string"},{"name":"total","type":"double"}]}';

/** The configuration of a generated pipeline. Members that the platform does not know are among its own. */
export function generatedConfig(
  { kind, generation, mail }: Shape,
  { core }: Generations,
  index: number,
): Record<string, unknown> {
  const plugin = stageMaker({ name: 'core-plugins', version: core[generation], scope: 'SYSTEM' });
  const resources = { memoryMB: 512, virtualCores: 1 };
  const stages = [
    kind === 'batch' ? batchSource(plugin, index) : streamingSource(generation, index),
    plugin('project', 'transform', 'Projection', { drop: `field${index}`, rename: 'total:amount' }),
    plugin('table', 'batchsink', 'Table', { name: 'results', 'schema.row.field': 'id', schema: SCHEMA }),
  ];
  const common = {
    description: `Generated pipeline ${index}`,
    stages,
    connections: [
      { from: 'source', to: 'project' },
      { from: 'project', to: 'table' },
    ],
    resources,
    driverResources: resources,
    stageLoggingEnabled: index % 2 === 0,
    __ui__: { draft: `draft-${index}`, position: { left: 10.5, top: index } },
  };
  if (kind === 'realtime') return { ...common, batchInterval: '10s', clientResources: resources };
  return {
    ...common,
    engine: 'spark',
    schedule: `${index % 60} ${index % 24} * * *`,
    maxConcurrentRuns: 1,
    postActions: mail ? [mailAction(plugin)] : [],
  };
}

interface Stage {
  readonly name: string;
  readonly plugin: Readonly<Record<string, unknown>>;
}
type StageMaker = (stage: string, type: string, name: string, properties: Readonly<Record<string, string>>) => Stage;

function stageMaker(artifact: Readonly<Record<string, string>>): StageMaker {
  return (stage, type, name, properties) => ({
    name: stage,
    plugin: { name, type, label: stage, artifact, properties },
  });
}

function batchSource(plugin: StageMaker, index: number): Stage {
  return plugin('source', 'batchsource', 'XMLReader', {
    referenceName: `source${index}`,
    path: `file:///data/in/${index}`,
    nodePath: '/rows/row',
    reprocessingRequired: 'Yes',
    actionAfterProcess: 'None',
    temporaryFolder: 'file:///data/tmp',
  });
}

function streamingSource(generation: Shape['generation'], index: number): Stage {
  const version = generation === 0 ? '1.0.0' : '1.1.0';
  const plugin = stageMaker({ name: 'example-streaming', version, scope: 'SYSTEM' });
  return plugin('source', 'streamingsource', 'Ticker', { referenceName: `source${index}`, interval: '1s' });
}

function mailAction(plugin: StageMaker): Stage {
  return plugin('mail', 'postaction', 'Email', {
    recipients: 'operations@example.com',
    sender: 'cdap@example.com',
    subject: 'done',
    message: 'the run has ended',
    runCondition: 'completion',
  });
}
