import { EventEmitter, once } from 'node:events';
import { describe, expect } from 'vitest';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { hubPackage, signedHub } from '../../support/sites/hub-tree.js';
import { it, openSite, sampleHub, type Site } from '../../support/sites/install-site.js';

const SPACE = '/v3/namespaces/default';
const ARTIFACT = '/artifacts/example-trim-fields/versions/1.10.0';
const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };

interface Detail {
  readonly properties: Readonly<Record<string, string>>;
}

/** Puts a pipeline of that name there, as an administrator would have done before, with its schedule at work. */
async function olderPipeline(site: Site, name: string): Promise<string> {
  const bytes = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json');
  const config = bytes?.toString('utf8').replace('"maxConcurrentRuns": 1', '"maxConcurrentRuns": 3') ?? '';
  expect(config).toContain('"maxConcurrentRuns": 3');
  await site.call('PUT', `/apps/${name}`, { artifact: BATCH, config });
  await site.call('POST', `/apps/${name}/schedules/dataPipelineSchedule/resume`);
  return config;
}

describe('a second run', () => {
  it.for([
    ['example-trim-fields', []],
    ['example-csv-copy', []],
    ['example-mask-values', []],
    ['example-early-metrics', []],
    ['example-memory-driver', []],
  ] as const)('of %s writes nothing and says so', async ([name, more], { site }) => {
    await site.install(name, '-y', ...more);
    await site.forget();
    const { item, warnings } = await site.install(name, '-y', ...more);
    expect(item?.state).toBe('already-present');
    expect(warnings).toEqual([]);
    expect(item?.actions.filter(({ writes }) => writes)).toEqual([]);
    expect(await site.writes()).toEqual([]);
  });

  it('installs anew what was removed from the platform since', async ({ site }) => {
    await site.install('example-trim-fields', '-y');
    await site.call('DELETE', ARTIFACT);
    await site.forget();
    expect((await site.install('example-trim-fields', '-y')).item?.state).toBe('installed');
    expect(await site.writes()).toHaveLength(2);
  });

  it('from another machine writes nothing either', async ({ site }) => {
    await site.install('example-order-import', '-y', '--skip', '2');
    await site.forget();
    const { code } = await site.cdapctl(site.line(['example-order-import', '-y', '--skip', '2']), {
      home: `${site.home}/elsewhere`,
    });
    expect(code).toBe(0);
    expect(await site.writes()).toEqual([]);
  });
});

