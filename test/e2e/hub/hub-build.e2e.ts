import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const ODD_TREE = resolve(import.meta.dirname, '../../support/sites/odd-tree.mjs');
const PACKAGER_TREE = resolve(import.meta.dirname, '../../support/packager/packager-tree.mjs');
/** SHA-256 of what `test/support/packager/Packager.java` writes for that tree, with the library of the packager. */
const BY_PACKAGER = {
  'packages.json': '35ad21ff9067a76a8a63b98e26328cbae1202c65530716324e580b5f9850ecc2',
  'categories.json': 'fc855b3d975d6883851a98058e64746a556d6994dce60cfdb39e0ee9698218dd',
};
const SAMPLES = join(FIXTURES, 'hub/packages');
/** A tree, and its catalog as the packager would write it, made by hand from what is known of it. */
const GOLDEN = join(FIXTURES, 'hub-built');

interface Document {
  readonly item: { packages: number; files: { name: string; state: string }[]; faults: { file: string }[] };
  readonly error?: { code: string };
}

/** A tree in a home; `put` writes a file of it. */
async function inTree(
  test: (tree: {
    home: string;
    put: (path: string, content: unknown) => void;
    read: (path: string) => string;
  }) => Promise<void>,
): Promise<void> {
  await withTempDir(async (home) => {
    const put = (path: string, content: unknown): void => {
      mkdirSync(dirname(join(home, 'hub', path)), { recursive: true });
      writeFileSync(join(home, 'hub', path), typeof content === 'string' ? content : JSON.stringify(content));
    };
    await test({ home, put, read: (path) => readFileSync(join(home, 'hub', path), 'utf8') });
  });
}
const GOOD = { label: 'Good', categories: ['example'], actions: [], created: 1 };

/** The folder of a tree that has a good package, and one that is not. */
const BROKEN = { 'packages/good/1.0.0/spec.json': GOOD, 'packages/bad/1.0.0/spec.json': '{"label":' };

