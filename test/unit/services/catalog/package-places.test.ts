import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { HubFile, HubSource } from '../../../../src/hub/source.js';
import { latestOf, sorted, type Candidate } from '../../../../src/services/catalog/choose.js';
import { differencesOf, mismatchOf } from '../../../../src/services/catalog/differences.js';
import { isOfTheWay } from '../../../../src/services/catalog/fetch-file.js';
import { resuming } from '../../../../src/services/catalog/resume.js';
import {
  makePackageFolder,
  packageFolder,
  refuseExisting,
  writableFolder,
} from '../../../../src/services/catalog/download/place.js';
import { saveIcon } from '../../../../src/services/catalog/icon.js';
import { keysOfFiles, readKeyFile } from '../../../../src/services/catalog/key-files.js';
import { fetchSpecification } from '../../../../src/services/catalog/specification.js';
import { resolveInFolder } from '../../../../src/services/catalog/resolve.js';
import { resolvePackage } from '../../../../src/services/catalog/resolve.js';
import { parsePackageRef } from '../../../../src/services/catalog/package-ref.js';
import { verifyAll } from '../../../../src/services/catalog/verify/verify.js';
import { hubKey } from '../../../support/sites/hub-tree.js';
import { NEVER } from '../../../support/clock.js';
import { thrownBy } from '../../../support/errors.js';
import { failure, told } from '../pipelines/support.js';
import { folders } from './support-trust.js';
import { memoryHub } from './support/memory-hub.js';

const newFolder = folders();
const full = (entry: object) => ({
  ...{ label: '', description: '', author: '', org: '', created: 1, categories: [] },
  ...entry,
});

describe('the icon of a package', () => {
  const save = async (files: Readonly<Record<string, string>>, path: string) => {
    const { source } = memoryHub('corp', [], files);
    await saveIcon({ source, name: 'a', version: '1' } as Parameters<typeof saveIcon>[0], path, NEVER);
  };

  it('is written to a new file', async () => {
    const path = join(await newFolder(), 'a.png');
    await save({ 'a/1/icon.png': 'png' }, path);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['png', 0o644]);
    expect(await failure(save({ 'a/1/icon.png': 'other' }, path))).toEqual({
      ...{ code: 'EXISTS', message: `${path} exists`, hints: ['name another file'], target: { file: path } },
    });
    expect(readFileSync(path, 'utf8')).toBe('png');
  });

  it('may be absent', async () => {
    expect(await failure(save({}, join(await newFolder(), 'a.png')))).toEqual({
      ...{ code: 'RESOURCE_MISSING', message: 'a 1 has no icon.png', target: { file: 'icon.png' } },
    });
  });
});

describe('keys of files', () => {
  it('are those of all files, expired ones only where they are named', async () => {
    const folder = await newFolder();
    const keys = [await hubKey(), await hubKey({ state: 'expired' })];
    const files = keys.map(({ publicKey }, at) => {
      const file = join(folder, `${at}.asc`);
      writeFileSync(file, publicKey);
      return file;
    });
    const expired = keys[1]?.fingerprint ?? '';
    const { pinned, keyring } = await keysOfFiles(files, [expired]);
    expect(pinned).toBe(2);
    const allowed = keyring.trusted.map(({ fingerprint, allowExpired }) => [fingerprint, allowExpired]);
    expect(allowed).toEqual([
      [keys[0]?.fingerprint, false],
      [expired, true],
    ]);
  });

  it('are refused where a file is too large for one', async () => {
    const file = join(await newFolder(), 'key.asc');
    writeFileSync(file, Buffer.alloc(4_194_304));
    expect(await readKeyFile(file)).toHaveLength(4_194_304);
    writeFileSync(file, Buffer.alloc(4_194_305));
    expect(await failure(readKeyFile(file))).toEqual({
      ...{ code: 'KEY_UNUSABLE', message: `${file} is too large for a key file`, target: { file } },
    });
  });
});