describe('an artifact that is there already', () => {
  const upload = async (site: Site): Promise<void> => {
    const jar = (await sampleHub()).files.get('packages/example-trim-fields/1.10.0/example-trim-fields-1.10.0.jar');
    await fetch(`${site.url}${SPACE}/artifacts/example-trim-fields`, {
      method: 'POST',
      headers: { 'Artifact-Version': '1.10.0', 'Artifact-Extends': 'system:cdap-data-pipeline[6.1.0,7.0.0)' },
      body: new Uint8Array(jar ?? []),
    });
    expect(await site.statusOf(ARTIFACT)).toBe(200);
  };

  it('without properties gets those of the package and no second upload', async ({ site }) => {
    await upload(site);
    await site.forget();
    const UNPROVEN = [{ code: 'INSTALL', message: expect.stringContaining('content not compared') as string }];
    const first = await site.install('example-trim-fields', '-y');
    expect([first.item?.state, first.warnings]).toEqual(['installed', UNPROVEN]);
    expect(await site.writes()).toEqual([`PUT ${SPACE}${ARTIFACT}/properties 200`]);
  });

  it('with other properties is refused with 6, and overwritten with --force', async ({ site }) => {
    await upload(site);
    await site.call('PUT', `${ARTIFACT}/properties`, { owner: 'somebody else' });
    await site.forget();
    const refused = await site.install('example-trim-fields', '-y');
    expect(refused.error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(refused.error.hints.join()).toContain('--force');
    expect(await site.writes()).toEqual([]);
    expect((await site.call<Detail>('GET', ARTIFACT)).properties).toEqual({ owner: 'somebody else' });
    expect((await site.install('example-trim-fields', '-y', '--force')).item?.state).toBe('installed');
    expect(await site.writes()).toEqual([`PUT ${SPACE}${ARTIFACT}/properties 200`]);
    expect(Object.keys((await site.call<Detail>('GET', ARTIFACT)).properties)).not.toContain('owner');
  });

  it('in which the platform found no plugin is a failure on every run', async ({ site }) => {
    const first = await site.install('example-old-interface', '-y');
    expect(first.error).toMatchObject({ code: 'INSTALL_PARTIAL', exitCode: 10 });
    expect(first.item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
    expect(first.item).not.toHaveProperty('retry');
    const [, remove = '', ...more] = first.error.hints;
    expect(remove).toContain('cdapctl installed uninstall example-old-interface@1.0.0 -n default');
    expect(more).toEqual([]);
    await site.forget();
    for (const words of [[], ['--again'], ['--force']]) {
      const later = await site.install('example-old-interface', '-y', ...words);
      expect(later.error).toMatchObject({ code: 'REMOTE_FAILED', exitCode: 11 });
      // With --again nothing that the journal holds counts.
      expect(later.error.hints.includes(remove)).toBe(!words.includes('--again'));
    }
    expect(await site.writes()).toEqual([]);
    expect((await site.cdapctl([...remove.split(' ').slice(1), '-y'])).code).toBe(0);
    expect(await site.statusOf('/artifacts/example-old-interface/versions/1.0.0')).toBe(404);
  });
});

describe('a snapshot', () => {
  const NAME = 'example-early-metrics';
  const uploads = async (site: Site): Promise<number> =>
    (await site.writes()).filter((line) => line.startsWith('POST ')).length;

  it('is replaced by a run whose journal does not hold its JAR, and left alone by one whose journal does', async ({
    site,
  }) => {
    await site.install(NAME, '-y');
    await site.install(NAME, '-y');
    expect(await uploads(site)).toBe(1);
    const elsewhere = { home: `${site.home}/elsewhere` };
    expect((await site.cdapctl(site.line([NAME, '-y']), elsewhere)).code).toBe(0);
    expect(await uploads(site)).toBe(2);
    expect((await site.cdapctl(site.line([NAME, '-y']), elsewhere)).code).toBe(0);
    expect(await uploads(site)).toBe(2);
    expect((await site.install(NAME, '-y', '--again')).item?.state).toBe('installed');
    expect(await uploads(site)).toBe(3);
  });

  it('keeps its properties although every upload wipes them', async ({ site }) => {
    await site.install(NAME, '-y');
    const before = await site.call<Detail>('GET', `/artifacts/${NAME}/versions/0.2.0-SNAPSHOT`);
    await site.install(NAME, '-y', '--again');
    const after = await site.call<Detail>('GET', `/artifacts/${NAME}/versions/0.2.0-SNAPSHOT`);
    expect(Object.keys(before.properties)).not.toEqual([]);
    expect(after.properties).toEqual(before.properties);
  });
});

describe('a pipeline that is there already', () => {
  it('with the same configuration, in other words, is done', async ({ site }) => {
    const bytes = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json');
    await site.call('PUT', '/apps/CsvCopy', { artifact: BATCH, config: JSON.parse(bytes?.toString() ?? '') as object });
    expect((await site.pipeline('CsvCopy')).configuration).toContain('512.0');
    await site.forget();
    expect((await site.install('example-csv-copy', '-y')).item?.state).toBe('already-present');
    expect(await site.writes()).toEqual([]);
  });

  it('is overwritten with consent only', async ({ site }) => {
    const before = await olderPipeline(site, 'CsvCopy');
    await site.forget();
    const refused = await site.unasked('example-csv-copy', '--set', '1.name=CsvCopy');
    expect(refused.error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(refused.error.message).toContain('overwrite pipeline CsvCopy');
    expect(await site.writes()).toEqual([]);
    expect((await site.pipeline('CsvCopy')).configuration).toBe(before);
    expect((await site.install('example-csv-copy', '-y')).item?.state).toBe('installed');
    expect((await site.pipeline('CsvCopy')).configuration).not.toBe(before);
  });

  it.for([
    ['active', 'SCHEDULED'],
    ['suspended', 'SUSPENDED'],
  ] as const)('keeps its %s schedules as they were', async ([, status], { site }) => {
    await olderPipeline(site, 'CsvCopy');
    await site.call('PUT', '/apps/CsvCopy/schedules/weekly', {
      name: 'weekly',
      description: '',
      program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
      properties: {},
      trigger: { type: 'TIME', cronExpression: '0 3 * * 0' },
      constraints: [],
      timeoutMillis: 86_400_000,
    });
    if (status === 'SUSPENDED') await site.call('POST', '/apps/CsvCopy/schedules/dataPipelineSchedule/suspend');
    const before = await site.schedules('CsvCopy');
    expect(before).toContain(`dataPipelineSchedule ${status}`);
    expect(before).toHaveLength(2);
    await site.forget();
    await site.install('example-csv-copy', '-y');
    expect(await site.schedules('CsvCopy')).toEqual(before);
    expect(await site.writes()).toEqual([`PUT ${SPACE}/apps/CsvCopy 200`]);
    expect(await site.call('GET', '/apps/CsvCopy/versions')).toHaveLength(2);
  });

  it('names the version that it replaces, so that an update in between is not lost', async ({ site }) => {
    await olderPipeline(site, 'CsvCopy');
    const { appVersion } = await site.pipeline('CsvCopy');
    await site.install('example-csv-copy', '-y');
    const { createHash } = await import('node:crypto');
    const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString();
    const artifact = { name: 'cdap-data-pipeline', version: '[6.11.0, 7.0.0)', scope: 'SYSTEM' };
    const rest = { 'app.deploy.update.schedules': false, change: { parentVersion: appVersion }, config };
    const put = (await site.requests())
      .filter(({ method, path }) => method === 'PUT' && path.endsWith('/CsvCopy'))
      .at(-1);
    expect(put?.bodySha256).toBe(
      createHash('sha256')
        .update(JSON.stringify({ artifact, ...rest }))
        .digest('hex'),
    );
  });

  it('of another artifact is a conflict, which --force overrules', async () => {
    const config = JSON.stringify({ stages: [], connections: [] });
    const artifact = { name: 'cdap-data-streams', version: '6.11.0', scope: 'SYSTEM' };
    const values = { artifact, name: 'Clicks', config: 'clicks.json' };
    const actions = [
      {
        type: 'create_pipeline',
        arguments: Object.entries(values).map(([name, value]) => ({ name, value, canModify: false })),
      },
    ];
    const packages = [hubPackage({ spec: { actions }, resources: { 'clicks.json': config } })];
    const { files, key } = await signedHub({ packages, now: Date.now() });
    const site = await openSite({ ...key, files });
    await site.pin(key);
    await olderPipeline(site, 'Clicks');
    await site.forget();
    const refused = await site.install('test-package', '-y');
    expect(refused.error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(refused.error.message).toContain('cdap-data-pipeline');
    expect(await site.writes()).toEqual([]);
    await site.close();
  });

  it('needs an artifact that the platform has', async ({ site }) => {
    const { error } = await site.install(
      'example-csv-copy',
      '-y',
      '--force-set',
      '--set',
      '1.artifact={"name":"cdap-data-pipeline","version":"[5.0.0,6.0.0)","scope":"SYSTEM"}',
    );
    expect(error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    expect(error.message).toContain('6.11.0');
    expect(await site.writes()).toEqual([]);
  });
});

describe('a late action that must not be done', () => {
  it('stops the actions before it, too', async ({ site }) => {
    const artifact = '{"name":"cdap-data-pipeline","version":"[5.0.0,6.0.0)","scope":"SYSTEM"}';
    const words = ['example-order-import', '-y', '--skip', '2', '--force-set', '--set', `4.artifact=${artifact}`];
    expect((await site.install(...words)).error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    expect(await site.writes()).toEqual([]);
  });
});

describe('two runs', () => {
  it('into one namespace at once do not mix: the second is told who is at work', async ({ site }) => {
    const events = new EventEmitter();
    const [arrived, released] = [once(events, 'arrival'), once(events, 'release')];
    const proxy = await startStallingProxy(site.url, undefined, async (method) => {
      if (method !== 'POST') return;
      events.emit('arrival');
      await released;
    });
    site.through = proxy.url;
    const first = site.install('example-trim-fields', '-y');
    await arrived;
    const second = await site.install('example-csv-copy', '-y');
    expect(second.error).toMatchObject({ code: 'LOCKED', exitCode: 6 });
    events.emit('release');
    expect((await first).item?.state).toBe('installed');
    expect(await site.statusOf('/apps/CsvCopy')).toBe(404);
    await proxy.close();
  });
});