describe('hub build', () => {
  it('writes what the packager writes, byte for byte', async () => {
    await inTree(async ({ home, read }) => {
      for (const name of ['packages', 'categories'])
        cpSync(join(GOLDEN, name), join(home, 'hub', name), { recursive: true });
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([0, '4 packages in the catalog\nnext: cdapctl hub sign ./hub --key FILE\n']);
      for (const name of ['packages.json', 'categories.json'])
        expect(read(name)).toBe(readFileSync(join(GOLDEN, name), 'utf8'));
    });
  });

  it('writes what the library of the packager writes for 283 odd packages, byte for byte', async () => {
    await inTree(async ({ home, read }) => {
      execFileSync(process.execPath, [PACKAGER_TREE, join(home, 'hub')]);
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([0, expect.stringContaining('283 packages in the catalog\n')]);
      for (const [name, sha256] of Object.entries(BY_PACKAGER))
        expect(createHash('sha256').update(read(name)).digest('hex'), name).toBe(sha256);
    });
  });

  it('writes nothing the second time, and what has changed the third time', async () => {
    await inTree(async ({ home, put, read }) => {
      cpSync(SAMPLES, join(home, 'hub/packages'), { recursive: true });
      const build = () => runCli(['hub', 'build', './hub'], { home, cwd: home });
      const first = await build();
      expect([first.code, first.stderr]).toEqual([
        0,
        '12 packages in the catalog\nnext: cdapctl hub sign ./hub --key FILE\n',
      ]);
      expect(first.stdout).toMatch(/^packages\.json +written +12 /mu);
      expect((JSON.parse(read('packages.json')) as { name: string }[])[0]?.name).toBe('solution-bulk-data-transfer');
      const past = new Date(1_700_000_000_000);
      const names = ['packages.json', 'categories.json'];
      for (const name of names) utimesSync(join(home, 'hub', name), past, past);
      const second = await build();
      expect([second.code, second.stderr]).toEqual([0, '12 packages in the catalog\nnothing changed\n']);
      for (const name of names) expect(statSync(join(home, 'hub', name)).mtime).toEqual(past);
      put('packages/good/1.0.0/spec.json', GOOD);
      expect((await build()).code).toBe(0);
      expect(statSync(join(home, 'hub/packages.json')).mtime).not.toEqual(past);
      // The category was there before.
      expect(statSync(join(home, 'hub/categories.json')).mtime).toEqual(past);
    });
  });

  it('takes every oddity of real hubs, and shows what it shows without a catalog', async () => {
    await inTree(async ({ home, read }) => {
      execFileSync(process.execPath, [ODD_TREE, join(home, 'hub'), '64']);
      const list = async () => (await runCli(['hub', 'list', '--hub', './hub', '--json'], { home, cwd: home })).stdout;
      const before = await list();
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([0, '64 packages in the catalog\nnext: cdapctl hub sign ./hub --key FILE\n']);
      expect(await list()).toBe(before);
      expect((JSON.parse(before) as { items: object[] }).items).toHaveLength(64);
      const categories = JSON.parse(read('categories.json')) as { name: string; hasIcon: boolean }[];
      expect(categories.map(({ name }) => name)).toEqual([
        '3rd-party-artifact',
        'AWS',
        'Azure',
        'Directives',
        'EDW Offloading',
        'datapack',
        'example',
        'gcp',
        'hydrator-plugin',
        'pipeline',
        'usecase',
      ]);
      expect(categories.filter(({ hasIcon }) => hasIcon)).toHaveLength(4);
      expect(read('packages.json')).not.toMatch(/[<>&=']/u);
    });
  });

  it('leaves out a package with an error, builds the others, and exits with 10', async () => {
    await inTree(async ({ home, put, read }) => {
      for (const [path, content] of Object.entries(BROKEN)) put(path, content);
      put('packages/bare/1.0.0/spec.json', {});
      put('packages/none/1.0.0/readme.txt', 'x');
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect(code).toBe(10);
      expect(stderr).toContain('5 faults in');
      expect(stderr).toContain('3 packages not in the catalog');
      for (const line of [
        'packages/bad/1.0.0/spec.json: it is not valid JSON (it ends too early, at byte 9)',
        'packages/bare/1.0.0/spec.json: label is missing',
        'packages/bare/1.0.0/spec.json: categories is missing',
        'packages/bare/1.0.0/spec.json: actions is missing',
        'packages/none/1.0.0/spec.json: it does not exist',
      ])
        expect(stderr).toContain(line);
      expect((JSON.parse(read('packages.json')) as object[]).length).toBe(1);
      const { stdout } = await runCli(['hub', 'build', './hub', '--json'], { home, cwd: home });
      const { item, error } = JSON.parse(stdout) as Document;
      expect(error?.code).toBe('PARTIAL');
      expect(item.faults.map(({ file }) => file)).toEqual([
        'packages/bad/1.0.0/spec.json',
        ...Array.from({ length: 3 }, () => 'packages/bare/1.0.0/spec.json'),
        'packages/none/1.0.0/spec.json',
      ]);
      expect(item.files.map(({ state }) => state)).toEqual(['unchanged', 'unchanged']);
    });
  });

  it('keeps the catalog where no package is left', async () => {
    await inTree(async ({ home, put, read }) => {
      put('packages.json', 'old');
      put('packages/bad/1.0.0/spec.json', '[]');
      const { code, stdout, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stdout, read('packages.json')]).toEqual([12, '', 'old']);
      expect(stderr).toContain('[BAD_SOURCE]');
    });
  });

  it.each([
    [
      'links',
      (folder: string) => {
        symlinkSync('elsewhere', join(folder, 'one'));
      },
    ],
    [
      'versions that are links',
      (folder: string) => {
        mkdirSync(join(folder, 'one'));
        symlinkSync('elsewhere', join(folder, 'one/1.0.0'));
      },
    ],
    [
      'hidden',
      (folder: string) => {
        mkdirSync(join(folder, '.one/1.0.0'), { recursive: true });
      },
    ],
  ])('keeps the catalog where all packages are %s', (_, make) =>
    inTree(async ({ home, put, read }) => {
      put('packages.json', 'old');
      mkdirSync(join(home, 'hub/packages'));
      make(join(home, 'hub/packages'));
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, read('packages.json')]).toEqual([12, 'old']);
      expect(stderr).toContain('nothing was written');
    }),
  );

  it('makes no folder for a build that is refused', () =>
    inTree(async ({ home, put }) => {
      put('packages/bad/1.0.0/spec.json', '[]');
      expect((await runCli(['hub', 'build', './hub', '--out', 'new/site'], { home, cwd: home })).code).toBe(12);
      expect(existsSync(join(home, 'new'))).toBe(false);
      put('packages/good/1.0.0/spec.json', GOOD);
      expect((await runCli(['hub', 'build', './hub', '--out', 'new/site'], { home, cwd: home })).code).toBe(10);
      expect(existsSync(join(home, 'new/site/packages.json'))).toBe(true);
    }));

  it('says that all packages are in the catalog where an error is beside them', () =>
    inTree(async ({ home, put }) => {
      put('packages/good/1.0.0/spec.json', GOOD);
      put('packages/.git/config', 'x');
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([10, expect.stringContaining('; all packages are in the catalog')]);
    }));

  it('writes no catalog that clients would not read', () =>
    inTree(async ({ home, put }) => {
      for (let at = 0; at < 11; at++)
        put(`packages/large-${at}/1.0.0/spec.json`, { ...GOOD, description: '<'.repeat(650_000) });
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([12, expect.stringContaining('[TOO_LARGE]')]);
      expect(existsSync(join(home, 'hub/packages.json'))).toBe(false);
    }));

  it('leaves out a package whose entry clients would not read', () =>
    inTree(async ({ home, put, read }) => {
      put('packages/good/1.0.0/spec.json', GOOD);
      put('packages/large/1.0.0/spec.json', { ...GOOD, description: '<'.repeat(2_700_000) });
      const { code, stderr } = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([code, stderr]).toEqual([10, expect.stringContaining('its entry would have 16200')]);
      expect(read('packages.json').length).toBeLessThan(1000);
    }));

  it('lists 20,000 errors and counts the others', () =>
    inTree(async ({ home, put }) => {
      const actions = Array.from({ length: 200 }, () => ({}));
      for (let at = 0; at < 210; at++) put(`packages/bad-${at}/1.0.0/spec.json`, { ...GOOD, actions });
      const { code, stdout } = await runCli(['hub', 'build', './hub', '--json'], { home, cwd: home });
      const { item, error } = JSON.parse(stdout) as Document & {
        item: { unlisted: number };
        error: { message: string };
      };
      expect([code, item.faults.length]).toEqual([12, 20_000]);
      expect(error.message).toContain('21210 faults');
      expect(item.unlisted).toBe(1210);
      expect(item.faults.filter(({ file }) => file.includes('bad-0/'))).toHaveLength(101);
    }));

  it('tells with --check what would change, and writes nothing', async () => {
    await inTree(async ({ home, put }) => {
      put('packages/good/1.0.0/spec.json', GOOD);
      const check = () => runCli(['hub', 'build', './hub', '--check', '--json'], { home, cwd: home });
      const before = await check();
      expect(before.code).toBe(14);
      expect((JSON.parse(before.stdout) as Document).item.files).toMatchObject([
        { name: 'categories.json', state: 'outdated' },
        { name: 'packages.json', state: 'outdated' },
      ]);
      expect(existsSync(join(home, 'hub/packages.json'))).toBe(false);
      await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect((await check()).code).toBe(0);
    });
  });

  it('lists the packages and categories of a whitelist only, in its order, in another folder', async () => {
    await inTree(async ({ home, put }) => {
      const category = (...categories: string[]): object => ({ ...GOOD, categories });
      put('packages/one/1.0.0/spec.json', category('b', 'z'));
      put('packages/two/1.0.0/spec.json', category('a'));
      put('packages/three/1.0.0/spec.json', category('c'));
      const line = [
        'hub',
        'build',
        './hub',
        '--whitelist',
        'b',
        '--whitelist',
        'a',
        '--whitelist',
        'x',
        '--out',
        'new/site',
      ];
      const { code, stderr } = await runCli(line, { home, cwd: home });
      expect([code, stderr]).toEqual([
        0,
        'warning: no package is in the category x\n2 packages in the catalog, 1 not in the whitelist\n',
      ]);
      const names = (file: string) =>
        (JSON.parse(readFileSync(join(home, 'new/site', file), 'utf8')) as { name: string }[]).map(({ name }) => name);
      expect(names('packages.json')).toEqual(['one', 'two']);
      expect(names('categories.json')).toEqual(['b', 'a']);
      expect(existsSync(join(home, 'hub/packages.json'))).toBe(false);
    });
  });

  it('warns of a signed index that a new catalog does not match, once', async () => {
    await inTree(async ({ home, put }) => {
      put('packages/good/1.0.0/spec.json', GOOD);
      put('index.json', '{}');
      const first = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('sign the hub again')]);
      const second = await runCli(['hub', 'build', './hub'], { home, cwd: home });
      expect(second.stderr).not.toContain('warning');
    });
  });

  it('rejects a folder without packages, and writes an empty catalog of none', async () => {
    await inTree(async ({ home, read }) => {
      mkdirSync(join(home, 'hub'));
      expect((await runCli(['hub', 'build', './hub'], { home, cwd: home })).code).toBe(5);
      expect((await runCli(['hub', 'build', './nowhere'], { home, cwd: home })).code).toBe(5);
      mkdirSync(join(home, 'hub/packages'));
      expect((await runCli(['hub', 'build', './hub'], { home, cwd: home })).code).toBe(0);
      expect([read('packages.json'), read('categories.json')]).toEqual(['[]\n', '[]\n']);
    });
  });
});
