import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import type { ContractTarget } from '../../support/target.js';
import type { PipelineRequest } from '../pipeline.js';
import { casesOn, expectEmpty, expectText, json, NO_TYPE, type Space } from '../suite.js';

/** The platform 6.1.1 at `CDAPCTL_CONTRACT_URL_6_1`, or an emulated one: the newest upgrades in other ways. */
async function platformWithOneVersion(): Promise<ContractTarget> {
  const url = process.env['CDAPCTL_CONTRACT_URL_6_1'];
  if (url !== undefined && url !== '') return { url, real: true, close: async () => undefined };
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1' });
  return { url: emulator.url, real: false, hub: emulator.hub, close: () => emulator.close() };
}

const it = casesOn(platformWithOneVersion);

const CRON = '0 3 * * *';
const FILE = resolve(import.meta.dirname, '../../platform/pipelines/xml-to-table-6.0.0.json');
const OLD = ((): PipelineRequest => {
  const { artifact, config } = JSON.parse(readFileSync(FILE, 'utf8')) as PipelineRequest;
  return { artifact, config: { ...config, schedule: CRON } };
})();
const pluginsAt = (request: PipelineRequest, version: string): PipelineRequest =>
  JSON.parse(JSON.stringify(request).replaceAll('"version":"2.2.0"', `"version":"${version}"`)) as PipelineRequest;
const NEW: PipelineRequest = { ...pluginsAt(OLD, '2.3.4'), artifact: { ...OLD.artifact, version: '6.1.1' } };

interface Detail {
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: PipelineRequest['artifact'];
}
type Schedule = Readonly<Record<string, unknown>> & { readonly name: string; readonly status: string };

const detail = async ({ call }: Space): Promise<Detail> => json<Detail>(await call('GET', '/apps/orders'));
const schedules = async ({ call }: Space): Promise<Schedule[]> =>
  json<Schedule[]>(await call('GET', '/apps/orders/schedules'));
const statuses = async (space: Space): Promise<string[]> =>
  (await schedules(space)).map(({ name, status }) => `${name} ${status}`).sort();

async function put({ call }: Space, body: object): Promise<void> {
  expectText(await call('PUT', '/apps/orders', { body }), 200, 'Deploy Complete');
}

/** Deploys the older pipeline with its schedule active and an active one that was added. */
async function scheduled(space: Space): Promise<void> {
  await put(space, OLD);
  const [own] = await schedules(space);
  expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: { ...own, name: 'extra' } }));
  for (const name of ['dataPipelineSchedule', 'extra']) {
    await space.call('POST', `/apps/orders/schedules/${name}/resume`);
  }
}

