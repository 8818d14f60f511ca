import { expect, it } from 'vitest';
import { findPipeline } from '../../../../src/services/metrics/pipeline.js';
import { oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { inMemory, NEVER } from '../in-memory-platform.js';
import { codeOf } from '../../../support/errors.js';

const only = { namespace: 'etl', name: 'only' };

it('metrics are there of a pipeline that exists only under a version that somebody named', async () => {
  const site = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.1.1') }, '6.1.1');
  expect(await codeOf(findPipeline(only, site.platform, NEVER))).toBe('NOT_FOUND');
  const artifact = { name: 'cdap-data-pipeline', version: '6.0.0', scope: 'SYSTEM' };
  await site.call('POST', 'etl/apps/only/versions/1.0/create', { artifact, config: oneStep('Copy') });
  expect(await findPipeline(only, site.platform, NEVER)).toMatchObject({
    ...only,
    version: '1.0',
    program: { name: 'DataPipelineWorkflow' },
  });
});
