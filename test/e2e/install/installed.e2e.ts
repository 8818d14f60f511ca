import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import * as z from 'zod';
import { it, sampleHub, type Site } from '../../support/sites/install-site.js';
import { ROOT, type RunOptions } from '../../support/processes/run-cli.js';

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly version?: string;
  readonly state: string;
  readonly reason?: string;
  readonly message?: string;
  readonly origin?: string;
  readonly now?: string;
}

interface Answer {
  readonly code: number | undefined;
  readonly stderr: string;
  readonly kind: string;
  readonly item: { readonly state: string; readonly items: readonly Item[] } | null;
  readonly items: readonly {
    readonly package: string;
    readonly hub: string;
    readonly state: string;
    readonly drift?: string;
  }[];
  readonly error: { readonly code: string; readonly hints: readonly string[]; readonly details: string };
}

const NOTHING: string[] = [];
const SPACE = '/v3/namespaces/default';
const PIPELINE = `DELETE ${SPACE}/apps/OrderImport 200`;
const TOOLS = `DELETE ${SPACE}/artifacts/example-order-tools/versions/2.0.1 200`;
const DRIVER = `DELETE ${SPACE}/artifacts/example-orders-driver/versions/1.0.0 200`;

/** Runs `installed ...` as JSON and checks the document against its schema. */
async function installed(site: Site, words: readonly string[], options?: RunOptions): Promise<Answer> {
  const { code, stdout, stderr } = await site.cdapctl(['installed', ...words, '-u', site.through, '--json'], options);
  const value = JSON.parse(stdout) as Answer;
  const schema = JSON.parse(await readFile(join(ROOT, 'dist', 'schemas', `${value.kind}.json`), 'utf8')) as Parameters<
    typeof z.fromJSONSchema
  >[0];
  expect(z.fromJSONSchema(schema).safeParse(value).error?.issues ?? []).toEqual([]);
  return { ...value, code, stderr };
}

const uninstall = (site: Site, name: string, ...words: readonly string[]): Promise<Answer> =>
  installed(site, ['uninstall', name, ...words]);

const fates = ({ item }: Answer): readonly string[] =>
  (item?.items ?? []).map(({ kind, name, state, reason }) => [kind, name, state, reason].filter(Boolean).join(' '));

async function installOrders(site: Site): Promise<void> {
  const { files } = await sampleHub();
  const jar = files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '';
  const install = await site.install('example-order-import', '--jar', `2=${await site.file('driver.jar', jar)}`, '-y');
  expect(install.code, install.stdout).toBe(0);
}

/** All of the namespace that an install can touch. */
async function stateOf(site: Site): Promise<unknown> {
  const artifacts = await site.call<{ name: string; version: string }[]>('GET', '/artifacts?scope=user');
  const details = await Promise.all(
    artifacts.map(({ name, version }) => site.call('GET', `/artifacts/${name}/versions/${version}`)),
  );
  const applications = await site.call<{ name: string }[]>('GET', '/apps');
  const pipelines = await Promise.all(
    applications.map(async ({ name }) => ({ name, configuration: (await site.pipeline(name)).configuration })),
  );
  const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();
  return { artifacts: sorted(details), pipelines: sorted(pipelines) };
}