describe('a package in a folder', () => {
  const put = (folder: string, path: string): void => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'spec.json'), '{"label":"","description":"","author":"","org":"","actions":[]}');
  };
  const find = async (folder: string) => {
    const { all } = await resolveInFolder(folder, undefined, NEVER);
    return all.map(({ hub, name, version }) => [hub, name, version]);
  };

  it('is the folder itself, or the only one of a hub', async () => {
    const folder = await newFolder();
    put(folder, 'packages/a/1.0.0');
    expect(await find(join(folder, 'packages/a/1.0.0'))).toEqual([[join(folder, 'packages/a/1.0.0'), 'a', '1.0.0']]);
    put(folder, 'packages/a/2.0.0');
    expect(await find(folder)).toEqual([[folder, 'a', '2.0.0']]);
  });

  it('is not chosen among several', async () => {
    const folder = await newFolder();
    mkdirSync(join(folder, 'packages'));
    const refused = (count: number) => ({
      ...{ code: 'USAGE', message: `${folder} holds ${count} packages` },
      hints: [`use the folder of a package: ${folder}/packages/NAME/VERSION`, { next: 'name-hub-folder', folder }],
    });
    expect(await failure(find(folder))).toEqual(refused(0));
    put(folder, 'packages/a/1.0.0');
    put(folder, 'packages/b/1.0.0');
    expect(await failure(find(folder))).toEqual(refused(2));
  });
});

describe('the place of a download', () => {
  it('is a folder for each version, whose names are safe', () => {
    expect(packageFolder('/out', 'a', '1.0.0')).toBe('/out/a/1.0.0');
  });

  it('is refused where a file is there', async () => {
    const folder = await newFolder();
    const [one, two] = [join(folder, '1'), join(folder, '2')];
    refuseExisting([one, two]);
    writeFileSync(two, '');
    expect(
      told(
        thrownBy(() => {
          refuseExisting([one, two]);
        }),
      ),
    ).toEqual({
      ...{ code: 'EXISTS', message: `${two} exists`, target: { file: two } },
      hints: [{ next: 'keep-files' }, { next: 'replace-files' }],
    });
  });

  it('is made, unless there is a file or a link', async () => {
    const folder = await newFolder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await failure(writableFolder(file))).toEqual({
      ...{ code: 'LOCAL_IO', message: `cannot write into ${file}: it is not a folder`, target: { file } },
    });
    makePackageFolder(join(folder, 'a', '1'));
    expect(statSync(join(folder, 'a', '1')).isDirectory()).toBe(true);
    symlinkSync(join(folder, 'a'), join(folder, 'b'));
    symlinkSync(join(folder, 'a'), join(folder, 'a', '2'));
    for (const path of [join(folder, 'b', '1'), join(folder, 'a', '2')])
      expect(
        thrownBy(() => {
          makePackageFolder(path);
        }).code,
      ).toBe('SYMLINK');
  });
});

