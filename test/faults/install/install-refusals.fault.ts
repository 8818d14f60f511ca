import { describe, expect } from 'vitest';
import { applied, it, recovers, sampleHub, sends, type Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';

const SPACE = '/v3/namespaces/default';
const BATCH = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
const UPLOAD = { method: 'POST', path: '/artifacts/example-trim-fields$' };
const ARTIFACT = `${SPACE}/artifacts/example-trim-fields`;

const trim = ['example-trim-fields@1.10.0', '-y'] as const;
const copy = ['example-csv-copy', '-y'] as const;

const TRIM_WRITES = [`POST ${ARTIFACT}`, `PUT ${ARTIFACT}/versions/1.10.0/properties`];

describe('a refusal', () => {
  it.for([
    [400, 'REMOTE_FAILED', 11],
    [401, 'AUTH', 3],
    [403, 'FORBIDDEN', 4],
    [404, 'NOT_FOUND', 5],
    [413, 'REMOTE_FAILED', 11],
    [500, 'REMOTE_FAILED', 11],
  ] as const)(
    'of the first write with %i is its cause, nothing was changed',
    async ([status, code, exitCode], { site }) => {
      await site.fail({
        match: UPLOAD,
        kind: 'status',
        status,
        when: 'before',
        body: `no \u001b[2J${'x'.repeat(50_000)}`,
      });
      const { error, item } = await site.install(...trim);
      expect(error).toMatchObject({ code, exitCode, request: { method: 'POST', status } });
      expect(error.details.length).toBeLessThan(4000);
      expect(item).toMatchObject({
        state: 'failed',
        actions: [{ state: 'failed', requests: [{ method: 'POST', status }] }],
      });
      expect(await sends(site, 'POST')).toBe(1);
      await recovers(site, trim, TRIM_WRITES);
    },
  );

  it('in the middle stops there; the same command goes on where it stopped', async ({ site }) => {
    const { files } = await sampleHub();
    const jar = await site.file(
      'driver.jar',
      files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '',
    );
    const words = ['example-order-import', '--jar', `2=${jar}`, '-y'];
    await site.fail({
      match: { method: 'POST', path: '/example-order-tools$' },
      kind: 'status',
      status: 500,
      when: 'before',
    });
    const { error, item } = await site.install(...words);
    expect(error).toMatchObject({ code: 'INSTALL_PARTIAL', exitCode: 10 });
    expect(item?.state).toBe('partial');
    expect(item?.actions.map(({ state }) => state)).toEqual(['done', 'done', 'failed', 'not-run']);
    expect(item?.retry).toMatch(/^cdapctl install example-order-import /u);
    const before = await applied(site);
    expect(before).toEqual([`POST ${SPACE}/artifacts/example-orders-driver`]);
    await site.forget();
    const again = await site.install(...words);
    expect(again.item?.actions.map(({ state }) => state)).toEqual(['done', 'already-present', 'done', 'done']);
    expect(await applied(site)).not.toContain(before[0]);
  });

  it('of the tool itself, when a JAR of the user was changed after it was checked', async ({ site }) => {
    const { files } = await sampleHub();
    const original = files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? Buffer.of();
    const jar = await site.file('driver.jar', original);
    const words = ['example-order-import', '--jar', `2=${jar}`, '-y'];
    let looks = 0;
    const proxy = await startStallingProxy(site.url, async (method, path) => {
      if (method === 'GET' && path.includes('/artifacts/example-orders-driver/') && ++looks === 2)
        await site.file('driver.jar', Buffer.concat([original.subarray(0, -1), Buffer.of(7)]));
    });
    void proxy.arm();
    site.through = proxy.url;
    const { error } = await site.install(...words);
    expect(error).toMatchObject({ code: 'LOCAL_IO', exitCode: 15 });
    expect(error.message).toContain('driver.jar was changed after it was checked');
    expect(await site.statusOf('/artifacts/example-orders-driver/versions/1.0.0')).toBe(404);
    await site.file('driver.jar', original);
    expect((await site.install(...words)).code).toBe(0);
    await proxy.close();
  });

  it('409 for an upload that somebody else did meanwhile: their content is named as not compared', async ({ site }) => {
    await site.fail({ match: UPLOAD, kind: 'status', status: 409, when: 'after' });
    const { code, warnings } = await site.install(...trim);
    expect(code).toBe(0);
    expect(warnings.map(({ message }) => message).join()).toContain('created by someone else');
    expect(await sends(site, 'POST')).toBe(1);
  });

  it('409 for an upload of somebody else, who wrote other properties: 6, theirs stay', async ({ site }) => {
    const proxy = await startStallingProxy(site.url, async (method) => {
      if (method === 'POST')
        await site.call('PUT', '/artifacts/example-trim-fields/versions/1.10.0/properties', { owner: 'other' });
    });
    void proxy.arm();
    site.through = proxy.url;
    await site.fail({ match: UPLOAD, kind: 'status', status: 409, when: 'after' });
    const { error } = await site.install(...trim);
    await proxy.close();
    expect(error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    const { properties } = await site.call<{ properties: object }>(
      'GET',
      '/artifacts/example-trim-fields/versions/1.10.0',
    );
    expect(properties).toEqual({ owner: 'other' });
  });

  it('409 for an upload that is not there all the same is an answer that makes no sense', async ({ site }) => {
    await site.fail({ match: UPLOAD, kind: 'status', status: 409, when: 'before' });
    expect((await site.install(...trim)).error).toMatchObject({ code: 'BAD_ANSWER', exitCode: 12 });
  });

  it('of the tool itself, when somebody made the pipeline after it was planned: 6, theirs stays', async ({ site }) => {
    const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString() ?? '';
    const theirs = config.replace('"maxConcurrentRuns": 1', '"maxConcurrentRuns": 2');
    let looks = 0;
    const proxy = await startStallingProxy(site.url, async (method, path) => {
      if (method === 'GET' && path.endsWith('/apps/CsvCopy') && ++looks === 1)
        await site.call('PUT', '/apps/CsvCopy', { artifact: BATCH, config: theirs });
    });
    void proxy.arm();
    site.through = proxy.url;
    const { error, item } = await site.install(...copy);
    await proxy.close();
    expect(error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect(error.hints.join('\n')).toContain('run the same command again');
    expect(item?.state).toBe('failed');
    expect(await site.writes()).toEqual([]);
    expect((await site.pipeline('CsvCopy')).configuration).toBe(theirs);
    site.through = site.url;
    expect((await site.install(...copy)).item?.state).toBe('installed');
  });

  it('409 for a deploy, because somebody deployed in between: 6, theirs stays', async ({ site }) => {
    const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString() ?? '';
    const put = (runs: number): Promise<unknown> =>
      site.call('PUT', '/apps/CsvCopy', {
        artifact: BATCH,
        config: config.replace('"maxConcurrentRuns": 1', `"maxConcurrentRuns": ${runs}`),
      });
    await put(2);
    let schedules = 0;
    const proxy = await startStallingProxy(site.url, async (_, path) => {
      if (path.endsWith('/schedules') && ++schedules === 1) await put(3);
    });
    void proxy.arm();
    site.through = proxy.url;
    const { error } = await site.install(...copy);
    await proxy.close();
    expect(error).toMatchObject({ code: 'CONFLICT', exitCode: 6 });
    expect((await site.pipeline('CsvCopy')).configuration).toContain('"maxConcurrentRuns": 3');
  });
});

describe('a platform that is away for a while', () => {
  it('in the middle of an install is waited for', async ({ site }) => {
    let uploads = 0;
    const proxy = await startStallingProxy(site.url, async (method) => {
      if (method === 'POST' && ++uploads === 1)
        await site.fail({ match: { method: 'GET' }, kind: 'status', status: 503, when: 'before', times: 5 });
    });
    void proxy.arm();
    site.through = proxy.url;
    const { code, warnings } = await site.install(...trim);
    await proxy.close();
    expect(code).toBe(0);
    expect(warnings.map(({ message }) => message).join()).toContain('retrying');
    expect(await applied(site)).toEqual(TRIM_WRITES);
  });

  it('before the first write is its cause', async ({ site }) => {
    await site.fail({
      match: { method: 'GET', path: '/artifacts' },
      kind: 'status',
      status: 503,
      when: 'before',
      times: 9,
    });
    expect((await site.install(...trim)).error).toMatchObject({ code: 'UNAVAILABLE', exitCode: 7 });
    expect(await site.writes()).toEqual([]);
  });

  it.for([
    ['/v3/version', 'not json'],
    ['/artifacts/example-trim-fields/versions', '{"name":1}'],
    ['/artifacts$', '{}'],
  ] as const)('or answers nonsense for %s: 12, nothing sent', async ([path, body], { site }) => {
    await site.fail({ match: { method: 'GET', path }, kind: 'status', status: 200, body, when: 'before' });
    expect((await site.install(...trim)).error).toMatchObject({ code: 'BAD_ANSWER', exitCode: 12 });
    expect(await site.writes()).toEqual([]);
  });
});

describe('schedules of a pipeline that is overwritten', () => {
  /** An older pipeline at work, behind a proxy that suspends its schedule at every deploy. */
  async function suspending(site: Site): Promise<() => Promise<void>> {
    const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString() ?? '';
    await site.call('PUT', '/apps/CsvCopy', {
      artifact: BATCH,
      config: config.replace('"maxConcurrentRuns": 1', '"maxConcurrentRuns": 2'),
    });
    await site.call('POST', '/apps/CsvCopy/schedules/dataPipelineSchedule/resume');
    await site.forget();
    const proxy = await startStallingProxy(site.url, async (method, path) => {
      if (method === 'PUT' && path.endsWith('/apps/CsvCopy'))
        await site.call('POST', '/apps/CsvCopy/schedules/dataPipelineSchedule/suspend');
    });
    void proxy.arm();
    site.through = proxy.url;
    return () => proxy.close();
  }
  const RESUME = `POST ${SPACE}/apps/CsvCopy/schedules/dataPipelineSchedule/resume`;
  const resume = { method: 'POST', path: '/resume$' };
  const deploy = { method: 'PUT', path: '/apps/CsvCopy$' };

  it('are brought back', async ({ site }) => {
    const close = await suspending(site);
    expect((await site.install(...copy)).code).toBe(0);
    expect(await applied(site)).toEqual([`PUT ${SPACE}/apps/CsvCopy`, RESUME]);
    expect(await site.schedules('CsvCopy')).toEqual(['dataPipelineSchedule SCHEDULED']);
    await close();
  });

  it.for([
    ['reset', 'after', 1, 0, 'SCHEDULED'],
    ['reset', 'before', 1, 0, 'SCHEDULED'],
    ['status', 'before', 1, 0, 'SCHEDULED'],
    ['status', 'before', 2, 10, 'SUSPENDED'],
  ] as const)(
    '%s %s the effect of bringing them back, %i time(s): %i, and the next run ends it without a deploy',
    async ([kind, when, times, code, status], { site }) => {
      const close = await suspending(site);
      await site.fail({ match: resume, kind, when, times });
      const first = await site.install(...copy);
      expect(first.code).toBe(code);
      expect(await site.schedules('CsvCopy')).toEqual([`dataPipelineSchedule ${status}`]);
      if (code !== 0) expect(first.error.hints.join('\n')).toContain(RESUME);
      await site.forget();
      expect((await site.install(...copy)).code).toBe(0);
      expect(await site.schedules('CsvCopy')).toEqual(['dataPipelineSchedule SCHEDULED']);
      expect(await applied(site)).toEqual(code === 0 ? [] : [RESUME]);
      await close();
    },
  );

  it.for([
    ['at once', 0, 'INSTALL_PARTIAL', 'SCHEDULED'],
    ['by the next run, when they cannot be at once', 2, 'REMOTE_FAILED', 'SUSPENDED'],
  ] as const)(
    'are brought back after a deploy that failed with 500: %s',
    async ([, failing, code, between], { site }) => {
      const close = await suspending(site);
      await site.fail({ match: deploy, kind: 'status', status: 500, when: 'before' });
      if (failing > 0) await site.fail({ match: resume, kind: 'status', status: 500, when: 'before', times: failing });
      const { error } = await site.install(...copy);
      expect(error).toMatchObject({ code, request: { method: 'PUT', status: 500 } });
      expect(await site.schedules('CsvCopy')).toEqual([`dataPipelineSchedule ${between}`]);
      expect((await site.install(...copy)).code).toBe(0);
      expect(await site.schedules('CsvCopy')).toEqual(['dataPipelineSchedule SCHEDULED']);
      await close();
    },
  );

  it('stay as somebody left them after a deploy that was refused', async ({ site }) => {
    const close = await suspending(site);
    await site.fail({ match: deploy, kind: 'status', status: 403, when: 'before' });
    expect((await site.install(...copy)).error.code).toBe('FORBIDDEN');
    await close();
    site.through = site.url;
    expect((await site.install(...copy)).code).toBe(0);
    expect(await site.schedules('CsvCopy')).toEqual(['dataPipelineSchedule SUSPENDED']);
    expect(await applied(site)).toEqual([`PUT ${SPACE}/apps/CsvCopy`]);
  });
});
