import { describe, expect, it } from 'vitest';
import type { CliError } from '../../../../src/core/errors.js';
import { parseVersion } from '../../../../src/core/version.js';
import type { Platform } from '../../../../src/platform/client.js';
import type { Observation, Step, StepContext } from '../../../../src/services/install/action.js';
import { draftStep } from '../../../../src/services/install/things/draft/step.js';
import { streamStep } from '../../../../src/services/install/things/stream/step.js';
import { contextWith } from './support.js';

const ABSENT: Observation = { state: 'absent', effect: 'create' };

/** A platform that answers reads by path, and counts what is written. */
function platformOf(answers: Readonly<Record<string, unknown>>) {
  const writes: string[] = [];
  const answer = async (
    endpoint: { readonly method: string; readonly path: (given: never) => string },
    parameters: unknown,
  ) => {
    const path = endpoint.path(parameters as never);
    if (endpoint.method !== 'GET') writes.push(`${endpoint.method} ${path}`);
    return answers[path.replace(/^.*\/(?=[^/]+$)/u, '')] as never;
  };
  const platform: Platform = { base: 'http://platform.example', find: answer, call: answer };
  return { platform, writes };
}

const applyTo = (step: Step, context: StepContext): Promise<string> =>
  step.apply(context, ABSENT).then(
    () => 'done',
    (error: unknown) => (error as CliError).code,
  );

describe('a stream that appeared since the plan was shown', () => {
  const step = streamStep({ n: 1, name: 'orders', properties: '{"ttl":60}' });
  it.each([
    ['with other properties', { ttl: 7 }, 'CONFLICT'],
    ['with the same properties', { ttl: 60 }, 'done'],
  ])('%s is not written over', async (_, properties, expected) => {
    const { platform, writes } = platformOf({ orders: properties });
    const context = contextWith({ platform, force: true });
    expect([await applyTo(step, context), writes]).toEqual([expected, []]);
  });
});

describe('a draft that appeared since the plan was shown', () => {
  const version = parseVersion('6.11.0');
  if (version === undefined) throw new Error('no version');
  const range = { text: '6.11.0', lower: version, lowerIncluded: true, upper: version, upperIncluded: true };
  const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;
  const configuration = '{"stages":[]}';
  const step = draftStep({ n: 1, name: 'copy', artifact: { ...artifact, range }, configuration });
  const stored = (stages: readonly unknown[]): string =>
    JSON.stringify({ hydratorDrafts: { default: { d1: { name: 'copy', artifact, config: { stages }, __ui__: {} } } } });
  const capabilities = { ...contextWith().capabilities, studio: false };
  it.each([
    ['with another configuration', [1], 'CONFLICT'],
    ['with the same configuration', [], 'done'],
  ])('%s is not written over', async (_, stages, expected) => {
    const { platform, writes } = platformOf({ user: stored(stages) });
    const context = contextWith({ platform, force: true, capabilities });
    expect([await applyTo(step, context), writes]).toEqual([expected, []]);
  });
});
