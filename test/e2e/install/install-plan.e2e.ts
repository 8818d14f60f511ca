import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, sampleHub, type Site } from '../../support/sites/install-site.js';

let site: Site & { close(): Promise<void> };
let plan: string;
beforeAll(async () => {
  site = await openSite();
  await site.pin(await sampleHub());
  plan = join(site.home, 'plan.json');
});
afterAll(() => site.close());

describe('install --plan-out and --plan', () => {
  it('writes the plan as the document of a dry run and changes nothing', async () => {
    const planned = await site.install('example-csv-copy', '--set', '1.name=Nightly', '-y', '--plan-out', plan);
    expect(planned).toMatchObject({ code: 0, item: { state: 'planned' } });
    const { kind, item } = JSON.parse(await readFile(plan, 'utf8')) as typeof planned;
    expect({ kind, item }).toEqual({ kind: planned.kind, item: planned.item });
    expect(await site.writes()).toEqual([]);
  });

  it('does not write over a file', async () => {
    const again = await site.install('example-csv-copy', '--set', '1.name=Nightly', '-y', '--plan-out', plan);
    expect(again).toMatchObject({ code: 6, error: { code: 'EXISTS' } });
  });

  it.each([
    ['another input', ['--set', '1.name=Other']],
    ['an action left out', ['--set', '1.name=Nightly', '--skip', '1']],
  ])('refuses %s before anything is written', async (_, words) => {
    const refused = await site.install('example-csv-copy', ...words, '-y', '--plan', plan);
    expect(refused).toMatchObject({ code: 6, error: { code: 'PLAN_CHANGED' } });
    expect(refused.error.details).toContain('action 1 (create_pipeline)');
    expect(await site.writes()).toEqual([]);
  });

  it('refuses another package, and a file that holds no plan', async () => {
    const other = await site.install('example-trim-fields', '-y', '--plan', plan);
    expect(other).toMatchObject({ code: 6, error: { code: 'PLAN_CHANGED' } });
    const none = await site.install('example-csv-copy', '-y', '--plan', await site.file('none.json', '{}'));
    expect(none).toMatchObject({ code: 2, error: { code: 'USAGE' } });
    expect(await site.writes()).toEqual([]);
  });

  it('refuses a platform on which the plan would now do something else', async () => {
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json') ?? '';
    await site.call('PUT', '/apps/Nightly', {
      artifact,
      config: String(config).replace('{', '{"description": "another",'),
    });
    await site.forget();
    const words = ['example-csv-copy', '--set', '1.name=Nightly', '-y', '--plan', plan];
    expect(await site.install(...words)).toMatchObject({ code: 6, error: { code: 'PLAN_CHANGED' } });
    expect(await site.writes()).toEqual([]);
    await site.call('DELETE', '/apps/Nightly');
    expect(await site.install(...words)).toMatchObject({ code: 0, item: { state: 'installed' } });
  });

  it('holds the digests of JARs, and lets a package with one be installed twice', async () => {
    const file = join(site.home, 'jar-plan.json');
    const planned = await site.install('example-trim-fields', '-y', '--plan-out', file);
    const { item } = JSON.parse(await readFile(file, 'utf8')) as { item: { trust: { files: { name: string }[] } } };
    expect(item.trust.files.map(({ name }) => name)).toContain('example-trim-fields-1.10.0.jar');
    expect(planned.item?.state).toBe('planned');
    expect((await site.install('example-trim-fields', '-y', '--plan', file)).item?.state).toBe('installed');
    expect((await site.install('example-trim-fields', '-y', '--plan', file)).item?.state).toBe('already-present');
  });

  it('holds the digest of a JAR that a person brings, wherever it lies, and refuses another one', async () => {
    const name = 'packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar';
    const bytes = Buffer.from((await sampleHub()).files.get(name) ?? '');
    const driver = await site.file('driver.jar', bytes);
    const file = join(site.home, 'driver-plan.json');
    const words = (jar: string) => ['example-order-import', '-y', '--jar', `2=${jar}`];
    await site.forget();
    await site.install(...words(driver), '--plan-out', file);
    const { item } = JSON.parse(await readFile(file, 'utf8')) as { item: { actions: { inputs: object }[] } };
    const jarSha256 = createHash('sha256').update(bytes).digest('hex');
    expect(item.actions[1]?.inputs).toMatchObject({ jar: driver, jarBytes: bytes.length, jarSha256 });
    // The time of the first file of the archive.
    bytes.writeUInt16LE(bytes.readUInt16LE(10) ^ 1, 10);
    const other = await site.install(...words(await site.file('other.jar', bytes)), '--plan', file);
    expect(other).toMatchObject({ code: 6, error: { code: 'PLAN_CHANGED' } });
    expect(other.error.details).toBe('action 2 (create_driver_artifact): not the JAR in the plan');
    expect(await site.writes()).toEqual([]);
    bytes.writeUInt16LE(bytes.readUInt16LE(10) ^ 1, 10);
    const moved = await site.install(...words(await site.file('moved.jar', bytes)), '--plan', file);
    expect(moved.item?.state, JSON.stringify(moved.error)).toBe('installed');
  });

  it('lets the same command go on when the plan is done already', async () => {
    await site.forget();
    const words = ['example-csv-copy', '--set', '1.name=Nightly', '-y', '--plan', plan];
    expect(await site.install(...words)).toMatchObject({ code: 0, item: { state: 'already-present' } });
    expect(await site.writes()).toEqual([]);
  });
});