describe('installed uninstall', () => {
  it('removes what the install made, last first, and a later install makes it again', async ({ site }) => {
    const before = await stateOf(site);
    await installOrders(site);
    const after = await stateOf(site);
    await site.forget();
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect([answer.code, answer.item?.state]).toEqual([0, 'removed']);
    expect(await site.writes()).toEqual([PIPELINE, TOOLS, DRIVER]);
    expect(await stateOf(site)).toEqual(before);
    const shown = await site.cdapctl(['installed', 'show', 'example-order-import', '-u', site.url]);
    expect(shown.stdout).toMatch(/^installed 20\d\d-\S+ \d\d:\d\dZ?, uninstalled 20\d\d-\S+ \d\d:\d\dZ?$/mu);
    await site.forget();
    expect((await uninstall(site, 'example-order-import', '-y')).item?.state).toBe('nothing');
    expect(await site.writes()).toEqual(NOTHING);
    await installOrders(site);
    expect(await stateOf(site)).toEqual(after);
  });

  it('plans without a write, and wants a yes where nobody can be asked', async ({ site }) => {
    await installOrders(site);
    await site.forget();
    const planned = await uninstall(site, 'example-order-import', '--dry-run');
    expect([planned.code, planned.item?.state]).toEqual([0, 'planned']);
    expect(fates(planned)).toEqual([
      'pipeline OrderImport planned',
      'artifact example-order-tools planned',
      'artifact example-orders-driver planned',
    ]);
    expect((await uninstall(site, 'example-order-import', '--dry-run', '--detailed-exitcode')).code).toBe(14);
    const refused = await uninstall(site, 'example-order-import', '--no-input');
    expect([refused.code, refused.error.code]).toEqual([13, 'CONSENT_MISSING']);
    expect(await site.writes()).toEqual(NOTHING);
  });

  it('leaves an artifact that a pipeline of somebody else uses', async ({ site }) => {
    await installOrders(site);
    const { configuration, artifact } = await site.pipeline('OrderImport');
    await site.call('PUT', '/apps/Mine', { artifact, config: configuration });
    await site.forget();
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect(fates(answer)).toEqual([
      'pipeline OrderImport removed',
      'artifact example-order-tools left used',
      'artifact example-orders-driver removed',
    ]);
    expect(answer.item?.items[1]?.message).toBe('used by application Mine');
    expect(await site.writes()).toEqual([PIPELINE, DRIVER]);
    await site.call('DELETE', '/apps/Mine');
    expect((await uninstall(site, 'example-order-import', '-y')).item?.state).toBe('removed');
    expect(await stateOf(site)).toEqual({ artifacts: [], pipelines: [] });
  });

  it('leaves a pipeline that was changed, and the artifacts that it uses', async ({ site }) => {
    await installOrders(site);
    const { configuration, artifact } = await site.pipeline('OrderImport');
    const changed = JSON.stringify({ ...(JSON.parse(configuration) as object), description: 'mine now' });
    await site.call('PUT', '/apps/OrderImport', { artifact, config: changed });
    await site.forget();
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect(fates(answer)).toEqual([
      'pipeline OrderImport left changed',
      'artifact example-order-tools left used',
      'artifact example-orders-driver removed',
    ]);
    expect([answer.code, answer.item?.state, await site.writes()]).toEqual([10, 'partial', [DRIVER]]);
    expect(answer.error).toMatchObject({ code: 'PARTIAL', details: expect.stringContaining('used by') as string });
    const shown = await site.cdapctl(['installed', 'show', 'example-order-import', '-u', site.url]);
    expect(shown.stdout).toMatch(/^installed 20\d\d-\S+ \d\d:\d\dZ?, 2 left by uninstall 20\d\d-\S+ \d\d:\d\dZ?$/mu);
    expect(shown.stdout).toContain('left  pipeline OrderImport: was changed since the install');
  });

  it('leaves what existed before the install', async ({ site }) => {
    await site.call('PUT', '/apps/OrderImport', {
      artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
      config: (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString('utf8'),
    });
    await installOrders(site);
    await site.forget();
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect(fates(answer)[0]).toBe('pipeline OrderImport left found');
    expect(await site.writes()).toEqual([DRIVER]);
  });

  it('leaves what another installed package needs, until that is gone', async ({ site }) => {
    const words = ['download', 'example-trim-fields@1.10.0', '--hub', site.hub, '-D', join(site.home, 'kept')];
    expect((await site.cdapctl(['hub', ...words])).code).toBe(0);
    const folder = join(site.home, 'kept', 'example-trim-fields', '1.10.0');
    expect((await site.install('example-trim-fields@1.10.0', '-y')).code).toBe(0);
    const again = await site.cdapctl(['install', folder, '-u', site.url, '-y', '--verify', 'off', '--json']);
    expect(again.code, again.stdout).toBe(0);
    await site.forget();
    const several = await uninstall(site, 'example-trim-fields', '-y');
    expect([several.code, several.error.code]).toEqual([2, 'USAGE']);
    const { items } = await installed(site, ['list']);
    const [first, second] = [items.find(({ hub }) => hub === site.hub), items.find(({ hub }) => hub !== site.hub)];
    expect(items).toHaveLength(2);
    const firstRun = await uninstall(site, 'example-trim-fields', '--hub', first?.hub ?? '', '-y');
    expect(fates(firstRun)).toEqual(['artifact example-trim-fields left needed']);
    const secondRun = await uninstall(site, 'example-trim-fields', '--hub', second?.hub ?? '', '-y');
    expect(fates(secondRun)).toEqual(['artifact example-trim-fields left found']);
    expect(await site.writes()).toEqual(NOTHING);
    expect(fates(await uninstall(site, 'example-trim-fields', '--hub', first?.hub ?? '', '-y'))).toEqual([
      'artifact example-trim-fields removed',
    ]);
  });

  it('refuses while a pipeline is running, before anything is written', async ({ site }) => {
    await installOrders(site);
    await site.fail({
      match: { method: 'GET', path: '/workflows/DataPipelineWorkflow/status' },
      ...{ kind: 'status', when: 'before', status: 200, body: '{"status":"RUNNING"}' },
    });
    await site.forget();
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect([answer.code, answer.error.code]).toEqual([6, 'CONFLICT']);
    expect(answer.error.hints.join()).toContain('/apps/OrderImport/workflows/DataPipelineWorkflow/stop');
    expect(await site.writes()).toEqual(NOTHING);
  });

  it.for(['before', 'after'] as const)(
    'sends a removal whose answer was lost %s its effect as often as needed',
    async (when, { site }) => {
      await installOrders(site);
      await site.forget();
      await site.fail({ match: { port: 'platform', method: 'DELETE' }, kind: 'reset', when, times: 1 });
      const answer = await uninstall(site, 'example-order-import', '-y');
      expect([answer.code, answer.item?.state]).toEqual([0, 'removed']);
      expect((await site.writes()).map((line) => line.replace(/ \d+$/u, ''))).toEqual(
        [...(when === 'before' ? [PIPELINE] : []), PIPELINE, TOOLS, DRIVER].map((line) => line.replace(/ \d+$/u, '')),
      );
    },
  );

  it('stops at the first refusal, says what is gone, and goes on by the same command', async ({ site }) => {
    await installOrders(site);
    await site.fail({
      match: { port: 'platform', method: 'DELETE', path: 'order-tools' },
      kind: 'status',
      when: 'before',
      status: 403,
    });
    const answer = await uninstall(site, 'example-order-import', '-y');
    expect([answer.code, answer.error.code, answer.item?.state]).toEqual([10, 'PARTIAL', 'partial']);
    expect(fates(answer)).toEqual([
      'pipeline OrderImport removed',
      'artifact example-order-tools failed',
      'artifact example-orders-driver not-run',
    ]);
    await site.heal();
    await site.forget();
    expect((await uninstall(site, 'example-order-import', '-y')).item?.state).toBe('removed');
    expect(await site.writes()).toEqual([TOOLS, DRIVER]);
  });

  it('removes a draft, and says 5 for what was never installed', async ({ site }) => {
    expect((await site.install('example-draft-report', '-y')).code).toBe(0);
    expect(fates(await uninstall(site, 'example-draft-report', '-y'))).toEqual(['draft DraftReport removed']);
    expect((await uninstall(site, 'example-nothing', '-y')).code).toBe(5);
  });
});

describe('installed list and show', () => {
  it('say what was made, and with --verify what has become of it, without a write', async ({ site }) => {
    await installOrders(site);
    await site.call('PUT', '/artifacts/example-order-tools/versions/2.0.1/properties', { changed: 'yes' });
    await site.call('DELETE', '/apps/OrderImport');
    await site.forget();
    expect((await installed(site, ['list'])).items).toMatchObject([
      { package: 'example-order-import', state: 'installed' },
    ]);
    expect(await site.requests()).toEqual([]);
    expect((await installed(site, ['list', '--verify'])).items).toMatchObject([{ drift: 'gone' }]);
    const shown = await installed(site, ['show', 'example-order-import', '--verify']);
    expect(shown.item?.items).toMatchObject([
      { name: 'example-orders-driver', origin: 'created', now: 'same' },
      { name: 'example-order-tools', origin: 'created', now: 'changed' },
      { name: 'OrderImport', origin: 'created', now: 'gone' },
    ]);
    expect(await site.writes()).toEqual(NOTHING);
    expect((await installed(site, ['list', '-n', 'elsewhere'])).items).toEqual([]);
  });
});
