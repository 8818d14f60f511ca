import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAll } from '../../../../../src/hub/source.js';
import { bundleSource, sourceOf } from '../../../../../src/services/hosting/mirror/bundle/bundle-source.js';
import {
  isLater,
  listingOf,
  readManifest,
  writeManifest,
  type BundleManifest,
  type HubState,
} from '../../../../../src/services/hosting/mirror/bundle/manifest.js';
import {
  forgetPending,
  isPending,
  keepPending,
  missingText,
  openPending,
  pendingManifest,
  waiting,
} from '../../../../../src/services/hosting/mirror/bundle/pending.js';
import { manifestOf, openBundle, type Bundle } from '../../../../../src/services/hosting/mirror/bundle/read-bundle.js';
import { readTarHeader, tarHeader } from '../../../../../src/services/hosting/mirror/bundle/tar.js';
import { mirrorFolder, type MirrorFolder } from '../../../../../src/services/hosting/mirror/folder/mirror-folder.js';
import { errorOf, saidBy, thrownBy } from '../../../../support/errors.js';
import { tarOf, type Member } from './tar-file.js';

const { signal } = new AbortController();
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const fileOf = (path: string, text = path) => ({ path, size: text.length, sha256: digestOf(text) });
const blobOf = (text: string): Member => [`files/${digestOf(text)}`, Buffer.from(text)];
const SPEC = 'packages/one/1.0.0/spec.json';
const JAR = 'packages/one/1.0.0/plug.jar';
const manifestWith = (...files: BundleManifest['files']): BundleManifest => ({
  ...{ format: 1, base: 'https://hub.example.com', created: '2026-01-01T00:00:00Z', whole: true },
  files,
});

let home: string;
let folder: MirrorFolder;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-bundle-')));
  folder = mirrorFolder(join(home, 'mirror'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** Opens a bundle with these contents for the time of a test. */
async function withBundle(
  manifest: BundleManifest,
  contents: readonly string[],
  test: (bundle: Bundle) => Promise<void>,
): Promise<void> {
  const file = join(home, 'hub.tar');
  writeFileSync(file, tarOf([['bundle.json', Buffer.from(writeManifest(manifest))], ...contents.map(blobOf)]));
  const bundle = await openBundle(file, signal);
  try {
    await test(bundle);
  } finally {
    await bundle.close();
  }
}
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder.root, path)), { recursive: true });
  writeFileSync(join(folder.root, path), text);
};

