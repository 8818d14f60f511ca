import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderSource, packageInFolder } from '../../../src/hub/folder-source.js';
import { readCatalog } from '../../../src/hub/catalog.js';
import { readAll } from '../../../src/hub/source.js';

const SAMPLES = resolve(import.meta.dirname, '../../fixtures/hub');
const { signal } = new AbortController();
const failsAs = (code: string) => expect.objectContaining({ code }) as Error;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hub-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

async function textOf(
  place: { name?: string; version?: string; file: string },
  maxBytes = 1000,
): Promise<string | undefined> {
  const file = await (await folderSource(folder, 'disk', signal)).open(place, { maxBytes }, signal);
  return file && Buffer.from(await readAll(file, maxBytes)).toString();
}

describe('a source tree', () => {
  it('gives every package of the samples in the order of the packager', async () => {
    const source = await folderSource(SAMPLES, 'samples', signal);
    const { catalog, synthesized } = await source.catalog({}, signal);
    expect(synthesized).toBe(true);
    expect(catalog.problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(catalog.entries.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'solution-bulk-data-transfer 1.2.0',
      'solution-cdc-oracle-to-kudu 2.0.0',
      'hydrator-plugin-date-transform 1.0.0',
      'directive-image-exif 1.0.0',
      'solution-incremental-data-ingest 1.0.0',
      'example-log-analysis 4.0.0',
      'example-log-analysis 4.2.0',
      'jdbc-driver-oracle 12c',
      'plugin-pivot 1.0.0',
      'plugin-sendgrid 1.0.0',
      'solution-sms-spam-pipeline 1.3.0',
      'datapack-tweets-sample-labeled 1.0.0',
    ]);
    expect(catalog.entries.find(({ name }) => name === 'plugin-sendgrid')).toMatchObject({
      beta: true,
      preview: false,
      paid: true,
      paidLink: 'https://sendgrid.com/',
      created: 1587517127,
    });
  });

  it('gives the bytes of the catalog that stands for it', async () => {
    const { bytes, catalog } = await (await folderSource(SAMPLES, 'samples', signal)).catalog({}, signal);
    expect(readCatalog(bytes, 'made').entries).toEqual(catalog.entries);
    expect(Object.keys(catalog.entries[0]?.raw ?? {})).not.toContain('actions');
  });

  it('gives the bytes that the packager would write', async () => {
    const built = resolve(SAMPLES, '../hub-built');
    cpSync(join(built, 'packages'), join(folder, 'packages'), { recursive: true });
    const { bytes } = await (await folderSource(folder, 'built', signal)).catalog({}, signal);
    expect(Buffer.from(bytes).toString()).toBe(readFileSync(join(built, 'packages.json'), 'utf8'));
  });

  it('orders by lower-cased label, then name, then version as text', async () => {
    for (const [name, version, label] of [
      ['b', '1.10.0', 'same'],
      ['b', '1.6.0', 'SAME'],
      ['a', '9.0.0', 'Same'],
      ['z', '1.0.0', 'Alpha'],
    ] as const) {
      put(`packages/${name}/${version}/spec.json`, { label });
    }
    const { catalog } = await (await folderSource(folder, 'disk', signal)).catalog({}, signal);
    expect(catalog.entries.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'z 1.0.0',
      'a 9.0.0',
      'b 1.10.0',
      'b 1.6.0',
    ]);
  });

  it.each([
    ['cut JSON', '{"label":', 'BAD_JSON'],
    ['an array', '[]', 'BAD_JSON'],
    ['a member twice', '{"label":"a","label":"b"}', 'DUP_KEY'],
    ['100,000 levels', '['.repeat(100_000), 'TOO_DEEP'],
    ['more than 4 MB', ' '.repeat(4 * 1024 * 1024 + 1), 'TOO_LARGE'],
  ])('lists a package whose specification is %s, and names the file', async (_, content, code) => {
    put('packages/good/1.0.0/spec.json', { label: 'Good' });
    put('packages/bad/1.0.0/spec.json', content);
    const { catalog } = await (await folderSource(folder, 'disk', signal)).catalog({}, signal);
    expect(catalog.entries.map(({ name }) => name)).toEqual(['bad', 'good']);
    expect(catalog.problems).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        code,
        name: 'bad',
        version: '1.0.0',
        message: expect.stringContaining(join('bad', '1.0.0', 'spec.json')) as string,
      }),
    );
  });

  it('says which version folder holds no specification, and passes over files and hidden folders', async () => {
    put('packages/good/1.0.0/spec.json', { label: 'Good' });
    put('packages/good/build.yaml', 'x');
    put('packages/good/2.0.0/readme.txt', 'x');
    put('packages/.git/1.0.0/spec.json', {});
    const { catalog } = await (await folderSource(folder, 'disk', signal)).catalog({}, signal);
    expect(catalog.entries).toHaveLength(1);
    expect(catalog.problems.filter(({ severity }) => severity !== 'note')).toEqual([
      {
        severity: 'skipped',
        index: -1,
        name: 'good',
        version: '2.0.0',
        code: 'RESOURCE_MISSING',
        message: 'packages/good/2.0.0 has no spec.json',
      },
    ]);
  });

  it('follows links inside the folder and none out of it', async () => {
    put('packages/good/1.0.0/spec.json', { label: 'Good' });
    symlinkSync('1.0.0', join(folder, 'packages/good/2.0.0'));
    symlinkSync(join(SAMPLES, 'packages/plugin-pivot'), join(folder, 'packages/outside'));
    const { catalog } = await (await folderSource(folder, 'disk', signal)).catalog({}, signal);
    expect(catalog.entries.map(({ version }) => version)).toEqual(['1.0.0', '2.0.0']);
    expect(catalog.problems).toContainEqual(
      expect.objectContaining({
        severity: 'skipped',
        code: 'BAD_NAME',
        message: expect.stringContaining('outside') as string,
      }),
    );
  });
});

