import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildHub, type BuildRequest } from '../../../../../src/services/hosting/build/build.js';
import { saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();
const PACKAGE = { label: 'L', categories: ['b'], actions: [], created: 1 };

/** What is the same of most builds. */
const PLAIN = { folder: 'HUB', excluded: 0, faulty: 0, faults: [], unlisted: 0, events: [] };

/** A build of both packages, with the states of its two files. */
const both = (categories: string, packages: string) => ({
  ...PLAIN,
  packages: 2,
  categories: 3,
  files: [`${categories} categories.json: 3 in 143 bytes`, `${packages} packages.json: 2 in 382 bytes`],
});

/** A build of no package, with the state of its files. */
const none = (state: string) => ({
  ...PLAIN,
  packages: 0,
  categories: 0,
  files: [`${state} categories.json: 0 in 3 bytes`, `${state} packages.json: 0 in 3 bytes`],
});

/** What a build came to, with the paths below HUB. */
type Build = (more?: Partial<BuildRequest>) => Promise<Told>;
type Told = Readonly<Record<string, unknown>> & { readonly refusal?: object };

interface Site {
  readonly root: string;
  readonly put: (file: string, content: string | object) => void;
  readonly build: Build;
  readonly text: (file: string) => string;
}

async function atTree(test: (site: Site) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const root = join(realpathSync(home), 'hub');
    const put: Site['put'] = (file, content) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
    };
    const build: Build = async (more) => {
      const events: unknown[] = [];
      const request: BuildRequest = {
        root,
        out: root,
        whitelist: [],
        check: false,
        strict: false,
        forced: [],
        emit: (event) => events.push(event),
        memory: { stateFolder: join(root, '../state'), version: '1.0.0' },
        clock: { now: () => Date.now() + 10_000 },
        ...more,
      };
      const { build: made, refusal } = await buildHub(request, signal);
      if (refusal !== undefined) expect(refusal.details.item).toBe(made);
      expect(made.files.map(({ path }) => path)).toEqual(made.files.map(({ name }) => join(root, name)));
      const files = made.files.map(
        ({ state, name, entries, bytes }) => `${state} ${name}: ${entries} in ${bytes} bytes`,
      );
      const faults = made.faults.map(
        ({ code, file, name = '', version = '' }) => `${code} ${name} ${version}: ${file}`,
      );
      const told = { ...made, files, faults, events, refusal: refusal && { ...saidBy(refusal), item: undefined } };
      return JSON.parse(JSON.stringify(told).replaceAll(root, 'HUB')) as Told;
    };
    put('packages/one/1.0.0/spec.json', { ...PACKAGE, label: 'One', categories: ['b', 'a', 7], description: '<' });
    put('packages/two/2.0.0/spec.json', { ...PACKAGE, label: 'Two' });
    put('categories/a/icon.png', 'icon');
    put('categories/b/other.png', 'icon');
    await test({ root, put, build, text: (file) => readFileSync(join(root, file), 'utf8') });
  });
}