describe('a bundle that is open', () => {
  it('has its contents by their digests, in pieces', () =>
    withBundle(manifestWith(fileOf(SPEC), fileOf(JAR), fileOf('packages.json')), [SPEC, JAR], async (bundle) => {
      expect(bundle.manifest.files).toHaveLength(3);
      const file = bundle.content(digestOf(JAR), 'the jar');
      if (file === undefined) throw new Error('it has none');
      const { what, bytes } = file;
      expect([what, bytes, (await readAll(file, 100)).toString()]).toEqual(['the jar', JAR.length, JAR]);
      await file.discard();
      expect(bundle.content(digestOf('packages.json'), 'x')).toBeUndefined();
    }));

  it('is read in pieces of a large content, each checked with the whole', async () => {
    const large = 'x'.repeat(2_500_000);
    await withBundle(manifestWith(fileOf('metadata.json', large)), [large], async (bundle) => {
      const pieces: number[] = [];
      for await (const piece of bundle.content(digestOf(large), 'it')?.body ?? []) pieces.push(piece.length);
      expect(pieces).toEqual([1_048_576, 1_048_576, 402_848]);
      writeFileSync(bundle.file, '');
      const cut = bundle.content(digestOf(large), 'it');
      if (cut === undefined) throw new Error('it has none');
      expect(saidBy(await errorOf(readAll(cut, 1e7)))).toEqual({
        code: 'BAD_BUNDLE',
        message: `${bundle.file} is not a valid bundle: it is truncated`,
        lines: [],
        target: { file: bundle.file },
      });
    });
  });

  it('is known by its manifest alone, too, of any size, and is a regular file', async () => {
    const many = manifestWith(...Array.from({ length: 20 }, (_, at) => fileOf(`packages/p${at}/1.0.0/spec.json`)));
    writeFileSync(join(home, 'bundle.json'), writeManifest(many));
    expect(await manifestOf(join(home, 'bundle.json'))).toEqual(many);
    await withBundle(many, [], async ({ file }) => {
      expect(await manifestOf(file)).toEqual(many);
    });
    for (const [name, message] of [
      ['', `cannot read ${home}/: it is not a regular file`],
      ['none', `${home}/none does not exist`],
    ] as const) {
      const { code, message: said } = await errorOf(manifestOf(`${home}/${name}`));
      expect([code, said]).toEqual(['LOCAL_IO', message]);
    }
  });

  it('is not read on when that is stopped', () =>
    withBundle(manifestWith(fileOf(SPEC)), [SPEC], async ({ file }) => {
      await expect(openBundle(file, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    }));
});

describe('the header of a member', () => {
  it('is as tar writes it, and is read with its prefix', () => {
    const header = tarHeader('a/b', 5);
    expect(header.toString('latin1').replaceAll('\0', '~')).toBe(
      `a/b${'~'.repeat(97)}0000644~0000000~0000000~00000000005~00000000000~006324~ 0${'~'.repeat(100)}ustar~00${'~'.repeat(247)}`,
    );
    expect(readTarHeader(header)).toEqual({ name: 'a/b', size: 5, isRegular: true });
    const changed = (at: number, text: string): Buffer => {
      const copy = Buffer.from(header);
      copy.write(text, at, 'latin1');
      const sum = copy.reduce((total, byte, place) => total + (place >= 148 && place < 156 ? 0x20 : byte), 0);
      copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      return copy;
    };
    expect(readTarHeader(changed(345, 'x/y'))).toEqual({ name: 'x/y/a/b', size: 5, isRegular: true });
    expect(readTarHeader(changed(156, '\0'))).toEqual({ name: 'a/b', size: 5, isRegular: true });
    expect(readTarHeader(changed(156, '5'))).toEqual({ name: 'a/b', size: 5, isRegular: false });
    expect(readTarHeader(changed(0, 'n'.repeat(100)))).toMatchObject({ name: 'n'.repeat(100) });
    for (const size of ['8', 'x', '-1', '7x', '\0'])
      expect(readTarHeader(changed(124, size.padEnd(12, '\0')))).toBe('a member has no size');
    expect(readTarHeader(changed(124, ' 17 '.padEnd(12, '\0')))).toMatchObject({ size: 15 });
    expect(readTarHeader(Buffer.alloc(512))).toBeUndefined();
    header.write('A', 0);
    expect(readTarHeader(header)).toBe('a header is damaged');
  });
});

describe('what a bundle lists', () => {
  it('has an index only where index.json is among its files', () => {
    const index = { sequence: 3, sha256: 'x' };
    const read = (...paths: readonly string[]) =>
      readManifest(Buffer.from(writeManifest({ ...manifestWith(...paths.map((path) => fileOf(path))), index })), 'it');
    expect(read('packages.json', 'index.json')).toEqual({
      ...manifestWith(fileOf('packages.json'), fileOf('index.json')),
      index,
    });
    expect(read('packages.json')).toEqual(manifestWith(fileOf('packages.json')));
  });

  it('stands for an index of its packages, without their signatures', () => {
    const paths = [SPEC, `${SPEC}.asc`, JAR, 'packages/one/1.0.0/key.asc', 'packages/one/2.0.0/spec.json'];
    const listing = listingOf(
      manifestWith(...['packages.json', ...paths, 'categories/a/icon.png'].map((path) => fileOf(path))),
    );
    const listed = (path: string) => ({ ...fileOf(path), path: undefined, name: path.split('/').at(-1) });
    expect(listing).toEqual({
      ...{ format: 1, sequence: 1, created: 0, expires: 0, files: [], keys: [] },
      packages: [
        { name: 'one', version: '1.0.0', files: [SPEC, JAR, 'packages/one/1.0.0/key.asc'].map(listed) },
        { name: 'one', version: '2.0.0', files: [listed('packages/one/2.0.0/spec.json')] },
      ],
    });
  });

  const state = (day: number, sequence?: number, sha256 = `${sequence}`): HubState => ({
    created: `2026-01-0${day}T00:00:00Z`,
    ...(sequence !== undefined && { index: { sequence, sha256 } }),
  });
  it.each<[string, HubState, HubState, boolean | string]>([
    ['by the number of the index', state(1, 2), state(2, 1), true],
    ['by the number of the index, which is lower', state(2, 1), state(1, 2), false],
    ['by the time with the same index', state(2, 1), state(1, 1), true],
    ['by the time with the same index, which is the same', state(1, 1), state(1, 1), false],
    ['by the time without an index', state(2), state(1), true],
    ['by the time without an index, which is earlier', state(1), state(2), false],
    ['by the time where only the later one has an index', state(2, 1), state(1), true],
    ['by the time where only the earlier one is asked about', state(1), state(2, 1), false],
    [
      'by nothing with two indexes of a number',
      state(2, 1, 'a'),
      state(1, 1, 'b'),
      'there are two different indexes with the number 1',
    ],
    [
      'by nothing where the index was lost',
      state(2),
      state(1, 1),
      'the hub has no index in the state of 2026-01-02T00:00:00Z, but it had one before',
    ],
    [
      'by nothing where the later one had lost the index',
      state(1, 1),
      state(2),
      'the hub has no index in the state of 2026-01-01T00:00:00Z, but it had one before',
    ],
  ])('is ordered %s', (_, one, other, later) => {
    if (typeof later === 'boolean') expect(isLater(one, other)).toBe(later);
    else expect(saidBy(thrownBy(() => isLater(one, other)))).toEqual({ code: 'ROLLBACK', message: later });
  });
});

describe('a state that waits', () => {
  const contents = (): readonly string[] => readdirSync(join(folder.pending, 'files')).sort();

  it('keeps what a bundle has of it and the mirror has not, and forgets what it does not need', async () => {
    expect(await pendingManifest(folder)).toBeUndefined();
    const first = manifestWith(fileOf(SPEC), fileOf(JAR), fileOf('packages.json'));
    await withBundle(first, [SPEC, JAR], (bundle) => keepPending(folder, bundle, first, (path) => path === SPEC));
    expect([await pendingManifest(folder), contents()]).toEqual([first, [digestOf(JAR)]]);
    expect([isPending(folder, digestOf(JAR), JAR.length), isPending(folder, digestOf(JAR), 1)]).toEqual([true, false]);
    const kept = await openPending(folder, digestOf(JAR), signal);
    expect(kept && (await readAll(kept, 100)).toString()).toBe(JAR);
    expect(await openPending(folder, digestOf(SPEC), signal)).toBeUndefined();
    const second = manifestWith(fileOf(SPEC), fileOf('packages.json'));
    await withBundle(second, [SPEC], (bundle) => keepPending(folder, bundle, second, () => false));
    expect([await pendingManifest(folder), contents()]).toEqual([second, [digestOf(SPEC)]]);
    forgetPending(folder);
    expect([await pendingManifest(folder), readdirSync(folder.own)]).toEqual([undefined, []]);
    forgetPending(folder);
  });

  it('replaces a content that is not whole, and leaves one that is', async () => {
    const manifest = manifestWith(fileOf(SPEC), fileOf(JAR));
    const keep = (bundle: Bundle): Promise<void> => keepPending(folder, bundle, manifest, () => false);
    await withBundle(manifest, [SPEC, JAR], keep);
    const path = (text: string): string => join(folder.pending, 'files', digestOf(text));
    writeFileSync(path(SPEC), 'x');
    writeFileSync(path(JAR), 'x'.repeat(JAR.length));
    await withBundle(manifest, [SPEC, JAR], keep);
    expect([readFileSync(path(SPEC), 'utf8'), readFileSync(path(JAR), 'utf8')]).toEqual([SPEC, 'x'.repeat(JAR.length)]);
  });

  it.each([
    ['kept', 'nothing is published until they are imported'],
    ['dropped', 'nothing was published: import this bundle again after them'],
    ['foreseen', 'nothing would be published'],
  ] as const)('tells what is missing, and what becomes of the rest: %s', (outcome, words) => {
    const missing = [fileOf(SPEC), fileOf(JAR)];
    const text = '2 of 3 files (55 bytes) are missing and must come from other bundles';
    const manifest = manifestWith(...missing, fileOf('packages.json'));
    expect(missingText(missing, manifest)).toBe(text);
    expect(saidBy(waiting(missing, manifest, outcome))).toEqual({
      code: 'PARTIAL',
      message: `${text}; ${words}`,
      lines: [SPEC, JAR],
      hints: ['import the bundles that were written before this one, in any order'],
      item: { missing: [SPEC, JAR] },
    });
  });
});

describe('the hub that a bundle is of', () => {
  const MANIFEST = manifestWith(fileOf(SPEC), fileOf(JAR), fileOf('packages.json'), fileOf('metadata.json'));
  const place = (file: string) => ({ name: 'one', version: '1.0.0', file });

  it('has what is in the bundle, what waits, and what the mirror has', () =>
    withBundle(MANIFEST, [SPEC, 'packages.json'], async (bundle) => {
      put(JAR, JAR);
      put('metadata.json', 'something else');
      mkdirSync(join(folder.pending, 'files'), { recursive: true });
      const source = bundleSource(folder, bundle, MANIFEST);
      const read = async (...where: Parameters<typeof source.open>): Promise<string | undefined> => {
        const file = await source.open(...where);
        return file && (await readAll(file, 100)).toString();
      };
      const options = { maxBytes: 100 };
      expect([source.base, source.kind, source.label]).toEqual([MANIFEST.base, 'http', MANIFEST.base]);
      expect([
        await read(place('spec.json'), options, signal),
        await read(place('plug.jar'), options, signal),
        await read({ file: 'packages.json' }, options, signal),
        await read(place('none'), options, signal),
      ]).toEqual([SPEC, JAR, 'packages.json', undefined]);
      expect(saidBy(await errorOf(read({ file: 'metadata.json' }, options, signal)))).toEqual({
        code: 'CHANGED_MEANWHILE',
        message: 'metadata.json was changed while the bundle was imported',
      });
      expect(saidBy(await errorOf(read(place('plug.jar'), { maxBytes: 26 }, signal)))).toEqual({
        code: 'TOO_LARGE',
        message: `${JAR} is larger than the limit of 26 bytes`,
        target: { file: JAR },
      });
      expect(await read(place('plug.jar'), { maxBytes: 27 }, signal)).toBe(JAR);
      writeFileSync(join(folder.pending, 'files', digestOf('metadata.json')), 'metadata.json');
      expect(await read({ file: 'metadata.json' }, options, signal)).toBe('metadata.json');
      rmSync(join(folder.root, JAR));
      expect(await read(place('plug.jar'), options, signal)).toBeUndefined();
      expect(saidBy(await errorOf(source.catalog({}, signal)))).toEqual({
        code: 'BAD_BUNDLE',
        message: `${bundle.file} is not a valid bundle: it has no packages.json`,
        target: { file: bundle.file },
      });
    }));

  it('is a folder where its address is one, and is not read before it is imported', async () => {
    const source = sourceOf({ manifest: { ...MANIFEST, base: 'file:///hub' } });
    expect(source).toMatchObject({ base: 'file:///hub', kind: 'folder', label: 'file:///hub' });
    for (const read of [source.open(place('spec.json'), { maxBytes: 1 }, signal), source.catalog({}, signal)])
      expect(saidBy(await errorOf(read))).toEqual({
        code: 'INTERNAL',
        message: 'a bundle is read before it is imported',
      });
  });
});