describe('a folder', () => {
  it('with packages.json is read by it', async () => {
    put('packages.json', [{ name: 'a', version: '1.0.0' }]);
    put('packages/b/1.0.0/spec.json', {});
    const source = await folderSource(folder, 'disk', signal);
    expect(source).toMatchObject({ kind: 'folder', label: 'disk', base: pathToFileURL(folder).href });
    expect(await source.catalog({}, signal)).toMatchObject({
      synthesized: false,
      notModified: false,
      catalog: { entries: [{ name: 'a' }] },
    });
  });

  it('has no members as they came where its packages.json is read lean', async () => {
    put('packages.json', [{ name: 'a', version: '1.0.0' }]);
    const source = await folderSource(folder, 'disk', signal);
    expect((await source.catalog({ lean: true }, signal)).catalog.entries).toMatchObject([
      { name: 'a', raw: undefined },
    ]);
  });

  it('may hold the hub below v2', async () => {
    put('v2/packages.json', []);
    put('v2/packages/a/1/spec.json', 'hello');
    expect(await textOf({ name: 'a', version: '1', file: 'spec.json' })).toBe('hello');
  });

  it.each([
    ['packages/my-plugin/12c', { name: 'my-plugin', version: '12c' }],
    ['packages/my-plugin/draft', { name: 'my-plugin', version: 'draft' }],
    ['downloads/my-plugin/1.0.0', { name: 'my-plugin', version: '1.0.0' }],
    ['work/my-plugin', { name: 'my-plugin', version: '0' }],
  ])('%s that holds a specification is one package', async (path, place) => {
    put(`${path}/spec.json`, { label: 'Mine' });
    put(`${path}/a.jar`, 'jar');
    const source = await folderSource(join(folder, path), 'disk', signal);
    expect((await source.catalog({}, signal)).catalog.entries).toMatchObject([{ ...place, label: 'Mine' }]);
    expect(await packageInFolder(join(folder, path), signal)).toEqual(place);
    expect(await source.list?.(place)).toEqual([
      { name: 'a.jar', bytes: 3 },
      { name: 'spec.json', bytes: 16 },
    ]);
    expect(
      await source.open({ ...place, name: 'other', file: 'spec.json' }, { maxBytes: 100 }, signal),
    ).toBeUndefined();
  });

  it.each(['', 'nowhere'])('without a hub is HUB_NOT_FOUND', async (path) => {
    put('readme.txt', 'x');
    await expect(folderSource(join(folder, path), 'disk', signal)).rejects.toThrow(failsAs('HUB_NOT_FOUND'));
  });

  it('lists the plain files of a version and nothing else', async () => {
    put('packages/a/1/spec.json', '{}');
    put('packages/a/1/.DS_Store', 'x');
    put('packages/a/1/nested/x', 'x');
    const source = await folderSource(folder, 'disk', signal);
    expect(await source.list?.({ name: 'a', version: '1' })).toEqual([{ name: 'spec.json', bytes: 2 }]);
    expect(await source.list?.({ name: 'a', version: '2' })).toEqual([]);
    await expect(source.list?.({ name: '..', version: '1' })).rejects.toThrow(failsAs('BAD_NAME'));
  });
});