describe('a file of which a part has come', () => {
  const bodyOf = (text: string) =>
    (async function* () {
      yield Buffer.from(text);
      yield Buffer.from('!');
    })();
  const opening = async (left: { bytes: number; etag: string } | undefined, opened: Partial<HubFile> | undefined) => {
    const calls: unknown[] = [];
    const file = {
      left,
      contents: () => bodyOf('abc'),
      goOn: () => calls.push('go on'),
      begin: (etag: string | undefined) => calls.push(['begin', etag]),
    } as never;
    const source = {
      open: async (_: unknown, { rest }: { rest?: unknown }) => {
        calls.push(['open', rest]);
        return opened && { what: 'x', body: bodyOf('cde'), discard: async () => undefined, ...opened };
      },
    } as unknown as HubSource;
    const found = await resuming(file, source)({ file: 'x' }, { maxBytes: 9 }, NEVER);
    const parts: string[] = [];
    if (found !== undefined) for await (const part of found.body) parts.push(Buffer.from(part).toString());
    return { calls, text: parts.join(''), what: found?.what };
  };
  const left = { bytes: 4, etag: '"e"' };

  it('goes on with its last byte where the hub has that very file', async () => {
    expect(await opening(left, { from: 3, bytes: 9 })).toEqual({
      ...{ calls: [['open', { from: 3, etag: '"e"' }], 'go on'], text: 'abc!de!', what: 'x' },
    });
  });

  it.each([
    ['the hub has another one', left, { bytes: 5, etag: '"n"' }, undefined],
    ['nothing has come', undefined, { bytes: 1_000_000, etag: '"n"' }, '"n"'],
    ['the hub begins elsewhere', left, { from: 2, bytes: 999_999, etag: '"n"' }, undefined],
    ['its size is not known', undefined, { etag: '"n"' }, undefined],
  ])('begins anew where %s, and is kept for later where it is large', async (_, before, opened, etag) => {
    const { calls, text } = await opening(before, opened);
    expect([calls.at(-1), text]).toEqual([['begin', etag], 'cde!']);
  });

  it('may be absent', async () => {
    expect(await opening(left, undefined)).toEqual({
      calls: [['open', { from: 3, etag: '"e"' }]],
      text: '',
      what: undefined,
    });
  });

  it.each([
    ['AUTH', true],
    ['FORBIDDEN', true],
    ['NET_RESET', true],
    ['NET_SLOW', true],
    ['NOT_FOUND', false],
    ['SIG_BAD', false],
  ] as const)('is as good as it was after %s: %s', (code, isGood) => {
    expect([isOfTheWay(new CliError(code, 'x')), isOfTheWay(new Error('x'))]).toEqual([isGood, false]);
  });
});

