import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { DELIMITED_JAR, DRIVER_JAR } from './packages.js';
import { runToEnd } from '../pipeline-run.js';
import { it, type Install } from '../site.js';

interface Detail {
  readonly classes: { readonly plugins: readonly object[] };
  readonly parents: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

const DELIMITED = '/artifacts/format-delimited/versions/2.12.0';
const NOTHING: string[] = [];

const states = ({ item }: Install): unknown => [
  item?.state,
  ...(item?.actions ?? []).map(({ type, state }) => `${type} ${state}`),
];

describe('installing on a real platform', () => {
  it('deploys a plugin with its parents and properties, and a second run writes nothing', async ({ site }) => {
    expect(states(await site.install('real/plugin-delimited@2.12.0', 0))).toEqual([
      'installed',
      'one_step_deploy_plugin done',
    ]);
    const artifact = `/v3/namespaces/${site.namespace}/artifacts/format-delimited`;
    expect(site.proxy.writes()).toEqual([`POST ${artifact}`, `PUT ${artifact}/versions/2.12.0/properties`]);
    const detail = await site.call<Detail>('GET', DELIMITED);
    expect(detail.classes.plugins).toHaveLength(6);
    expect(detail.parents).toHaveLength(2);
    expect(detail.properties).toEqual({ 'doc.csv-validatingInputFormat': '# Reads csv\n' });
    site.proxy.forget();
    expect(states(await site.install('real/plugin-delimited@2.12.0', 0))).toEqual([
      'already-present',
      'one_step_deploy_plugin already-present',
    ]);
    expect(site.proxy.requests).not.toEqual([]);
    expect(site.proxy.writes()).toEqual(NOTHING);
  });

  it('takes the version of a plugin from its JAR', async ({ site }) => {
    await site.install('real/plugin-upload@2.12.0', 0);
    expect(await site.statusOf(DELIMITED)).toBe(200);
  });

  it('installs from a folder', async ({ site, home }) => {
    await site.install(home.hub.folder('plugin-delimited', '2.12.0'), 0, '--verify', 'off');
    expect(await site.statusOf(DELIMITED)).toBe(200);
  });

  it('uploads a driver from a file of the user', async ({ site, home }) => {
    expect(await site.install('real/driver-postgresql@42.7.4', 2)).toMatchObject({ error: { code: 'INPUT_MISSING' } });
    expect(site.proxy.writes()).toEqual(NOTHING);
    await site.install('real/driver-postgresql@42.7.4', 0, '--jar', `1=${join(home.hub.jars, DRIVER_JAR)}`);
    const detail = await site.call<Detail>('GET', '/artifacts/postgresql/versions/42.7.4');
    expect(detail.classes.plugins).toMatchObject([
      { name: 'postgresql', type: 'jdbc', className: 'org.postgresql.Driver' },
    ]);
  });

  it('creates a pipeline that runs to its end', async ({ site }) => {
    await site.install('real/pipeline-copy@1.0.0', 0);
    expect(site.proxy.writes()).toEqual([`PUT /v3/namespaces/${site.namespace}/apps/copy`]);
    expect(await site.call('GET', '/apps/copy')).toMatchObject({ artifact: { version: '6.11.0' } });
    expect(await site.call('GET', '/apps/copy/schedules')).toMatchObject([
      { name: 'dataPipelineSchedule', status: 'SUSPENDED' },
    ]);
    expect(await runToEnd(site, 'copy')).toBe('COMPLETED');
  });

  it('installs a package of several actions, whose pipeline runs with the plugins that came with it', async ({
    site,
  }) => {
    expect(states(await site.install('real/solution-copy@1.0.0', 0))).toEqual([
      'installed',
      'informational done',
      'one_step_deploy_plugin done',
      'one_step_deploy_plugin done',
      'create_driver_artifact done',
      'create_pipeline done',
    ]);
    expect(await runToEnd(site, 'copy')).toBe('COMPLETED');
    site.proxy.forget();
    expect(states(await site.install('real/solution-copy@1.0.0', 0))).toMatchObject({ 0: 'already-present' });
    expect(site.proxy.writes()).toEqual(NOTHING);
  });

  it('calls an upload a failure in which the platform finds no plugin, every time', async ({ site }) => {
    const first = await site.install('real/plugin-none@1.0.0', 10);
    expect(first).toMatchObject({ kind: 'Error', error: { code: 'INSTALL_PARTIAL', exitCode: 10 } });
    expect(states(first)).toEqual(['partial', 'one_step_deploy_plugin failed']);
    expect(await site.statusOf('/artifacts/no-plugin/versions/1.0.0')).toBe(200);
    site.proxy.forget();
    expect(await site.install('real/plugin-none@1.0.0', 11)).toMatchObject({ error: { code: 'REMOTE_FAILED' } });
    expect(site.proxy.writes()).toEqual(NOTHING);
  });

  it('finds out that no parent exists before it uploads anything', async ({ site }) => {
    expect(await site.install('real/plugin-orphan@2.12.0', 6)).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(site.proxy.writes()).toEqual(NOTHING);
    expect(await site.statusOf('/artifacts/orphan')).toBe(404);
  });

  it.for([DELIMITED_JAR, 'plugin.json', 'spec.json'])(
    'writes nothing when a byte of %s was changed',
    async (name, { site, home }) => {
      const file = join(home.hub.folder('plugin-delimited', '2.12.0'), name);
      const bytes = await readFile(file);
      const changed = Buffer.from(bytes);
      changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
      await writeFile(file, changed);
      try {
        expect(await site.install('real/plugin-delimited@2.12.0', 9)).toMatchObject({ error: { exitCode: 9 } });
        expect(site.proxy.writes()).toEqual(NOTHING);
        expect(await site.statusOf('/artifacts/format-delimited')).toBe(404);
      } finally {
        await writeFile(file, bytes);
      }
    },
  );
});
