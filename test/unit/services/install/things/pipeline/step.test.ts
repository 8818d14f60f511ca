import { expect, it } from 'vitest';
import type { CliError } from '../../../../../../src/core/errors.js';
import { parseVersion } from '../../../../../../src/core/version.js';
import { getApplication, putApplication } from '../../../../../../src/platform/apps.js';
import type { Platform } from '../../../../../../src/platform/client.js';
import { pipelineStep } from '../../../../../../src/services/install/things/pipeline/step.js';
import { contextWith } from '../../support.js';

const ARTIFACT = { name: 'batch', version: '6.11.0', scope: 'SYSTEM' } as const;
const version = parseVersion('6.11.0');
if (version === undefined) throw new Error('no version');
const range = { text: '6.11.0', lower: version, lowerIncluded: true, upper: version, upperIncluded: true };
const STEP = pipelineStep({ n: 1, name: 'copy', artifact: { ...ARTIFACT, range }, configuration: '{"stages":[]}' });

it.each([
  ['another', '{"stages":[1]}', 'CONFLICT'],
  ['the same', '{"stages":[]}', 'done'],
])('a pipeline that appeared since the plan was shown is not written over: %s', async (_, configuration, expected) => {
  let sent = 0;
  const platform: Platform = {
    base: 'http://platform.example',
    find: async (endpoint) => {
      expect(endpoint).toBe(getApplication);
      return { name: 'copy', artifact: ARTIFACT, configuration } as never;
    },
    call: async (endpoint) => {
      if ((endpoint as unknown) === putApplication) sent += 1;
      return [ARTIFACT] as never;
    },
  };
  const end = STEP.apply(contextWith({ platform }), { state: 'absent', effect: 'create' });
  expect(await end.then(() => 'done').catch((error: unknown) => (error as CliError).code)).toBe(expected);
  expect(sent).toBe(0);
});