describe('what is refused of a package', () => {
  const find = (text: string, catalog: readonly object[]) =>
    resolvePackage([memoryHub('corp', catalog).hub], parsePackageRef(text), undefined, NEVER);

  it('is one whose entry has no version, where none is named', async () => {
    const catalog = [full({ name: 'a', version: '2' }), full({ name: 'a' })];
    const bare = { code: 'BAD_FIELD', message: 'the catalog of corp has an entry of a without a version' };
    const target = { hub: 'corp', package: 'a' };
    expect(await failure(find('a', catalog))).toEqual({ ...bare, hints: ['specify the version: a@2'], target });
    expect(await failure(find('a', catalog.slice(1)))).toEqual({
      ...{ ...bare, hints: ['specify the version: a@VERSION'], target },
    });
    expect((await find('a@2', catalog)).all).toHaveLength(1);
  });

  it('is one that is listed twice, or not at all', async () => {
    const twice = [full({ name: 'a', version: '1' }), full({ name: 'a', version: '1' })];
    expect(await failure(find('a@1', twice))).toEqual({
      ...{ code: 'AMBIGUOUS', message: 'the catalog of corp lists a 1 more than once' },
      target: { hub: 'corp', package: 'a@1' },
    });
    expect(await failure(find('corp/a@3', twice))).toEqual({
      ...{ code: 'PACKAGE_NOT_FOUND', message: 'version 3 of a not found', target: { package: 'a@3' } },
      ...{ lines: ['versions: 1, 1'], hints: [{ next: 'list-versions', package: 'corp/a' }] },
    });
    expect(await failure(find('b', twice))).toEqual({
      ...{ code: 'PACKAGE_NOT_FOUND', message: 'package b not found', target: { package: 'b' } },
      hints: [{ next: 'search-package', package: 'b' }],
    });
  });

  it.each([
    ['a b@', undefined],
    ['/a', undefined],
    ['x/a@..', 'for a folder: ./x/a@..'],
    [`x/${'a'.repeat(300)}/b`, `for a folder: ./x/${'a'.repeat(198)}`],
  ])('is what is no name: %j', (text, folder) => {
    expect(told(thrownBy(() => parsePackageRef(text)))).toEqual({
      ...{ code: 'USAGE', message: `${JSON.stringify(text.slice(0, 200))} is not a package name` },
      hints: ['use NAME, NAME@VERSION or HUB/NAME@VERSION', ...(folder === undefined ? [] : [folder])],
    });
  });

  it('is one without a specification', async () => {
    const { source } = memoryHub('corp', []);
    expect(await failure(fetchSpecification({ source, name: 'a', version: '1' }, NEVER))).toEqual({
      ...{ code: 'PACKAGE_NOT_FOUND', message: 'the hub corp has no specification of a 1' },
      target: { package: 'a@1' },
    });
  });

  it('is one whose catalog entry says something else', () => {
    const fields = { ...full({}), beta: false, preview: false, paid: false, cdapVersion: 'x' } as never as Parameters<
      typeof differencesOf
    >[0];
    const place = { name: 'a', version: '1' };
    expect(mismatchOf(place, fields, fields)).toBeUndefined();
    expect(differencesOf({ ...fields, preview: true }, { ...fields, beta: true })).toEqual([]);
    const inOrder = ['b', 'a'];
    expect(differencesOf({ ...fields, categories: inOrder }, { ...fields, categories: ['b', 'a', 'b'] })).toEqual([]);
    expect(differencesOf({ ...fields, categories: inOrder }, { ...fields, categories: ['a', 'b'] })).toMatchObject([
      { field: 'categories', catalog: inOrder },
    ]);
    const error = mismatchOf(place, fields, { ...fields, org: 'x', beta: true });
    expect(error && told(error)).toEqual({
      ...{ code: 'CATALOG_MISMATCH', message: 'the catalog does not match the specification of a 1: org, beta' },
      target: { package: 'a', version: '1' },
    });
  });

  it('is nothing to verify', async () => {
    const { rows, outcome } = verifyAll([], { strict: false }, NEVER);
    for await (const row of rows) expect(row).toBeUndefined();
    const { refusal, ok, policy } = outcome();
    expect([ok, policy, refusal && told(refusal)]).toEqual([
      ...[false, 'warn'],
      {
        ...{ code: 'PACKAGE_NOT_FOUND', message: 'there is no package to verify' },
        hints: ['a hub holds packages.json or packages/NAME/VERSION/spec.json, a package holds spec.json'],
      },
    ]);
  });
});

describe('the order of packages', () => {
  const one = (name: string, version: string, more: object = {}, compatible = true): Candidate =>
    ({ hub: HUB, entry: { name, version, ...more }, compatibility: { compatible } }) as never;
  const HUB = memoryHub('corp', []).hub;
  const names = (all: readonly Candidate[]) => all.map(({ entry }) => `${entry.name} ${entry.version}`);

  it('is by name and version, by label in any case, by time, or as it was', () => {
    const all = [
      one('b', '1.10', { label: 'X', created: 5 }),
      one('a', '2', { label: 'y' }),
      one('b', '1.9', { created: 7 }),
    ];
    expect(names(sorted(all, 'name'))).toEqual(['a 2', 'b 1.9', 'b 1.10']);
    expect(names(sorted(all, 'label'))).toEqual(['b 1.9', 'b 1.10', 'a 2']);
    expect(names(sorted(all, 'created'))).toEqual(['b 1.9', 'b 1.10', 'a 2']);
    expect(sorted(all, undefined)).toBe(all);
  });

  it('has the best version of each: a compatible one, then the highest, then the first', () => {
    const all = [one('a', '1'), one('a', '3', {}, false), one('a', '2'), one('a', '2'), one('b', '1', {}, false)];
    expect(latestOf(all)).toEqual([all[2], all[4]]);
    expect(latestOf(all)[0]).toBe(all[2]);
  });
});