describe('a build', () => {
  it('writes what changes, and warns of an index that does not match', () =>
    atTree(async ({ put, build, text }) => {
      expect(await build({ check: true })).toEqual(both('outdated', 'outdated'));
      expect(await build()).toEqual(both('written', 'written'));
      expect([text('packages.json'), text('categories.json')]).toEqual([
        '[\n  {\n    "name": "one",\n    "version": "1.0.0",\n    "description": "\\u003c",\n    "label": "One",\n    "created": 1,\n    "beta": false,\n    "categories": [\n      "b",\n      "a",\n      "7"\n    ],\n    "paid": false\n  },\n  {\n    "name": "two",\n    "version": "2.0.0",\n    "label": "Two",\n    "created": 1,\n    "beta": false,\n    "categories": [\n      "b"\n    ],\n    "paid": false\n  }\n]\n',
        '[\n  {\n    "name": "7",\n    "hasIcon": false\n  },\n  {\n    "name": "a",\n    "hasIcon": true\n  },\n  {\n    "name": "b",\n    "hasIcon": false\n  }\n]\n',
      ]);
      put('index.json', '{}');
      expect(await build()).toEqual(both('unchanged', 'unchanged'));
      put('packages/two/2.0.0/spec.json', { ...PACKAGE, label: 'Owt' });
      expect(await build({ check: true })).toEqual(both('unchanged', 'outdated'));
      expect(await build()).toEqual({
        ...both('unchanged', 'written'),
        events: [
          { type: 'warning', code: 'MIXED', message: 'index.json does not match the new catalog; sign the hub again' },
        ],
      });
      const makePage: BuildRequest['makePage'] = (entries) => [...entries].map(({ label }) => `${String(label)}\n`);
      expect(await build({ makePage })).toEqual({
        ...PLAIN,
        packages: 2,
        categories: 3,
        files: [
          'unchanged categories.json: 3 in 143 bytes',
          'written index.html: 2 in 8 bytes',
          'unchanged packages.json: 2 in 382 bytes',
        ],
      });
      expect(text('index.html')).toBe('One\nOwt\n');
    }));

  it('takes the packages and categories of a whitelist', () =>
    atTree(async ({ put, build, text }) => {
      expect(await build({ whitelist: ['none', 'a'] })).toEqual({
        ...PLAIN,
        packages: 1,
        categories: 1,
        excluded: 1,
        events: [{ type: 'warning', code: 'NO_CATEGORY', message: 'no package is in the category none' }],
        files: ['written categories.json: 1 in 49 bytes', 'written packages.json: 1 in 218 bytes'],
      });
      expect([text('packages.json').includes('Two'), JSON.parse(text('categories.json'))]).toEqual([
        false,
        [{ name: 'a', hasIcon: true }],
      ]);
      const before = text('packages.json');
      for (const [whitelist, which] of [
        [['none'], 'the category none'],
        [['none', 'c'], 'any of the categories none, c'],
      ] as const)
        await expect(build({ whitelist })).rejects.toMatchObject({
          code: 'USAGE',
          message: `no package is in ${which}`,
        });
      expect(text('packages.json')).toBe(before);
      put('packages/one/2.0.0/spec.json', { ...PACKAGE, categories: ['none'], created: {} });
      expect(await build({ whitelist: ['none'] })).toMatchObject({
        refusal: { code: 'BAD_SOURCE', message: '1 fault in HUB; nothing was written' },
      });
      expect(text('packages.json')).toBe(before);
    }));

  it('tells what is wrong, and leaves out those packages', () =>
    atTree(async ({ root, put, build }) => {
      put('packages/one/1.1.0/icon.png', '');
      put('packages/one/1.2.0/spec.json', '{');
      put('packages/one/1.3.0/spec.json', { ...PACKAGE, label: {}, created: 'x' });
      put('packages/one/1.4.0/spec.json', PACKAGE);
      put('packages/one/1.4.0/key.txt', '-----BEGIN PRIVATE KEY-----\n');
      put('packages/one/1.4.0/key.txt.asc', '-----BEGIN PRIVATE KEY-----\n');
      put('packages/one/1.4.0/b.asc', '-----BEGIN PRIVATE KEY-----\n');
      put('packages/one/1.4.0/a.json', '-----BEGIN PRIVATE KEY-----\n');
      const names = [{ name: 'jar', value: 'icon.png' }];
      put('packages/one/1.5.0/spec.json', { ...PACKAGE, actions: [{ type: 'deploy_app', arguments: names }] });
      put('packages/one/1.6.0/.hidden', '');
      symlinkSync('/etc/passwd', join(root, 'packages/one/1.6.0/spec.json'));
      put('categories/.hidden/icon.png', '');
      symlinkSync('/etc', join(root, 'packages/two/3.0.0'));
      const strict = await build({ strict: true });
      expect(strict).toEqual({
        ...PLAIN,
        packages: 2,
        categories: 3,
        faulty: 6,
        files: ['outdated categories.json: 3 in 143 bytes', 'outdated packages.json: 2 in 382 bytes'],
        faults: [
          'BAD_SOURCE  : categories/.hidden',
          'RESOURCE_MISSING one 1.1.0: packages/one/1.1.0/spec.json',
          'BAD_JSON one 1.2.0: packages/one/1.2.0/spec.json',
          'BAD_FIELD one 1.3.0: packages/one/1.3.0/spec.json',
          'BAD_FIELD one 1.3.0: packages/one/1.3.0/spec.json',
          'BAD_SOURCE one 1.4.0: packages/one/1.4.0/b.asc',
          'BAD_SOURCE one 1.4.0: packages/one/1.4.0/key.txt',
          'BAD_NAME one 1.5.0: packages/one/1.5.0/spec.json',
          'BAD_SOURCE one 1.6.0: packages/one/1.6.0/.hidden',
          'BAD_SOURCE one 1.6.0: packages/one/1.6.0/spec.json',
          'BAD_SOURCE  : packages/two/3.0.0',
        ],
        refusal: {
          code: 'BAD_SOURCE',
          message: '11 faults in HUB; nothing was written',
          lines: [
            'categories/.hidden: it is hidden: remove or rename it',
            'packages/one/1.1.0/spec.json: it does not exist',
            'packages/one/1.2.0/spec.json: it is not valid JSON (it ends too early, at byte 1)',
            'packages/one/1.3.0/spec.json: label is not text',
            'packages/one/1.3.0/spec.json: created is not a whole number',
            'packages/one/1.4.0/b.asc: it contains a secret key, which everyone could read',
            'packages/one/1.4.0/key.txt: it contains a secret key, which everyone could read',
            'packages/one/1.5.0/spec.json: action 1 uses "icon.png", which is never signed',
            'packages/one/1.6.0/.hidden: it is hidden: remove or rename it',
            'packages/one/1.6.0/spec.json: it is a symbolic link: put the file itself there',
            'packages/two/3.0.0: it is a symbolic link: put the file itself there',
          ],
        },
      });
      expect(await build()).toEqual({
        ...strict,
        files: ['written categories.json: 3 in 143 bytes', 'written packages.json: 2 in 382 bytes'],
        refusal: { ...strict.refusal, code: 'PARTIAL', message: '11 faults in HUB; 6 packages not in the catalog' },
      });
    }));

  it('writes nothing where no package is left', () =>
    atTree(async ({ put, build }) => {
      put('packages/one/1.0.0/spec.json', '{');
      put('packages/two/2.0.0/spec.json', '{}');
      const nothing = await build();
      expect(nothing).toEqual({
        ...none('outdated'),
        faulty: 2,
        faults: [
          'BAD_JSON one 1.0.0: packages/one/1.0.0/spec.json',
          'BAD_FIELD two 2.0.0: packages/two/2.0.0/spec.json',
          'BAD_FIELD two 2.0.0: packages/two/2.0.0/spec.json',
          'BAD_FIELD two 2.0.0: packages/two/2.0.0/spec.json',
        ],
        refusal: {
          code: 'BAD_SOURCE',
          message: '4 faults in HUB; nothing was written',
          lines: [
            'packages/one/1.0.0/spec.json: it is not valid JSON (it ends too early, at byte 1)',
            'packages/two/2.0.0/spec.json: categories is missing',
            'packages/two/2.0.0/spec.json: label is missing',
            'packages/two/2.0.0/spec.json: actions is missing',
          ],
        },
      });
      expect(await build({ check: true })).toEqual(nothing);
    }));

  it('writes an empty catalog where there is no package', () =>
    atTree(async ({ root, put, build }) => {
      for (const name of ['one', 'two', '../categories']) rmSync(join(root, 'packages', name), { recursive: true });
      expect(await build()).toEqual(none('written'));
      // A link is no catalog, even to one and as long as that.
      rmSync(join(root, 'packages.json'));
      put('abc', '[]\n');
      symlinkSync('abc', join(root, 'packages.json'));
      const { files } = none('unchanged');
      expect(await build({ check: true })).toMatchObject({ files: [files[0], 'outdated packages.json: 0 in 3 bytes'] });
      put('categories.json', 'old');
      await expect(build()).rejects.toMatchObject({ code: 'SYMLINK' });
      expect(readFileSync(join(root, 'categories.json'), 'utf8')).toBe('old');
      expect(readdirSync(root).sort()).toEqual(['abc', 'categories.json', 'packages', 'packages.json']);
    }));

  it('takes no entry that clients would not read', () =>
    atTree(async ({ put, build }) => {
      put('packages/one/1.0.0/spec.json', { ...PACKAGE, description: '<'.repeat(2_667_000) });
      expect(await build({ check: true })).toMatchObject({
        faulty: 1,
        refusal: {
          lines: ['packages/one/1.0.0/spec.json: its entry would have 16002183 bytes; clients read at most 16000000'],
        },
      });
    }));

  it('says that all packages are there, where only something beside them is wrong', () =>
    atTree(async ({ put, build }) => {
      put('packages/.hidden', '');
      expect(await build()).toEqual({
        ...both('written', 'written'),
        faults: ['BAD_SOURCE  : packages/.hidden'],
        refusal: {
          code: 'PARTIAL',
          message: '1 fault in HUB; all packages are in the catalog',
          lines: ['packages/.hidden: it is hidden: remove or rename it'],
        },
      });
    }));
});
