import { describe, expect, it } from 'vitest';
import type { Seed } from '../../../src/emulator/seed/apply-seed.js';
import { withEmulator } from './emulator.js';

const plugin = (name: string, properties: Readonly<Record<string, { required?: boolean; type?: string }>> = {}) => {
  return { type: 'transform', name, className: `example.${name}`, properties };
};

/** Two generations of plugins of the platform: the newer one wants a property more, lacks a plugin, and another one stops before the current pipelines. */
const SEED: Seed = {
  artifacts: [
    {
      namespace: 'system',
      name: 'example-plugins',
      version: '1.0.0',
      parents: 'system:cdap-data-pipeline[6.0.0,7.0.0)',
      plugins: [plugin('Mask', { field: { required: true } }), plugin('Drop')],
    },
    {
      namespace: 'system',
      name: 'example-plugins',
      version: '2.0.0',
      parents: 'system:cdap-data-pipeline[6.11.0,7.0.0)',
      plugins: [plugin('Mask', { field: { required: true }, salt: { required: true }, rounds: { type: 'int' } })],
    },
    {
      namespace: 'system',
      name: 'example-old',
      version: '1.0.0',
      parents: 'system:cdap-data-pipeline[6.0.0,6.11.0)',
      plugins: [plugin('Split')],
    },
  ],
};

describe('a seed with artifacts of the platform', () => {
  it.each([
    ['6.10.0', 'Mask', [['1.0.0', ['field']]]],
    [
      '6.11.0',
      'Mask',
      [
        ['1.0.0', ['field']],
        ['2.0.0', ['field', 'salt']],
      ],
    ],
    ['6.10.0', 'Drop', [['1.0.0', []]]],
    ['6.11.0', 'Drop', [['1.0.0', []]]],
    ['6.10.0', 'Split', [['1.0.0', []]]],
    ['6.11.0', 'Split', undefined],
  ] as const)('shows pipelines %s the plugin %s with what it requires', async (parent, name, expected) => {
    await withEmulator(
      async ({ url }) => {
        const extensions = `${url}/v3/namespaces/default/artifacts/cdap-data-pipeline/versions/${parent}/extensions`;
        const answer = await fetch(`${extensions}/transform/plugins/${name}?scope=system&order=ASC`);
        if (expected === undefined) {
          expect(answer.status).toBe(404);
          return;
        }
        const offered = (await answer.json()) as {
          artifact: { version: string; scope: string };
          properties: Record<string, { required: boolean }>;
        }[];
        expect(offered.map(({ artifact: { scope } }) => scope)).toEqual(expected.map(() => 'SYSTEM'));
        const required = offered.map(({ artifact, properties }) => [
          artifact.version,
          Object.keys(properties).filter((property) => properties[property]?.required === true),
        ]);
        expect(required).toEqual(expected);
      },
      { seed: SEED },
    );
  });
});
