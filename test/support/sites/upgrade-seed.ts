import type { Seed } from '../../../src/emulator/seed/apply-seed.js';

/** What the two emulated platforms that upgrade have: the older and the current generation. */
export const GENERATIONS = {
  '6.11.0': { pipeline: ['6.10.0', '6.11.0'], core: ['2.12.0', '2.13.0'] },
  '6.1.1': { pipeline: ['6.0.0', '6.1.1'], core: ['2.2.0', '2.3.4'] },
} as const;

type Properties = Readonly<Record<string, string>>;

/** The configuration of a pipeline with one action of `example-steps`. */
export function oneStep(plugin: string, properties: Properties = {}, version = '1.0.0'): Record<string, unknown> {
  const artifact = { name: 'example-steps', version, scope: 'SYSTEM' };
  return {
    description: `does ${plugin}`,
    engine: 'spark',
    schedule: '0 1 * * *',
    connections: [],
    stages: [{ name: 'step', plugin: { name: plugin, type: 'action', label: 'step', artifact, properties } }],
    postActions: [],
  };
}

const action = (name: string, properties: Readonly<Record<string, { required?: boolean }>>) => {
  return { type: 'action', name, className: `example.${name}`, properties };
};

/** Two generations of `example-steps`: of the current one, `Mask` wants a property more (blocked), `Trim` knows one less (risky), `Copy` is as it was (safe). */
export function stepArtifacts(platform: keyof typeof GENERATIONS): NonNullable<Seed['artifacts']> {
  const current = GENERATIONS[platform].pipeline[1];
  const artifact = { namespace: 'system', name: 'example-steps' };
  return [
    {
      ...artifact,
      version: '1.0.0',
      parents: 'system:cdap-data-pipeline[6.0.0,7.0.0)',
      plugins: [action('Copy', {}), action('Trim', { old: {} }), action('Mask', { field: { required: true } })],
    },
    {
      ...artifact,
      version: '2.0.0',
      parents: `system:cdap-data-pipeline[${current},7.0.0)`,
      plugins: [
        action('Copy', {}),
        action('Trim', {}),
        action('Mask', { field: { required: true }, salt: { required: true } }),
      ],
    },
  ];
}

/** A pipeline of the older generation, for a seed. */
export function olderPipeline(
  platform: keyof typeof GENERATIONS,
  namespace: string,
  name: string,
  config: unknown,
): NonNullable<Seed['applications']>[number] {
  const artifact = { name: 'cdap-data-pipeline', version: GENERATIONS[platform].pipeline[0], scope: 'SYSTEM' };
  return { namespace, name, artifact, config };
}

/** The namespace `etl`: `orders` is safe, `clicks` risky, `legacy` blocked. */
export function verdictSeed(platform: keyof typeof GENERATIONS): Seed {
  const made = (name: string, config: unknown) => olderPipeline(platform, 'etl', name, config);
  return {
    namespaces: ['etl'],
    artifacts: stepArtifacts(platform),
    applications: [
      made('clicks', oneStep('Trim', { old: 'x' })),
      made('legacy', oneStep('Mask', { field: 'name' })),
      made('orders', oneStep('Copy')),
    ],
  };
}
