import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { buildHub } from '../../../src/emulator/hub/build.js';
import { fixed, specification } from '../../../src/emulator/hub/packages/parts.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { makeSigner } from '../../../src/emulator/hub/sign.js';
import { it, sampleHub, type Site } from '../../support/sites/install-site.js';

const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };

/** A package of as many pipelines as wanted. */
async function packageOf(actions: number): Promise<SamplePackage> {
  const { files } = await sampleHub();
  const pipeline = files.get('packages/example-csv-copy/1.0.0/pipeline.json') ?? Buffer.alloc(0);
  return {
    name: `large-${actions}`,
    version: '1.0.0',
    spec: specification({
      label: `Large ${actions}`,
      description: 'Many actions.',
      created: 1_700_000_000,
      categories: ['pipeline'],
      actions: Array.from({ length: actions }, (_, at) => ({
        type: 'create_pipeline',
        label: `Pipeline ${at}`,
        arguments: fixed({ name: `Large${actions}x${at}`, artifact: BATCH, config: 'pipeline.json' }),
      })),
    }),
    resources: { 'pipeline.json': pipeline },
  };
}

async function largestJournal(site: Site): Promise<number> {
  const folder = join(site.home, '.local', 'state', 'cdapctl', 'installs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  return Math.max(...(await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))));
}

describe('a package of 200 actions', () => {
  it('costs as many requests for each as one of 20, and so does its second install', async ({ site }) => {
    const signer = await makeSigner(Date.now());
    const packages = await Promise.all([20, 200].map(packageOf));
    site.publish({ files: await buildHub({ packages, signer, now: Date.now(), sequence: 1 }) });
    await site.pin(signer);
    const requestsOf = async (actions: number): Promise<number> => {
      await site.forget();
      const { code, item, stderr } = await site.install(`large-${actions}`, '-y');
      expect(code, stderr).toBe(0);
      expect(item?.actions).toHaveLength(actions);
      return (await site.requests()).filter(({ port }) => port === 'platform').length;
    };
    const fresh = [await requestsOf(20), await requestsOf(200)] as const;
    const again = [await requestsOf(20), await requestsOf(200)] as const;
    for (const [few, many] of [fresh, again]) {
      expect(few).toBeGreaterThanOrEqual(20);
      expect(many).toBeLessThanOrEqual(10 * few);
    }
    expect(await largestJournal(site)).toBeLessThan(1_000_000);
  });
});
