import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { DRIVER_JAR } from './packages.js';
import { hasEnded, runUntil, startRun } from '../pipeline-run.js';
import { it, type Site } from '../site.js';

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Uninstall {
  readonly item: { readonly state: string; readonly items: readonly Item[] } | null;
  readonly error?: { readonly code: string; readonly hints: readonly string[] };
}

interface Named {
  readonly name: string;
  readonly version: string;
}

async function uninstall(site: Site, name: string, code: number, ...flags: readonly string[]): Promise<Uninstall> {
  const run = await site.cdapctl('installed', 'uninstall', name, '-y', '--json', '--no-input', ...flags);
  expect(run.code, `${run.stderr}${run.stdout}`).toBe(code);
  return JSON.parse(run.stdout) as Uninstall;
}

const fates = ({ item }: Uninstall): unknown =>
  item?.items.map(({ kind, name, state, reason }) => [kind, name, state, reason].filter(Boolean).join(' '));

/** All of the namespace that an install can touch, without what differs from run to run. */
async function stateOf(site: Site): Promise<unknown> {
  const artifacts = await site.call<Named[]>('GET', '/artifacts?scope=user');
  const details = await Promise.all(
    artifacts.map(({ name, version }) => site.call('GET', `/artifacts/${name}/versions/${version}`)),
  );
  const applications = await site.call<Named[]>('GET', '/apps');
  const pipelines = await Promise.all(
    applications.map(async ({ name }) => {
      const detail = await site.call<{ configuration: string; artifact: unknown }>('GET', `/apps/${name}`);
      const schedules = await site.call<{ name: string; status: string }[]>('GET', `/apps/${name}/schedules`);
      return {
        ...{ name, configuration: detail.configuration, artifact: detail.artifact },
        schedules: schedules.map((schedule) => `${schedule.name} ${schedule.status}`),
      };
    }),
  );
  const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();
  return { artifacts: sorted(details), pipelines: sorted(pipelines) };
}

describe('removing what was installed on a real platform', () => {
  it('leaves the platform as it was after install, uninstall and install again', async ({ site }) => {
    const empty = await stateOf(site);
    await site.install('real/solution-copy@1.0.0', 0);
    const full = await stateOf(site);
    site.proxy.forget();
    const removed = await uninstall(site, 'solution-copy', 0);
    expect([removed.item?.state, fates(removed)]).toMatchObject([
      'removed',
      { 0: 'pipeline copy removed', 1: 'artifact postgresql removed', 2: 'artifact format-delimited removed' },
    ]);
    expect(site.proxy.writes()[0]).toBe(`DELETE /v3/namespaces/${site.namespace}/apps/copy`);
    expect(site.proxy.writes()).toHaveLength(removed.item?.items.length ?? 0);
    expect(await stateOf(site)).toEqual(empty);
    site.proxy.forget();
    expect((await uninstall(site, 'solution-copy', 0)).item?.state).toBe('nothing');
    expect(site.proxy.writes()).toEqual([]);
    await site.install('real/solution-copy@1.0.0', 0);
    expect(await stateOf(site)).toEqual(full);
    const list = await site.cdapctl('installed', 'list', '--verify', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject({ items: [{ package: 'solution-copy', drift: 'none' }] });
  });

  it('does not remove an artifact that a pipeline of somebody else uses', async ({ site }) => {
    await site.install('real/solution-copy@1.0.0', 0);
    const { artifact, configuration } = await site.call<{ artifact: object; configuration: string }>(
      'GET',
      '/apps/copy',
    );
    await site.call('PUT', '/apps/mine', { artifact, config: configuration });
    const first = await uninstall(site, 'solution-copy', 10);
    const used = first.item?.items.filter(({ reason }) => reason === 'used') ?? [];
    expect(used).not.toEqual([]);
    for (const { name, message } of used) {
      expect(message).toBe('used by application mine');
      expect(await site.statusOf(`/artifacts/${name}`)).toBe(200);
    }
    expect(await site.statusOf('/apps/copy')).toBe(404);
    await site.call('DELETE', '/apps/mine');
    expect((await uninstall(site, 'solution-copy', 0)).item?.state).toBe('removed');
    expect(await stateOf(site)).toEqual({ artifacts: [], pipelines: [] });
  });

  it('leaves a driver and a pipeline that were there before', async ({ site, home }) => {
    await site.install('real/driver-postgresql@42.7.4', 0, '--jar', `1=${join(home.hub.jars, DRIVER_JAR)}`);
    await site.install('real/pipeline-copy@1.0.0', 0);
    await site.install('real/solution-copy@1.0.0', 0);
    const left = await uninstall(site, 'solution-copy', 6);
    expect(fates(left)).toContain('artifact postgresql left found');
    expect(fates(left)).toContain('pipeline copy left found');
    expect(await site.statusOf('/apps/copy')).toBe(200);
    expect(await site.statusOf('/artifacts/postgresql')).toBe(200);
  });

  it('refuses while the pipeline runs, before anything is written', async ({ site }) => {
    await site.install('real/pipeline-copy@1.0.0', 0);
    const run = await startRun(site, 'copy');
    // A stop that comes before the run is one ends nothing.
    await runUntil(site, run, ({ status }) => {
      expect(status).toBe('RUNNING');
    });
    site.proxy.forget();
    const refused = await uninstall(site, 'pipeline-copy', 6);
    expect(refused.error?.code).toBe('CONFLICT');
    expect(refused.error?.hints.join()).toContain('/workflows/DataPipelineWorkflow/stop');
    expect(site.proxy.writes()).toEqual([]);
    await site.call('POST', '/apps/copy/workflows/DataPipelineWorkflow/stop');
    await runUntil(site, run, hasEnded);
    expect((await uninstall(site, 'pipeline-copy', 0)).item?.state).toBe('removed');
  });
});