describe('moving a pipeline to newer artifacts (6.1)', () => {
  it.for(['/apps/orders/upgrade', '/apps/nope/upgrade', '/upgrade'])(
    'has no call of its own: %s',
    async (path, { call, space }) => {
      await put(space, OLD);
      const whole = `/v3/namespaces/${space.name}${path}`;
      const text = `Problem accessing: ${whole}. Reason: Not Found`;
      expect(await call('POST', whole, { body: [{ name: 'orders' }] })).toEqual({ status: 404, type: NO_TYPE, text });
    },
  );

  it('replaces its one version, by a deploy or an update', async ({ space }) => {
    await put(space, OLD);
    await put(space, NEW);
    expect(await detail(space)).toMatchObject({ appVersion: '-SNAPSHOT', artifact: NEW.artifact });
    expectText(await space.call('POST', '/apps/orders/update', { body: OLD }), 200, 'Update complete.');
    expect(await detail(space)).toMatchObject({ appVersion: '-SNAPSHOT', artifact: OLD.artifact });
    expect(json(await space.call('GET', '/apps/orders/versions'))).toEqual(['-SNAPSHOT']);
  });

  it('gives back as it was a configuration that it has written before', async ({ space }) => {
    await put(space, { ...OLD, config: { ...OLD.config, __ui__: { left: 10.5, none: null }, sign: "<&='>" } });
    const { configuration } = await detail(space);
    expect(configuration).toContain('"__ui__":{"left":10.5}');
    await put(space, { ...OLD, config: JSON.parse(configuration) as object });
    expect((await detail(space)).configuration).toBe(configuration);
  });

  it('takes no configuration as a text', async ({ space }) => {
    const told = 'Invalid JSON configuration was provided. Please check the syntax.';
    const body = { ...OLD, config: JSON.stringify(OLD.config) };
    expectText(await space.call('PUT', '/apps/orders', { body }), 400, told);
  });

  it('takes no notice of the version that the request names as its parent', async ({ space }) => {
    await put(space, OLD);
    const change = { parentVersion: 'ffffffff-ffff-1fff-8000-000000000000' };
    expectText(await space.call('POST', '/apps/orders/update', { body: { ...NEW, change } }), 200, 'Update complete.');
    await put(space, { ...NEW, change });
  });

  it('refuses newer plugins in an older pipeline and leaves it as it was', async ({ space }) => {
    await put(space, OLD);
    const before = await detail(space);
    const told = /^Failed to configure pipeline: Plugin named '\w+' of type '\w+' not found\.$/u;
    expectText(await space.call('PUT', '/apps/orders', { body: pluginsAt(OLD, '2.3.4') }), 400, told);
    expect(await detail(space)).toEqual(before);
  });
});

describe('schedules when a pipeline is moved (6.1)', () => {
  it('keep their status when they are unchanged, and are deleted when they were added', async ({ space }) => {
    await scheduled(space);
    await put(space, NEW);
    expect(await statuses(space)).toEqual(['dataPipelineSchedule SCHEDULED']);
  });

  it('all stay when the request asks for that', async ({ space }) => {
    await scheduled(space);
    const before = await schedules(space);
    await put(space, { ...NEW, 'app.deploy.update.schedules': false });
    expect(await schedules(space)).toEqual(before);
  });

  it('are suspended when they change', async ({ space }) => {
    await scheduled(space);
    await put(space, { ...NEW, config: { ...NEW.config, schedule: '0 4 * * *' } });
    expect(await statuses(space)).toEqual(['dataPipelineSchedule SUSPENDED']);
  });

  it('can be put back as the list showed them, suspended', async ({ space }) => {
    await scheduled(space);
    const before = await schedules(space);
    const extra = before.find(({ name }) => name === 'extra');
    await put(space, NEW);
    expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: extra }));
    expect(await statuses(space)).toEqual(['dataPipelineSchedule SCHEDULED', 'extra SUSPENDED']);
    await space.call('POST', '/apps/orders/schedules/extra/resume');
    expect(await schedules(space)).toEqual(before);
  });
});

describe('lists and statuses (6.1)', () => {
  it('have no pages, and every wanted artifact in one array', async ({ space }) => {
    await put(space, OLD);
    const query = 'artifactName=cdap-data-streams,cdap-data-pipeline&pageSize=1';
    const records = json<{ name: string }[]>(await space.call('GET', `/apps?${query}`));
    expect(records.map(({ name }) => name)).toEqual(['orders']);
    expect(json(await space.call('GET', '/apps?artifactName=cdap-data-streams&pageSize=1'))).toEqual([]);
  });

  it('tell of each program asked for whether it runs', async ({ space }) => {
    await put(space, OLD);
    const program = { programType: 'Workflow', programId: 'DataPipelineWorkflow' };
    const body = ['orders', 'nope'].map((appId) => ({ appId, ...program }));
    const error = `'program:${space.name}.nope.-SNAPSHOT.workflow.DataPipelineWorkflow' was not found.`;
    expect(json(await space.call('POST', '/status', { body }))).toEqual([
      { ...body[0], statusCode: 200, status: 'STOPPED' },
      { ...body[1], statusCode: 404, error },
    ]);
  });
});
