import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { classesJar } from '../../contract/jars.js';
import {
  detailOf,
  GENERATIONS,
  makePipeline,
  openUpgradeSite,
  pipelineOf,
  upgrade,
  type UpgradeSite,
} from './upgrade-site.js';

// The first deploy on a cold platform takes a minute.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

/** A platform seen through a gate that does something before it lets the first deploy pass. */
async function startGate(platform: string, meanwhile: () => Promise<void>) {
  let isOpen = false;
  const answers: string[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { method = '', url = '' } = incoming;
      const body = await text(incoming);
      if (method === 'PUT' && !isOpen) {
        isOpen = true;
        await meanwhile();
      }
      const answer = await fetch(platform + url, { method, ...(body !== '' && { body }) });
      const said = Buffer.from(await answer.arrayBuffer());
      if (method === 'PUT') answers.push(`${answer.status} ${said.toString()}`);
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(said);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, answers, close };
}

const NEWEST = GENERATIONS.filter(({ platform }) => platform === '6.11.0');

describe.skipIf(NEWEST.every(({ url }) => url === '')).each(NEWEST)('a real platform $platform', (generation) => {
  let site: UpgradeSite;
  beforeAll(async () => {
    site = await openUpgradeSite(generation);
  });
  afterAll(() => site.close());

  it('refuses a deploy over what somebody else deployed since the look, which the next run upgrades', async () => {
    await makePipeline(site, 'orders', pipelineOf(generation, 'orders', {}));
    const theirs = pipelineOf(generation, 'orders', { description: 'theirs' });
    const gate = await startGate(generation.url, () => makePipeline(site, 'orders', theirs));
    const gated = { ...site, proxy: { ...site.proxy, url: gate.url } };
    const refused = await upgrade(gated, 10, '-p', 'orders');
    expect(gate.answers).toEqual([expect.stringMatching(/^409 Cannot deploy the application because parent version/u)]);
    expect(refused.pipelines).toMatchObject([
      {
        state: 'failed',
        error: { code: 'CHANGED_MEANWHILE', status: 409 },
        detail: expect.stringMatching(/it was not overwritten: Cannot deploy .* parent version/u) as string,
      },
    ]);
    const shown = await detailOf(site, 'orders');
    expect(shown).toMatchObject({ artifact: { version: generation.old[0] } });
    expect(shown.configuration).toContain('theirs');
    expect(await upgrade(gated, 0, '-p', 'orders', '--only-failed')).toMatchObject({ summary: { upgraded: 1 } });
    expect((await detailOf(site, 'orders')).configuration).toContain('theirs');
    gate.close();
  });

  it('has its real-time pipelines upgraded', async () => {
    const jar = classesJar(
      { 'Export-Package': 'example' },
      { passThrough: true, name: 'Ticks', type: 'streamingsource' },
    );
    const headers = { 'Artifact-Extends': 'system:cdap-data-streams[6.0.0,7.0.0)', 'Artifact-Version': '1.0.0' };
    await site.call('POST', '/artifacts/ticks', jar, headers);
    const { artifact, config } = pipelineOf(generation, 'clicks', {});
    const [, sink] = config.stages;
    const source = {
      name: 'src',
      plugin: {
        ...sink?.plugin,
        name: 'Ticks',
        type: 'streamingsource',
        artifact: { name: 'ticks', version: '1.0.0', scope: 'USER' },
      },
    };
    const stages = [{ ...source, plugin: { ...source.plugin, properties: {} } }, ...config.stages.slice(1)];
    const streams = { stages, connections: config.connections, batchInterval: '10s', disableCheckpoints: true };
    await site.call('PUT', '/apps/clicks', { artifact: { ...artifact, name: 'cdap-data-streams' }, config: streams });
    const before = await detailOf(site, 'clicks');
    // What --running asks about.
    expect(before).toMatchObject({ programs: [{ type: 'Spark', name: 'DataStreamsSparkStreaming' }] });
    const item = await upgrade(site, 0, '--kind', 'realtime');
    expect(item.pipelines).toMatchObject([
      {
        name: 'clicks',
        artifact: 'cdap-data-streams',
        state: 'upgraded',
        changes: [{ stage: 'sink', from: '2.12.0', to: '2.13.0' }],
      },
    ]);
    const after = await detailOf(site, 'clicks');
    expect(after.artifact).toEqual({ ...before.artifact, version: generation.now[0] });
    expect(after.configuration).toBe(before.configuration.replace('"2.12.0"', '"2.13.0"'));
    const back = await site.cdapctl('upgrade', 'rollback', item.journal ?? '', '-y', '-u', site.proxy.url, '--json');
    expect(back.code, back.stderr).toBe(0);
    expect(await detailOf(site, 'clicks')).toMatchObject({
      artifact: before.artifact,
      configuration: before.configuration,
    });
  });
});