describe('a file of a folder', () => {
  beforeEach(() => {
    put('packages/a/1/spec.json', 'specification');
    put('secret.txt', 'secret');
  });

  it('is read whole and in the size told', async () => {
    expect(await textOf({ name: 'a', version: '1', file: 'spec.json' })).toBe('specification');
    const file = await (
      await folderSource(folder, 'disk', signal)
    ).open({ name: 'a', version: '1', file: 'spec.json' }, { maxBytes: 100 }, signal);
    expect(file?.bytes).toBe(13);
    await file?.discard();
    await file?.discard();
  });

  it('is read in chunks when it is large', async () => {
    const large = Buffer.alloc(3_400_000, 'abc');
    writeFileSync(join(folder, 'packages/a/1/large.jar'), large);
    const file = await (
      await folderSource(folder, 'disk', signal)
    ).open({ name: 'a', version: '1', file: 'large.jar' }, { maxBytes: 4e6 }, signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of file?.body ?? []) chunks.push(Buffer.from(chunk));
    expect(chunks.length).toBeGreaterThan(2);
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  it.each([
    { name: 'a', version: '1', file: 'no.jar' },
    { name: 'b', version: '1', file: 'spec.json' },
    { file: 'index.json' },
    { file: 'packages' },
  ])('that is not there is undefined: %j', async (place) => {
    expect(await textOf(place)).toBeUndefined();
  });

  it('above the limit is TOO_LARGE', async () => {
    await expect(textOf({ name: 'a', version: '1', file: 'spec.json' }, 12)).rejects.toThrow(failsAs('TOO_LARGE'));
  });

  it.each(['../../../secret.txt', '..', 'a\\b', '%2e%2e', 'x\u0000'])('called %j is BAD_NAME', async (file) => {
    await expect(textOf({ name: 'a', version: '1', file })).rejects.toThrow(failsAs('BAD_NAME'));
  });

  it('that is a link out of the hub is BAD_NAME', async () => {
    symlinkSync(join(SAMPLES, 'README.md'), join(folder, 'packages/a/1/link.txt'));
    await expect(textOf({ name: 'a', version: '1', file: 'link.txt' })).rejects.toThrow(failsAs('BAD_NAME'));
  });

  it('in a linked folder out of the hub is BAD_NAME', async () => {
    symlinkSync(join(SAMPLES, 'packages/plugin-pivot'), join(folder, 'packages/b'));
    await expect(textOf({ name: 'b', version: '1.0.0', file: 'spec.json' })).rejects.toThrow(failsAs('BAD_NAME'));
  });

  it.skipIf(process.platform === 'win32')('that is a pipe is not there, and nothing waits for it', async () => {
    execFileSync('mkfifo', [join(folder, 'packages/a/1/pipe.txt')]);
    expect(await textOf({ name: 'a', version: '1', file: 'pipe.txt' })).toBeUndefined();
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const file = await (
      await folderSource(folder, 'disk', signal)
    ).open({ name: 'a', version: '1', file: 'spec.json' }, { maxBytes: 100 }, stop.signal);
    stop.abort(new Error('enough'));
    if (file === undefined) throw new Error('no file');
    await expect(readAll(file, 100)).rejects.toThrow('enough');
  });
});
